"""`multi.rrs-formula`, `multi.rrs-beats-naive`, `multi.rrsw-beats-rrs` and `multi.cover`: how often drafts are accepted."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, exact, identity, law
from simspec.claims.multi.parts import few, pairs, rrs, rrsw
from simspec.methods.multi.acceptance import match_acceptance, rrs_acceptance

RRS_FORMULA = identity(
    name="multi.rrs-formula",
    statement=r"With $c_1 = 1$ and $c_{j+1} = c_j + \sum (p - c_j q)_+$, the acceptance of recursive rejection of K "
    r"independent drafts is $1 - \sum (p - c_K q)_+$",
    reference="own statement",
    instances=few,
    lhs=lambda p, q, k: rrs(p, q, k).acceptance,
    rhs=rrs_acceptance,
    sources=("exact",),
    note="What is left of the target after j refusals is the part of p above c_j q: the rule keeps min(p, c_K q) in all.",
)

RRS_BEATS_NAIVE = bound(
    name="multi.rrs-beats-naive",
    statement=r"Recursive rejection accepts at least as often as one sample of the target is among K independent drafts, "
    r"$\sum p\,(1 - (1 - q)^K)$",
    reference="SpecInfer, Theorem 4.3",
    instances=pairs,
    lhs=match_acceptance,
    rhs=rrs_acceptance,
    tight=[{"p": law(0, 1), "q": law("3/4", "1/4"), "k": 2}],
    note="Token by token: what is refused of p(x) is at most p(x)(1 − q(x))^K, with equality for a target that is sure.",
)

RRSW_BEATS_RRS = bound(
    name="multi.rrsw-beats-rrs",
    statement=r"Without replacement recursive rejection accepts at least as often as with independent drafts, at the same "
    r"$p$, $q$ and K",
    reference="RSD (2402.14160); Sequoia (2402.12374)",
    instances=few,
    lhs=rrs_acceptance,
    rhs=lambda p, q, k: rrsw(p, q, k).acceptance,
    sources=("exact",),
    note="After a refusal of x nothing is left of p(x), and every other draft has become likelier by the same factor.",
)


def _covered(draw: Draw) -> Instance:
    k = draw.integer(1, 3)
    vocab = draw.integer(k, 4)
    return {"p": _within(draw.law(k), vocab), "q": _within(_positive(draw.law(k)), vocab), "k": k}


def _positive(p: Array) -> Array:
    return (p + exact([1] * len(p))) / (1 + len(p))


def _within(p: Array, vocab: int) -> Array:
    return np.concatenate([p, exact([0] * (vocab - len(p)))])


COVERED = {
    "q has at most K tokens": lambda q, k: (q > 0).sum() <= k,
    "p has no others": lambda p, q: not (p[q == 0] > 0).any(),
}

UNCOVERED = {
    "q has at most K tokens": {"p": law(0, 0, 1), "q": law("1/2", "1/4", "1/4"), "k": 2},
    "p has no others": {"p": law(0, 0, 1), "q": law("1/2", "1/2", 0), "k": 2},
}

COVER_RRSW = identity(
    name="multi.cover.rrsw",
    statement=r"If $q$ has at most K tokens, and $p$ no others, recursive rejection without replacement accepts for sure",
    reference="Sequoia (2402.12374), cover property",
    instances=_covered,
    lhs=lambda p, q, k: rrsw(p, q, k).acceptance,
    rhs=lambda: 1,
    sources=("exact",),
)

COVER_RRS = identity(
    name="multi.cover.rrs",
    statement=r"If $q$ has at most K tokens, and $p$ no others, recursive rejection of K independent drafts accepts for sure",
    reference="Sequoia (2402.12374), cover property",
    instances=_covered,
    assumes=COVERED,
    outside=UNCOVERED,
    lhs=lambda p, q, k: rrs(p, q, k).acceptance,
    rhs=lambda: 1,
    sources=("exact",),
    corrected_by=("multi.cover.rrs-corrected",),
    within=({"p": law("1/2", "1/2"), "q": law("5/9", "4/9"), "k": 2},),
    note="Two independent drafts may be the same wrong token.",
)


def _least(p: Array, q: Array) -> Any:
    """The least mass that q gives a token of p."""
    return min(q[p > 0])


COVER_RRS_CORRECTED = bound(
    name="multi.cover.rrs-corrected",
    statement=r"Recursive rejection of K independent drafts accepts with at least $1 - (1 - m)^K$, where $m$ is the least mass "
    r"that $q$ gives a token of $p$",
    reference="correction of Sequoia (2402.12374), cover property",
    instances=few,
    lhs=rrs_acceptance,
    relation=at_least,
    rhs=lambda p, q, k: 1 - (1 - _least(p, q)) ** k,
    tight=[{"p": law(0, 1), "q": law("1/2", "1/2"), "k": 2}],
    sources=("exact",),
    note="With equality for a target that is sure.",
)
