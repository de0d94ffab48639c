"""csqs.direction: a token that reaches the larger threshold reaches the smaller one too; keep-top adds the most likely."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x, y
from simspec.claims.csqs.direction import DIRECTION
from simspec.laws import Array
from simspec.methods.sqs.quantised import threshold_mask

KEPT = "what reaches a threshold"
EMPTY = "whether nothing reaches a threshold"


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, law and pair of thresholds; both readings of an empty set.

    Equality at equal thresholds.
    """
    q = d.weights("q")
    t = sp.IndexedBase("t", real=True)
    low = d.number("low")
    high = d.number("high")
    order = d.assume("β' is at least β", ge(high, low))
    bit, top_is_one, top_is_largest = d.domain(
        "the most likely token", eq(t[x] * (1 - t[x]), 0), eq(total(t[x], x), 1), ge(t[x] * (q[x] - q[y]), 0)
    )
    a, is_a, a_empty, of_a = _reached(d, q, low, "a")
    b, is_b, b_empty, of_b = _reached(d, q, high, "b")

    inside = d.derive("X(β') ⊆ X(β)", le(b[x], a[x]), *is_a, *is_b, order)
    fewer = d.sum("over the vocabulary", inside, x)
    drops_no_less = d.summed("and each drops no less", le((1 - a[x]) * q[x], (1 - b[x]) * q[x]), inside)

    # keep-top: an empty X becomes the most likely token
    other_token = [d.instantiate("of another token", f, {x: y}) for f in is_a]
    top = d.derive(
        "where the most likely token does not reach β no other does",
        eq(t[x] * (1 - a[x]) * a[y], 0),
        *(*is_a, *other_token, bit, top_is_largest),
    )
    top = d.sum("over the other tokens", top, y)
    top = d.derive("so it does where any token does", eq((1 - a_empty) * t[x] * (1 - a[x]), 0), top, *of_a)
    A, B = (lambda at: (1 - a_empty) * a[at] + a_empty * t[at]), (lambda at: (1 - b_empty) * b[at] + b_empty * t[at])
    count = d.derive(
        "keep-top: no more tokens", le(total(B(x), x), constant * total(A(x), x)), *(fewer, top_is_one, *of_a, *of_b)
    )
    empties = d.derive("where β is reached by none, β' is not either", le(a_empty, sign * b_empty), fewer, *of_a, *of_b)
    mass = d.derive(
        "keep-top: no less of any token, where β' is reached by some",
        ge((1 - b_empty) * q[x] * (A(x) - B(x)), 0),
        *(inside, empties, *of_a, *of_b),
    )
    alone = d.derive(
        "or else the most likely one is kept by both",
        ge(b_empty * q[x] * (A(x) - B(x)), 0),
        *(*is_a, bit, top, *of_a, *of_b),
    )
    per_token = d.derive("in both cases", le((1 - A(x)) * q[x], (1 - B(x)) * q[x]), mass, alone)
    d.qed(
        d.derive("literal: no more tokens", le(total(b[x], x), constant * total(a[x], x)), fewer),
        drops_no_less,
        count,
        d.sum("over the vocabulary", per_token, x),
    )


def _reached(d: Derivation, q: sp.IndexedBase, beta: sp.Symbol, name: str) -> tuple[Any, list[Fact], Any, list[Fact]]:
    """1 where a token reaches β, and 1 where none does."""
    a = sp.IndexedBase(name, real=True)
    empty = sp.Symbol(f"{name}_empty", real=True)
    reached = d.domain(
        KEPT, eq(a[x] * (1 - a[x]), 0), ge(a[x] * (q[x] - beta), 0), gt((1 - a[x]) * (beta - q[x]) + a[x], 0)
    )
    none = d.domain(EMPTY, eq(empty * (1 - empty), 0), eq(empty * total(a[x], x), 0), ge(total(a[x], x) + empty, 1))
    return a, reached, empty, none


def bind(q: Array, low: Fraction, high: Fraction) -> dict[str, Any]:
    a, b = (threshold_mask(q, beta, keep_top=False) for beta in (low, high))
    t = threshold_mask(q, q.max() + 1, keep_top=True)
    empty = {"a_empty": int(not a.any()), "b_empty": int(not b.any())}
    return {"q": q, "low": low, "high": high, "a": a, "b": b, "t": t, "V": len(q), **empty}


PROOF = Proof(DIRECTION, prove, drop=EMPTY, change={"constant": sp.S.Half}, bind=bind)
