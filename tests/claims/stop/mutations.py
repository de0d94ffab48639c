"""The formulas of stop.* claims, broken on purpose: each change must refute its claim."""

import numpy as np

from simspec.claims.stop.entropy_bound import ENTROPY_BOUND
from simspec.claims.stop.parts import after, by_text, step, surviving
from simspec.claims.texts import markov
from simspec.laws import overlap
from simspec.methods import speedup
from simspec.methods.stop import dropping_last, told_verifier
from tests.claims.cases import broken, get, swapped


def _dropped(p, q, gamma, length, ends):
    """The rule throws away the token that it has seen."""
    rule = dropping_last(lambda law, path: bool(after(ends[len(path)], path)))
    return by_text(markov(p), markov(q), lambda text: rule, told_verifier(), gamma, length)


def _told_q(p, q, gamma, length, drops):
    """The verifier is told q."""
    rule = dropping_last(lambda law, path: bool(drops[len(path) - 1, path[-1]]))
    return by_text(markov(p), markov(q), lambda text: rule, told_verifier(), gamma, length)


def _with_kept(told):
    def emitted(p, q, s):
        law, kept = step(p, q, s, told)
        return np.array([*law, kept], dtype=object)

    return emitted


MUTATIONS = [
    broken("stop.kept", lhs=_dropped),
    broken("stop.law-only", lhs=_dropped),
    broken("stop.dropped.told-q-corrected", rhs=lambda q, s: ((q * s).sum() * (1 - (q * s).sum())) ** 2),
    broken("stop.dropped.told-kept", lhs=get("stop.dropped.told-q").lhs),
    broken("stop.dropped.one-hot", lhs=get("stop.dropped.told-q").lhs),
    broken("stop.dropped-iff.enough", lhs=lambda p, q, s: s * np.minimum(p, q) + (1 - (q * s).sum()) * p),
    broken("stop.dropped-iff.needed", rhs=lambda q, s: np.append(q, 0 * q[0])),
    broken("stop.dropped-repair.told", lhs=_with_kept("rejected")),
    broken("stop.dropped-repair.rejected", lhs=_with_kept("kept")),
    broken("stop.dropped-repair.best", rhs=lambda p, q, s: np.minimum(p, q).sum() * (q * s).sum() ** 2),
    broken("stop.dropped-repair.text", lhs=_told_q),
    broken("stop.dropped-price", rhs=lambda p, q: overlap(p, q) / 2),
    broken("stop.dropped-price-sharp", rhs=lambda p, q, t: (surviving(q, t) * np.minimum(p, q)).sum()),
    broken("stop.dropped-price.rejected", **swapped("stop.dropped-price.rejected")),
    broken("stop.entropy-bound-corrected", rhs=ENTROPY_BOUND.rhs),
    broken("stop.entropy-bound-sharp", **swapped("stop.entropy-bound-sharp")),
    broken("stop.never-more", **swapped("stop.never-more")),
    broken(
        "stop.marginal",
        rhs=lambda alpha, cost, gamma: int(alpha**gamma > cost * speedup(alpha, gamma, cost)),
    ),
]
