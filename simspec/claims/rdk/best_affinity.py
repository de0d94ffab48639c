"""A bound says how far an affinity is from the one with the highest mean acceptance over several contexts.

`rdk.best-affinity`: which affinity accepts most, how one sees it, and that means are too little to know it (own).
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, eye, law, matrix
from simspec.laws import Scalar, overlap

__all__ = ["accepted", "means", "one_target", "slope", "worth"]


def _contexts(draw: Draw) -> Instance:
    """Weights of contexts, the target's and the draft's law in each, and an affinity."""
    number = 1 + draw.integer(0, 1)
    vocab = 1 + draw.integer(0, 2)
    pairs = [draw.pair(vocab) for _ in range(number)]
    p, q = (np.stack(side) for side in zip(*pairs, strict=True))
    return {"w": draw.law(number), "p": p, "q": q, "M": draw.matrix(vocab)}


def _two(draw: Draw) -> Instance:
    it = _contexts(draw)
    return {**it, "other": draw.matrix(len(it["M"])), "tie": draw.number(0, 1)}


def accepted(w: Array, p: Array, q: Array, M: Array) -> Any:
    """Mean acceptance over the contexts where drafts come from Mᵀq.

    >>> print(accepted(law(1), matrix("1/2 1/2"), matrix("1 0"), matrix("1/2 1/2", "0 1")))
    1
    """
    return (w * overlap(p, q @ M)).sum()


def slope(p: Array, r: Array, tie: Any) -> Array:
    """What a little more of r gains: 1 where it is below p, 0 where it is above, anything between where they meet.

    >>> print(*slope(law("1/2", "1/2", 0), law("1/4", "1/2", "1/4"), F(1, 3)))
    1 1/3 0
    """
    return np.where(r < p, 1, np.where(r > p, 0, tie)) + 0 * p


def worth(w: Array, p: Array, q: Array, M: Array, tie: Scalar) -> Array:
    """G[x, y], what mass gains that is sent from draft token x to target token y.

    >>> print(worth(law(1), matrix("1 0"), matrix("1/2 1/2"), matrix("0 1", "0 1"), 0).tolist()[0])
    [Fraction(1, 2), Fraction(0, 1)]
    """
    return (w[:, None] * q).T @ slope(p, q @ M, tie)


def _room(w: Array, p: Array, q: Array, M: Array, tie: Scalar) -> Any:
    G = worth(w, p, q, M, tie)
    return (G.max(axis=1) - (M * G).sum(axis=1)).sum()


def means(w: Array, laws: Array) -> Array:
    """The mean law of the contexts.

    >>> print(*means(law("1/2", "1/2"), matrix("1 0", "0 1")))
    1/2 1/2
    """
    return np.asarray(w @ laws)


ONE_CONTEXT: Instance = {"w": law(1), "p": matrix("1/2 1/2"), "q": matrix("1 0")}
TWO_CONTEXTS: Instance = {"w": law("1/2", "1/2"), "p": matrix("1 0", "0 1"), "q": matrix("1 0", "0 1")}
MIXED: Instance = {
    **{"w": law("1/2", "1/2"), "p": matrix("3/4 1/4", "1/4 3/4"), "q": matrix("3/4 1/4", "1/4 3/4")},
    "M": matrix("1/2 1/2", "1/2 1/2"),
}

CERTIFICATE = bound(
    name="rdk.best-affinity",
    statement=r"Contexts of weights $w_c$, laws $p_c$ and $q'_c$: no row-stochastic affinity accepts more on average than "
    r"$M$ by more than $\sum_x (\max_y G_{xy} - \sum_y M_{xy} G_{xy})$, $G_{xy} = \sum_c w_c\, q'_c(x)\, g_c(y)$ with "
    r"$g_c(y) = 1$ where $M^\top q'_c < p_c$, 0 where it is above, and anything between where they meet",
    reference="own statement (the best affinity)",
    instances=_two,
    lhs=lambda w, p, q, other: accepted(w, p, q, other),
    rhs=lambda w, p, q, M, tie: accepted(w, p, q, M) + _room(w, p, q, M, tie),
    tight=({**ONE_CONTEXT, "M": matrix("1/2 1/2", "1 0"), "other": matrix("1/2 1/2", "0 1"), "tie": F(1)},),
    sources=("exact",),
    note="Mean acceptance is concave in M, and G is a slope of it: M is best if its rows stand only where G "
    "is largest. The bound can be computed for any M, so that every "
    "affinity comes with how far from the best it can be.",
    broken=[
        broken("what the map accepts in place of the best", rhs=lambda w, p, q, M: accepted(w, p, q, M)),
        broken(
            "the largest worth in place of the accepted mass",
            rhs=lambda w, p, q, M, tie: (worth(w, p, q, M, tie).max(axis=1)).sum(),
        ),
    ],
)


def one_target(w: Array, p: Array, q: Array) -> Any:
    """The most that an affinity accepts which sends each draft token to one target token.

    >>> print(one_target(**ONE_CONTEXT))
    1/2
    """
    rows = eye(p.shape[1], True)
    return max(accepted(w, p, q, rows[list(choice)]) for choice in product(range(len(rows)), repeat=len(rows)))


ONE_TARGET = bound(
    name="rdk.best-affinity.one-target",
    statement=r"Among the best affinities is one that sends each draft token to a single target token",
    reference="own statement (the best affinity)",
    instances=_contexts,
    lhs=lambda w, p, q: one_target(w, p, q),
    rhs=lambda w, p, q, M: accepted(w, p, q, M),
    relation=at_least,
    against=({**ONE_CONTEXT, "M": matrix("1/2 1/2", "0 1")},),
    within=({"w": law(1), "p": matrix("1/2 1/2"), "q": matrix("3/4 1/4"), "M": matrix("2/3 1/3", "0 1")},),
    sources=("exact",),
    corrected_by=("rdk.best-affinity",),
    note="Acceptance is concave in M and not linear: a best M need be no corner. A draft token with more mass than any "
    "target token is best spread.",
)


def _rank_one(draw: Draw) -> Instance:
    it = _two(draw)
    p = means(it["w"], it["p"])
    return {**it, "M": np.stack([p] * len(p))}


FITTING = "M takes the mean draft law to the mean target law"

MEANS = bound(
    name="rdk.best-affinity.means",
    statement=r"Mean laws suffice to choose an affinity: one with $M^\top \mathrm{E}\, q' = \mathrm{E}\, p$ accepts at "
    r"least as much on average as any other",
    reference="own statement (what data the best affinity needs)",
    instances=_rank_one,
    assumes={FITTING: lambda w, p, q, M: bool((means(w, q) @ M == means(w, p)).all())},
    lhs=lambda w, p, q, M: accepted(w, p, q, M),
    rhs=lambda w, p, q, other: accepted(w, p, q, other),
    relation=at_least,
    against=({**TWO_CONTEXTS, "M": matrix("1/2 1/2", "1/2 1/2"), "other": matrix("1 0", "0 1")},),
    outside={FITTING: {**ONE_CONTEXT, "M": matrix("1 0", "1 0"), "other": matrix("1/2 1/2", "0 1")}},
    within=({**MIXED, "other": matrix("1 0", "0 1")},),
    sources=("exact",),
    corrected_by=("rdk.best-affinity.means-corrected",),
    note="An affinity that ignores the draft fits every mean. What is to be known is which laws come together.",
)

MEANS_CORRECTED = bound(
    name="rdk.best-affinity.means-corrected",
    statement=r"Mean laws give an upper bound only: an affinity accepts on average at most $\sum_y \min(\mathrm{E}\, p(y), "
    r"(M^\top \mathrm{E}\, q')(y))$",
    reference="own statement (what data the best affinity needs)",
    instances=_contexts,
    lhs=lambda w, p, q, M: accepted(w, p, q, M),
    rhs=lambda w, p, q, M: overlap(means(w, p), means(w, q) @ M),
    tight=({**ONE_CONTEXT, "M": matrix("1/2 1/2", "0 1")},),
    sources=("exact",),
    note="min is concave. With one context both are the same.",
    broken=[
        broken(
            "the means' overlap in place of the accepted mass", rhs=lambda w, p, q: overlap(means(w, p), means(w, q))
        )
    ],
)
