"""The formulas of metrics.* claims, broken on purpose: each change must refute its claim."""

import numpy as np

from simspec.claims.metrics.parts import mean_length, overshoot
from simspec.laws import overlap
from simspec.methods.counters import acceptance_length, draft_acceptance, position_rates
from tests.claims.cases import broken, get, swapped


def _conditional(drafted, accepted):
    """Conditional rates where the marginal ones should stand."""
    return get("metrics.conditional-monotone").lhs(drafted, accepted)[1]


MUTATIONS = [
    broken("metrics.length.interior", lhs=lambda accepted: accepted.sum() / len(accepted)),
    broken("metrics.length.request-corrected", rhs=lambda accepted: acceptance_length(accepted)),
    broken("metrics.length.request-corrected", rhs=lambda accepted, cut: acceptance_length(accepted) + 1 - cut),
    broken("metrics.rate-length.no-bonus", lhs=lambda accepted: acceptance_length(accepted)),
    broken("metrics.sum-of-positions", rhs=lambda drafted, accepted: position_rates(accepted, 1).sum() + 1),
    broken("metrics.mean-of-positions-corrected", rhs=lambda drafted, accepted: draft_acceptance(drafted, accepted)),
    broken("metrics.conditional-monotone-corrected", rhs=_conditional),
    broken("metrics.conditional-monotone-corrected", **swapped("metrics.conditional-monotone-corrected")),
    broken("metrics.alpha-corrected", rhs=lambda alpha, gamma: sum(alpha**i for i in range(gamma)) / gamma),
    broken("metrics.one-draft", rhs=lambda p, q: 2 * overlap(p, q)),
    broken("metrics.min-variance", lhs=lambda w: (w * np.arange(len(w))).sum() - (mean_length(w) - 1) ** 2 * 2),
    broken("metrics.pooled-order-corrected", lhs=lambda tokens, a: np.array([tokens.sum() / a.sum() - len(a) + 1] * 2)),
    broken("metrics.steps", rhs=lambda w, tokens: (tokens + 1) / mean_length(w)),
    broken(
        "metrics.same-length-same-steps-corrected",
        rhs=lambda w, v, tokens: overshoot(w, tokens) - overshoot(v, tokens),
    ),
    broken("metrics.speed-tracks-length-corrected", lhs=lambda length, gamma, cost: length / (1 + gamma)),
]
