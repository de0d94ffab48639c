"""multi.greedy-attains and multi.greedy-over-swor: speculative decoding of the last draft, and the set that bounds it."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, le, total, x, y
from proofs_check.multi._recursive import by_size
from simspec.claims.multi import greedy as claims
from simspec.claims.multi.parts import swor_best
from simspec.laws import Array
from simspec.laws.unchecked import normalise
from simspec.methods.multi.drafting import greedy_drafts, outside_top
from simspec.methods.multi.optimum import draft_sets, optimum

__all__ = ["bound_by_set", "value", "values"]

BOUND = "no set of tokens has less than the optimum (see multi.subset)"


def value(p: sp.IndexedBase, r: sp.IndexedBase, t: sp.IndexedBase) -> Any:
    """p(top) + Σ min(p, q̃) over the others."""
    return total(t[x] * p[x] + (1 - t[x]) * sp.Min(p[x], r[x]), x)


def bound_by_set(
    d: Derivation, p: sp.IndexedBase, r: sp.IndexedBase, t: sp.IndexedBase, zero: Fact, bit: Fact
) -> tuple[Any, Fact]:
    """The optimum, and that it is at most the value of the set of the top and of the tokens with p ≤ q̃."""
    alpha = d.number("alpha", 0)
    h = d.weights("h")
    below = d.domain(BOUND, le(alpha, total(h[x] * p[x], x) + total(r[x], x) - total(h[x] * r[x], x)))
    marks = d.domain(
        "h marks the top, and p ≤ q̃",
        eq(h[x] * (1 - h[x]), 0),
        eq(t[x] * (1 - h[x]), 0),
        le((1 - t[x]) * h[x] * (p[x] - r[x]), 0),
        le((1 - t[x]) * (1 - h[x]) * (r[x] - p[x]), 0),
    )
    point = d.smt(
        "token by token",
        eq(h[x] * (p[x] - r[x]) + r[x], t[x] * p[x] + (1 - t[x]) * sp.Min(p[x], r[x])),
        *(*marks, zero, bit),
    )
    return alpha, d.derive(
        "the value of a set", le(alpha, value(p, r, t)), below, d.sum("over the vocabulary", point, x)
    )


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts."""
    p, mass = d.law("p")
    r = d.weights("r")
    t = d.weights("t")
    w = d.weights("w")
    zero, bit = d.domain("q̃ has nothing of the top", eq(t[x] * r[x], 0), eq(t[x] * (1 - t[x]), 0))
    kept = sp.Min(p[x], r[x])
    over = sp.Max(p[x] - r[x], 0)
    normed = d.domain("a refused draft is followed by the residual", eq(w[x] * total(sp.Max(p[y] - r[y], 0), y), over))
    parts = d.derive("kept, and beyond", eq(kept + sign * over, p[x]))
    parts_sum = d.sum("over the vocabulary", parts, x)
    refused = d.derive("refused", eq(1 - total(kept, x), total(over, x)), parts_sum, mass)
    again = d.derive("drawn after it", eq((1 - total(kept, x)) * w[x], over), refused, normed)
    emitted = d.derive("either way", eq(kept + (1 - total(kept, x)) * w[x], p[x]), again, parts)
    top = d.smt("of the top all of p", eq(t[x] * over, t[x] * p[x]), zero, bit)
    at_top = d.derive("drawn there", eq((1 - total(kept, x)) * t[x] * w[x], t[x] * p[x]), again, top)
    at_top = d.sum("over the vocabulary", at_top, x)
    others = d.smt("kept outside", eq(kept, (1 - t[x]) * kept), zero, bit)
    others = d.sum("over the vocabulary", others, x)
    accepted = total(kept, x) + (1 - total(kept, x)) * total(t[x] * w[x], x)
    rate = d.derive("accepted", eq(accepted, constant * value(p, r, t)), at_top, others)
    alpha, upper = bound_by_set(d, p, r, t, zero, bit)
    lower = d.domain("no rule accepts more than the optimum", ge(alpha, accepted))
    d.qed(emitted, rate, d.derive("the optimum", eq(alpha, value(p, r, t)), upper, lower, rate, by="smt"))


def values(p: Array, q: Array, k: int) -> dict[str, Any]:
    """What greedy drafts are, for `value` and `bound_by_set`."""
    top, rest = outside_top(q, k)
    return {
        **{"p": p, "t": top.astype(int), "r": rest, "h": (top | (p <= rest)).astype(int), "V": len(p)},
        **{"w": normalise(np.maximum(p - rest, 0), otherwise=p)},
        "alpha": optimum(p, draft_sets(greedy_drafts(q, k))).value,
    }


def prove_sure(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    With equality for p = q.
    """
    p, mass = d.law("p")
    r = d.weights("r")
    t = d.weights("t")
    swor = d.number("swor", 0, 1)
    fits = d.assume("p ≤ q̃ outside the top", le((1 - t[x]) * p[x], (1 - t[x]) * r[x]))
    bit = d.domain("the top is a set", eq(t[x] * (1 - t[x]), 0))
    all_ = d.smt("all of p", eq(t[x] * p[x] + sign * (1 - t[x]) * sp.Min(p[x], r[x]), p[x]), fits, bit)
    all_ = d.sum("over the vocabulary", all_, x)
    d.qed(d.derive("so no rule accepts more", ge(value(p, r, t), constant * swor), all_, mass))


PROOFS = (
    Proof(claims.GREEDY_ATTAINS, prove, drop=BOUND, bind=values),
    Refutation(
        claims.GREEDY_OVER_SWOR,
        by_size,
        scope="the first by vocabulary and denominator, with two drafts; of two tokens both are drafted",
        repaired={
            "two tokens": lambda: (i for i in by_size() if len(i["p"]) <= 2),
            "p ≤ q̃ outside the top": claims.GREEDY_OVER_SWOR_CORRECTED,
        },
    ),
    Proof(
        claims.GREEDY_OVER_SWOR_CORRECTED,
        prove_sure,
        drop="p ≤ q̃ outside the top",
        bind=lambda p, q, k: {**values(p, q, k), "swor": swor_best(p, q, k)},
    ),
)
