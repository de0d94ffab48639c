"""At a given mean tolerance, equal rejected masses in all contexts are best.

`relaxed.tolerance`: an additive tolerance for each context, at a given mean tolerance (own, after EARS).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, law, matrix
from simspec.claims.relaxed.parts import shares
from simspec.methods import one_minus_max

__all__ = ["accepted", "risk"]


def _contexts(draw: Draw) -> Instance:
    """Contexts with their weights, a pair of laws in each."""
    number = 1 + draw.integer(0, 2)
    vocab = 1 + draw.integer(0, 2)
    pairs = [draw.pair(vocab) for _ in range(number)]
    return {"w": draw.law(number), "p": np.stack([p for p, _ in pairs]), "q": np.stack([q for _, q in pairs])}


def _two(draw: Draw) -> Instance:
    it = _contexts(draw)
    number = len(it["w"])
    return {**it, "t": shares(draw, number), "other": shares(draw, number), "tie": draw.number(0, 1)}


def accepted(w: Array, p: Array, q: Array, t: Array) -> Any:
    """Mean acceptance where context c keeps min(q, p + t_c q).

    >>> print(accepted(law(1), matrix("1 0"), matrix("0 1"), law("1/4")))
    1/4
    """
    return (w * np.minimum(q, p + t[:, None] * q).sum(axis=-1)).sum()


def risk(p: Array, q: Array, t: Array, tie: Any) -> Array:
    """The mass of drafts in each context that may still be rejected at tolerance t; a share of those just at their limit.

    >>> print(*risk(matrix("1/2 1/2"), matrix("3/4 1/4"), law("1/4"), 0))
    3/4
    """
    limit = q - p - t[:, None] * q
    return (q * np.where(limit > 0, 1, np.where(limit < 0, 0, tie))).sum(axis=-1)


def _mean(w: Array, t: Array) -> Array:
    """The mean tolerance, in each context."""
    return (w * t).sum() + 0 * t


TOLERANCE = bound(
    name="relaxed.tolerance",
    statement=r"Contexts that keep $\min(q_c, p_c + t_c q_c)$: tolerances $t'$ accept on average at most what $t$ do and "
    r"$\sum_c w_c s_c (t'_c - t_c)$, $s_c$ the mass of drafts that $t_c$ still rejects at times; so $t$ is best at its mean "
    r"tolerance if all $s_c$ are alike",
    reference="own statement (which contexts should get the tolerance), on EARS, arXiv 2512.13194",
    instances=_two,
    lhs=lambda w, p, q, other: accepted(w, p, q, other),
    rhs=lambda w, p, q, t, other, tie: accepted(w, p, q, t) + (w * risk(p, q, t, tie) * (other - t)).sum(),
    tight=(
        {
            **{"w": law("1/2", "1/2"), "p": matrix("1 0", "1 0"), "q": matrix("0 1", "1/2 1/2")},
            **{"t": law("1/2", "1/2"), "other": law(1, 0), "tie": F(0)},
        },
    ),
    sources=("exact",),
    note="In one context acceptance is concave and piecewise linear in its tolerance. At a given mean total variation, in "
    "place of mean tolerance, all allocations are alike (relaxed.allocation).",
    broken=[
        broken("the bound without the other allocation", rhs=lambda w, p, q, t: accepted(w, p, q, t)),
        broken(
            "the weighted difference of the tolerances is added",
            rhs=lambda w, p, q, t, other: accepted(w, p, q, t) + (w * (other - t)).sum(),
        ),
    ],
)

SPREAD: Instance = {"w": law("1/2", "1/2"), "p": matrix("1/2 1/2", "1 0"), "q": matrix("1/2 1/2", "0 1")}
WITHIN: Instance = {"w": law("1/2", "1/2"), "p": matrix("1/2 1/2", "3/4 1/4"), "q": matrix("1/2 1/2", "1/4 3/4")}

CONSTANT = bound(
    name="relaxed.tolerance.constant",
    statement=r"One tolerance for all contexts accepts at least as much on average as any other of that mean",
    reference="own statement (which contexts should get the tolerance), on EARS, arXiv 2512.13194",
    instances=_two,
    lhs=lambda w, p, q, other: accepted(w, p, q, _mean(w, other)),
    rhs=lambda w, p, q, other: accepted(w, p, q, other),
    relation=at_least,
    against=({**SPREAD, "other": law(0, 1)},),
    within=({**WITHIN, "other": law(0, "1/2")},),
    sources=("exact",),
    corrected_by=("relaxed.tolerance",),
    note="A context whose draft is right rejects nothing and needs none.",
)

UNCERTAIN = bound(
    name="relaxed.tolerance.uncertain",
    statement=r"Tolerance in proportion to uncertainty, $t_c = \beta (1 - \max p_c)$, accepts at least as much on average "
    r"as the same tolerance in every context, at the same mean",
    reference="own statement (which contexts should get the tolerance), on EARS, arXiv 2512.13194",
    instances=lambda draw: {**_contexts(draw), "beta": draw.number(0, 1)},
    lhs=lambda w, p, q, beta: accepted(w, p, q, beta * one_minus_max(p)),
    rhs=lambda w, p, q, beta: accepted(w, p, q, _mean(w, beta * one_minus_max(p))),
    relation=at_least,
    against=({**SPREAD, "beta": F(1)},),
    within=({**WITHIN, "beta": F(1, 2)},),
    sources=("exact",),
    corrected_by=("relaxed.tolerance",),
    note="What counts is how much of the draft is still rejected, not how uncertain the target is: a draft may be right "
    "where the target is uncertain, and wrong where it is sure.",
)
