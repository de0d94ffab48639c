"""K-SEQ is lossless, and its best parameter is bounded.

`multi.kseq-lossless`, `multi.kseq-rho`, `multi.kseq-ratio`, `multi.kseq-over-rrs` and `multi.kseq-under-rrsw`: K-SEQ.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from simspec.claims.authoring import (
    Array,
    Draw,
    Instance,
    at_least,
    bound,
    broken,
    exact,
    identity,
    is_exact,
    law,
    swapped,
)
from simspec.claims.balls import ball, enclose, exp
from simspec.claims.multi.parts import RHO_STEPS, at_best, few, iid_best, pairs, rrsw
from simspec.laws import Scalar
from simspec.methods.multi.acceptance import rrs_acceptance
from simspec.methods.multi.drafting import iid
from simspec.methods.multi.enumerated import step_law
from simspec.methods.multi.kseq import kept_once, kseq, kseq_acceptance, kseq_rho

__all__ = ["rounds", "strict"]


def rounds(b: Scalar, k: int) -> Any:
    """Expected number of tests of K drafts each of which passes with b: Σ (1 − b)^j for j < K.

    >>> rounds(Fraction(1, 2), 2)
    Fraction(3, 2)
    """
    return sum((1 - b) ** j for j in range(k))


def strict(draw: Draw) -> Instance:
    """Two laws, K, and a ρ between the smallest lossless one (from above) and K."""
    instance = few(draw)
    low = kseq_rho(instance["p"], instance["q"], instance["k"], RHO_STEPS)[1]
    return {**instance, "rho": low + (instance["k"] - low) * draw.number(0, 1)}


LOSSLESS = {"ρ is at least ρ*": lambda p, q, k, rho: rounds(kept_once(p, q, rho), k) <= rho}

KSEQ_LOSSLESS = identity(
    name="multi.kseq-lossless",
    statement=r"K-SEQ emits with law $p$ for every $\rho$ from $\rho^*$ to K; and $\rho^* \le K$",
    reference="SpecTr (2310.15141), Theorem 2",
    instances=strict,
    assumes=LOSSLESS,
    outside={"ρ is at least ρ*": {"p": exact([1, 1]) / 2, "q": exact([3, 1]) / 4, "k": 2, "rho": Fraction(1)}},
    lhs=lambda p, q, k, rho: np.append(step_law(kseq(rho), iid, k, p, q).law, _excess(p, q, k)),
    rhs=lambda p: np.append(p, 0),
    sources=("exact",),
    note="The expected number of tests is at most K, so that ρ = K always is lossless; the last side is what it exceeds K by.",
    broken=[broken("the draft distribution", lhs=lambda p, q: np.append(q, 0))],
)


def _excess(p: Array, q: Array, k: int) -> Any:
    return max(rounds(kept_once(p, q, k), k) - k, 0)


def _two(draw: Draw) -> Instance:
    instance = pairs(draw)
    low = draw.number(1, instance["k"])
    return {**instance, "rho": low, "rho2": low + (instance["k"] - low) * draw.number(0, 1)}


KSEQ_RHO = bound(
    name="multi.kseq-rho",
    statement=r"The acceptance of K-SEQ does not rise with $\rho$",
    reference="SpecTr (2310.15141)",
    instances=_two,
    assumes={"ρ ≤ ρ₂": lambda rho, rho2: rho <= rho2},
    outside={
        "ρ ≤ ρ₂": {"p": exact([1, 1]) / 2, "q": exact([1, 1]) / 2, "k": 2, "rho": Fraction(2), "rho2": Fraction(1)},
    },
    lhs=lambda p, q, k, rho2: kseq_acceptance(p, q, k, rho2),
    rhs=lambda p, q, k, rho: kseq_acceptance(p, q, k, rho),
    broken=[swapped()],
)


def _share(k: int) -> Any:
    return 1 - (1 - Fraction(1, k)) ** k


def _bounds(p: Array, q: Array, k: int) -> Array:
    """(1 − (1 − 1/K)^K) α*, and (1 − 1/e) α*."""
    best = iid_best(p, q, k)
    if not is_exact(p):
        return np.stack([float(_share(k)) * best, (1 - np.exp(-1)) * best])
    return np.array([ball(_share(k) * best), (1 - exp(Fraction(-1))) * ball(best)], dtype=object)


def _above(p: Array, q: Array, k: int) -> Array:
    first = at_best(p, q, k)
    if not is_exact(p):
        return np.stack([first, float(_share(k)) * iid_best(p, q, k)])
    return np.array([first, ball(_share(k) * iid_best(p, q, k))], dtype=object)


KSEQ_RATIO = bound(
    name="multi.kseq-ratio",
    statement=r"The acceptance of K-SEQ at $\rho^*$ is at least $(1 - (1 - 1/K)^K)\,\alpha^*(p, \text{i.i.d.})$, which is at "
    r"least $(1 - 1/e)\,\alpha^*$",
    reference="SpecTr (2310.15141), Theorem 2",
    instances=pairs,
    lhs=_above,
    relation=at_least,
    rhs=_bounds,
    note="It holds for every ρ from 1 to K: already at ρ = K, where no ρ* is needed.",
    broken=[swapped()],
)

KSEQ_OVER_RRS = bound(
    name="multi.kseq-over-rrs",
    statement=r"K-SEQ at $\rho^*$ accepts at least as often as recursive rejection of the same K independent drafts, for all "
    r"$p$, $q$, K",
    reference="own statement; published tables give it as an order of averages",
    instances=pairs,
    lhs=lambda p, q, k: enclose(rrs_acceptance(p, q, k)),
    rhs=at_best,
    note="One threshold for all drafts is worth more than one that grows from draft to draft.",
    broken=[swapped()],
)

KSEQ_UNDER_RRSW = bound(
    name="multi.kseq-under-rrsw",
    statement=r"K-SEQ at $\rho^*$ accepts at most as often as recursive rejection without replacement, for all $p$, $q$, K",
    reference="own statement",
    instances=few,
    lhs=at_best,
    rhs=lambda p, q, k: enclose(rrsw(p, q, k).acceptance),
    sources=("exact",),
    against=[{"p": exact([0, 1, 1]) / 2, "q": exact([1, 1, 2]) / 4, "k": 2}],
    corrected_by=("multi.kseq-under-rrsw-corrected",),
    within=({"p": law("1/2", "1/4", "1/4"), "q": law("1/3", "1/3", "1/3"), "k": 2},),
    note="Independent drafts that are verified well may beat drafts without replacement that are verified one by one.",
)

KSEQ_UNDER_RRSW_CORRECTED = bound(
    name="multi.kseq-under-rrsw-corrected",
    statement=r"K-SEQ, at $\rho^*$ or any other lossless $\rho$, accepts at most with $\alpha^*(p, \text{i.i.d.})$",
    reference="correction of an own statement",
    instances=strict,
    assumes=LOSSLESS,
    outside={
        "ρ is at least ρ*": {
            **{"p": exact([1, 3]) / 4, "q": exact([3, 1]) / 4},
            **{"k": 2, "rho": Fraction(1)},
        }
    },
    lhs=lambda p, q, k, rho: kseq_acceptance(p, q, k, rho),
    rhs=iid_best,
    sources=("exact",),
    broken=[broken("recursive rejection in place of k-SEQ", rhs=rrs_acceptance)],
)
