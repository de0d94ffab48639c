"""The formulas of rdk.* claims, broken on purpose: each change must refute its claim."""

from fractions import Fraction as F

import numpy as np

from simspec.claims.authoring import exact, norm1
from simspec.claims.balls import enclose, log, plogp
from simspec.claims.rdk.any_vocabularies import of_strings
from simspec.claims.rdk.best_affinity import accepted, means, worth
from simspec.claims.rdk.first_order import assembled
from simspec.claims.rdk.gaussian_advantage import normal_cdf, probability_beside_none, probability_not_worse
from simspec.claims.rdk.moves import arriving
from simspec.claims.rdk.parts import contraction, drift, proposed
from simspec.claims.rdk.project_logits import by_logits, by_probabilities
from simspec.claims.rdk.softmax import jacobian, moved_by, two_logits
from simspec.claims.rdk.static_mixture import BALANCE, LEVEL, STATIC_MIXTURE, balanced
from simspec.claims.rdk.two_events import both_within
from simspec.laws import restrict, tv
from simspec.laws.unchecked import overlap
from simspec.methods import acceptance_rate, affine, normalised, tli
from tests.claims.cases import broken, get, shifted, swapped


def _constant(U, lam, diag, q):
    omega = assembled(U, lam, diag)
    return (q * (omega.max(axis=-1) - omega.min(axis=-1)) ** 2).sum(axis=-1)


def _plain_errors(p, q, c, U, lam, diag, tau):
    """The errors themselves, without taking off the term of order 1/τ."""
    return get("rdk.taylor-order").lhs(p, q, c, assembled(U, lam, diag), tau)


def _spread(p, q, shared, extra):
    """The same sum, spread as the mean target outside the shared vocabulary."""
    mean = np.where(shared, 0 * p[0], p.sum(axis=0))
    return STATIC_MIXTURE.rhs(p, q, shared, mean / mean.sum() * extra.sum() if mean.sum() else extra)


def _without(name, other):
    """`rdk.static-mixture` without one of its assumptions, at the instance that breaks it."""
    return {"assumes": {other: STATIC_MIXTURE.assumes[other]}, "against": (STATIC_MIXTURE.outside[name],)}


def _no_prior(draw):
    return {**get("rdk.approximator-available.prior").instances(draw), "prior": None}


def _all_shared(draw):
    """A draft with all its mass on the shared vocabulary: no redistribution is TLI."""
    return {**get("rdk.gaussian-advantage.vanilla-corrected").instances(draw), "share": F(1)}


MUTATIONS = [
    shifted("rdk.tli-is-transport.some", F(1, 100)),
    shifted("rdk.small-overlap.draft-corrected", F(1, 100)),
    shifted("rdk.small-overlap.target", F(1, 4)),
    shifted("rdk.minimise-kernel.l1", F(1, 100)),
    shifted("rdk.memory-corrected", 1),
    shifted("rdk.mean-probability", F(1, 100)),
    broken("rdk.project-logits-corrected", lhs=lambda w, to: by_logits(w / w.sum(), to)),
    broken("rdk.project-logits-corrected", rhs=lambda w, to: by_probabilities(w, to) * w.sum()),
    broken("rdk.any-vocabularies", lhs=lambda p, q, shared, M, spelled: of_strings(proposed(q, shared, M), spelled)),
    broken("rdk.perturbations-harmless-corrected", rhs=lambda ratio: log(np.maximum(ratio, 1 / ratio).max()) / 2),
    broken("rdk.perturbations-harmless-corrected", rhs=lambda ratio: log(np.maximum(ratio, 1 / ratio).sum()) / 9),
    broken("rdk.gaussian-advantage.vanilla-corrected", instances=_all_shared, rhs=lambda: normal_cdf(4)),
    broken(
        "rdk.gaussian-advantage.vanilla-corrected",
        lhs=lambda mu_a, mu_b, **rest: probability_beside_none(mu_a=mu_b, mu_b=mu_a, **rest),
    ),
    broken(STATIC_MIXTURE.name, **_without(LEVEL, BALANCE)),
    broken(STATIC_MIXTURE.name, **_without(BALANCE, LEVEL)),
    broken(STATIC_MIXTURE.name, rhs=lambda p, q, shared, extra: STATIC_MIXTURE.rhs(p, q, shared, extra * 0)),
    broken(STATIC_MIXTURE.name, rhs=lambda p, q, shared, extra: STATIC_MIXTURE.rhs(p, q, shared, extra) * F(9, 10)),
    broken(STATIC_MIXTURE.name, assumes={}, lhs=STATIC_MIXTURE.rhs, rhs=_spread),
    broken(
        "rdk.static-mixture.attained",
        lhs=lambda p, q, shared, extra, level: balanced(p, q, shared, extra / 2, level)[0] + 0,
    ),
    broken("rdk.approximator-available.prior", instances=_no_prior, assumes={}),
    broken("rdk.any-drafter-sharp", rhs=lambda p, M: np.stack([1 - drift(M, p), (drift(M, p) == 0) * 1])),
    broken("rdk.taylor-order-sharp", **swapped("rdk.taylor-order-sharp")),
    broken("rdk.taylor-order-general-sharp", **swapped("rdk.taylor-order-general-sharp")),
    broken("rdk.percentage-corrected", tight=get("rdk.percentage-corrected").tight, rhs=lambda: F(1, 4000)),
    broken(
        "rdk.affinity-rows-corrected",
        lhs=lambda X, omega, tau: np.stack([np.exp(enclose(omega / tau)).sum(axis=-1)] * 4),
    ),
    broken(
        "rdk.worst-case-acceptance", rhs=lambda p, q, shared, epsilon: overlap(p, restrict(q, shared)) - epsilon / 16
    ),
    broken(
        "rdk.worst-case-acceptance-sharp",
        rhs=lambda p, q, shared, M: contraction(M) * (1 - overlap(p, restrict(q, shared))),
    ),
    broken(
        "rdk.never-worse-corrected",
        lhs=lambda p, q, shared, M: overlap(p, 2 * proposed(q, shared, M) - restrict(q, shared)),
    ),
    broken("rdk.never-worse-sharp", rhs=lambda p, q, shared, M: overlap(p, restrict(q, shared) @ M)),
    broken("rdk.any-drafter-corrected", lhs=lambda p, q, shared, M: overlap(p, restrict(q, shared) @ M.T @ M) / 2),
    broken("rdk.any-drafter-corrected", rhs=lambda p: overlap(p, p)),
    broken("rdk.two-events", lhs=lambda rho: both_within(rho) ** 2),
    broken("rdk.two-events-sharp", rhs=lambda: both_within(F(1))),
    broken("rdk.draws-everything", lhs=lambda q, shared: (tli(shared).propose(q) > 0).sum(axis=-1)),
    broken(
        "rdk.draws-everything-sharp", rhs=lambda W: 2 / (2 + (len(W) - 1) * (W.max(axis=-1) / W.min(axis=-1)).max())
    ),
    broken("rdk.gain", rhs=lambda q, shared, M: arriving(restrict(q, shared), M).sum()),
    broken("rdk.gain-moved", rhs=lambda q, shared, M: np.diagonal(M) @ restrict(q, shared)),
    broken("rdk.stationary-target", rhs=lambda W, p: 2 * get("rdk.stationary-target").rhs(W, p)),
    broken(
        "rdk.gain-guessed",
        rhs=lambda p, guess, q, shared, M: (
            np.minimum(np.maximum(guess - restrict(q, shared), 0), arriving(restrict(q, shared), M)).sum()
            - tv(p, guess)
        ),
    ),
    broken("rdk.gaussian-advantage-corrected", rhs=lambda: normal_cdf(4)),
    broken(
        "rdk.gaussian-advantage-corrected",
        lhs=lambda above, mu_a, mu_b, sigma_a, sigma_b, rho, d, M: probability_not_worse(
            above, mu_b, mu_a, sigma_a, sigma_b, rho, d, M
        ),
    ),
    broken("rdk.linear-is-mixture", rhs=lambda prior, q: np.stack([prior] * 2)),
    broken(
        "rdk.linear-is-mixture",
        lhs=lambda prior, q, c, tau: np.stack([form(prior, c, tau)(q) for form in (affine, normalised)]),
    ),
    broken("rdk.linear-time", rhs=lambda vocab: np.array([4 * vocab] * 8)),
    broken("rdk.linear-time-sharp", rhs=lambda q: len(q) ** 2),
    broken("rdk.identity-is-tli", rhs=lambda q, shared: q),
    broken("rdk.identity-is-tli", lhs=lambda q, shared, M: np.where(shared, q, 0)),
    broken(
        "rdk.mass-preserved",
        lhs=lambda q, shared, M: np.stack([proposed(q, shared, M.T).sum(axis=-1), 0 * q.sum(axis=-1)], axis=-1),
    ),
    broken("rdk.non-expansive", lhs=lambda x, y, M: abs((x - y) @ M.T).sum(axis=-1)),
    broken("rdk.non-expansive-sharp", rhs=lambda x, y, M: contraction(M) * abs(x - y).sum(axis=-1) / 2),
    broken("rdk.tli-ceiling", rhs=lambda p, shared: np.where(shared, 0, p).sum(axis=-1)),
    broken(
        "rdk.tli-ceiling-sharp", lhs=lambda p, q, shared: np.stack([acceptance_rate(tli(shared), p, q), overlap(p, p)])
    ),
    broken("rdk.tli-vs-none", rhs=lambda p, q: overlap(p, q)),
    broken("rdk.tli-vs-none-sharp", lhs=lambda p, q, shared: overlap(p, restrict(q, shared))),
    broken("rdk.perturbed-target-corrected", rhs=lambda ratio, spare: get("rdk.perturbed-target").rhs(ratio, spare)),
    broken(
        "rdk.perturbed-target-sharp",
        rhs=lambda ratio, spare: 2 * np.tanh(get("rdk.perturbed-target").rhs(ratio, spare) / 2),
    ),
    broken("rdk.sharpness", **swapped("rdk.sharpness")),
    broken(
        "rdk.sharpness",
        lhs=lambda omega, tau: -plogp(np.exp(enclose(omega / tau))).sum(axis=-1),
        rhs=lambda omega, hotter: -plogp(np.exp(enclose(omega / hotter))).sum(axis=-1),
    ),
    broken("rdk.softmax-jacobian", rhs=lambda p: p * (2 - p)),
    broken(
        "rdk.softmax-jacobian-norms", lhs=lambda p, delta: np.stack([norm1(jacobian(p) @ (delta + abs(delta)))] * 3)
    ),
    broken("rdk.softmax-lipschitz", lhs=lambda w, ratio: enclose(abs(w / sum(w) - w * ratio / sum(w)).sum())),
    broken("rdk.softmax-lipschitz-sharp", rhs=lambda ratio, spare: get("rdk.softmax-lipschitz").rhs(ratio, spare) / 2),
    broken("rdk.taylor-order", rhs=lambda p, q, c, tau: get("rdk.taylor-order").rhs(p, q, c, tau) / 3),
    broken("rdk.taylor-order", rhs=lambda p, q, c, tau: get("rdk.taylor-order").rhs(p, q, c, tau)[::-1]),
    broken(
        "rdk.taylor-order-general", rhs=lambda U, lam, diag, q, tau: enclose(_constant(U, lam, diag, q) / tau**2 / 24)
    ),
    broken(
        "rdk.taylor-order-general",
        lhs=lambda U, lam, diag, q, tau: get("rdk.taylor-order-general").lhs(U, lam, 2 * diag, q, tau),
    ),
    broken(
        "rdk.taylor-order-approximate-corrected",
        rhs=lambda p, q, c, U, lam, diag, tau: np.stack([enclose(_constant(U, lam, diag, q) / tau**2 / 4)] * 3),
    ),
    broken("rdk.taylor-order-approximate-corrected", lhs=_plain_errors),
    broken(
        "rdk.worst-case",
        rhs=lambda p, q, shared, epsilon, delta: np.stack(
            [norm1(restrict(q, shared) - p) + e for e in (epsilon / 2, delta)]
        ),
    ),
    broken("rdk.worst-case", lhs=lambda p, q, shared, M: np.stack([norm1(proposed(q, shared, M.T) - p)] * 2)),
    broken(
        "rdk.worst-case-sharp",
        lhs=lambda p, q, shared, M, N: np.stack([norm1(proposed(q, shared, M.T) - p), drift(N.T, p) * 2]),
    ),
    broken("rdk.perturbed-target-sharp.attained", lhs=lambda odds: moved_by(**two_logits(odds, 1, 0))),
    broken("rdk.softmax-lipschitz-sharp.attained", lhs=lambda odds: moved_by(**two_logits(odds, 3, 0))),
    broken("rdk.worst-case-sharp.attained", instances=lambda draw: {"a": F(3, 4), "b": draw.number(0, F(1, 4))}),
    broken("rdk.worst-case-sharp.attained", instances=lambda draw: {"a": 1, "b": draw.number(F(1, 2), F(3, 4))}),
    broken("rdk.non-expansive-sharp.attained", rhs=lambda M: exact([contraction(M), 2, contraction(M)])),
    broken("rdk.non-expansive-sharp.attained", instances=lambda draw: {"M": 2 * draw.matrix(2)}),
    broken("rdk.two-events-sharp.attained", lhs=lambda size: both_within(F(1, 2), size)),
    broken(
        "rdk.taylor-order-sharp.approached",
        rhs=lambda tau: np.stack([np.sqrt(enclose(F(3))) / 18 / enclose(tau**2)] * 3),
    ),
    broken(
        "rdk.taylor-order-general-sharp.approached", rhs=lambda tau: np.sqrt(enclose(F(3))) / 18 * enclose(4 / tau**2)
    ),
    broken("rdk.best-affinity", rhs=lambda w, p, q, M: accepted(w, p, q, M)),
    broken("rdk.best-affinity", rhs=lambda w, p, q, M, tie: (worth(w, p, q, M, tie).max(axis=1)).sum()),
    broken("rdk.best-affinity.means-corrected", rhs=lambda w, p, q: overlap(means(w, p), means(w, q))),
]
