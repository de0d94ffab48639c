"""csqs.beyond-one: beyond every mass keep-top leaves the most likely token, and that point is 1 − max q away from q."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, gt, laws, le, total, x, y
from simspec.claims.claim import Instance
from simspec.claims.csqs.beyond_one import BEYOND_ONE, BEYOND_ONE_CORRECTED
from simspec.laws import Array
from simspec.methods.sqs.quantised import threshold_mask

TOP = "the most likely token"
LITERAL = "what reaches the threshold"
KEEP_TOP = "what reaches it, or else the most likely token"


def prove(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """Every vocabulary size, law and threshold above its largest mass; both readings of an empty set."""
    q, mass = d.law("q")
    t, keep, kept_top = (sp.IndexedBase(name, real=True) for name in ("t", "keep", "keep_top"))
    beta = d.number("beta")
    empty = sp.Symbol("empty", real=True)
    above = d.assume("β exceeds max q", gt(beta, q[x]))
    bit, top_is_one, top_is_largest = d.domain(
        TOP, eq(t[x] * (1 - t[x]), 0), eq(total(t[x], x), 1), ge(t[x] * (q[x] - q[y]), 0)
    )
    is_bit, reach = d.domain(LITERAL, eq(keep[x] * (1 - keep[x]), 0), ge(keep[x] * (q[x] - beta), 0))
    flag, some, mask = d.domain(
        KEEP_TOP,
        eq(empty * (1 - empty), 0),
        ge(total(keep[x], x) + empty, 1),
        eq(kept_top[x], (1 - empty) * keep[x] + empty * t[x]),
    )
    nothing = d.derive("no token reaches β", eq(keep[x], 0), is_bit, reach, above)
    count = d.sum("none is kept", nothing, x)
    lost = d.summed("all of its mass is dropped", eq((1 - keep[x]) * q[x], q[x]), nothing)

    blank = d.derive("the set is empty", eq(empty, 1), some, flag, count)
    top = d.derive("keep-top keeps the most likely", eq(kept_top[x], t[x]), mask, blank)
    Q = total(t[x] * q[x], x)
    top_against_other = d.summed(
        "the most likely against another", ge(t[x] * q[x], t[x] * q[y]), top_is_largest, then="of all tokens"
    )
    positive = d.summed("none has more", ge(Q, q[y]), top_against_other, top_is_one, over=y)
    positive = d.derive("so it has some mass", gt(Q, 0), positive, mass)
    retained_mass = d.summed("what it keeps", eq(kept_top[x] * q[x], t[x] * q[x]), top)
    accepted_mass = sp.Symbol("accepted_mass", real=True)
    named = d.define("the kept mass", accepted_mass, total(kept_top[x] * q[x], x))
    same = d.derive("is that of the most likely", eq(accepted_mass, Q), retained_mass, named)
    filled = d.derive("so it is not zero", gt(accepted_mass, 0), same, positive)
    sparse = sp.IndexedBase("sparse", real=True)
    rest = d.define("the sparsified law", sparse[x], kept_top[x] * q[x] / accepted_mass, filled)
    scaled = d.derive("times the kept mass", eq(accepted_mass * sparse[x], t[x] * q[x]), rest, top, filled)
    small = d.summed("of each token", le(t[x] * q[x], q[x]), bit, then="part of the mass")
    small = d.derive("that is at most 1", le(accepted_mass, 1), small, same, mass)
    apart = d.summed(
        "the most likely gains, the others lose all",
        eq(sp.Abs(q[x] - sparse[x]), q[x] - 2 * t[x] * q[x] + sign * sparse[x]),
        *(scaled, bit, small, filled),
    )
    law = d.derive("q̃ has mass one", eq(total(sparse[x], x), 1), d.sum("over the vocabulary", scaled, x), same, filled)
    tv = half * total(sp.Abs(q[x] - sparse[x]), x)
    d.qed(
        d.derive("keep-top: the distance", eq(tv, 1 - Q), apart, law, mass),
        d.derive("literal: the dropped mass", eq(total((1 - keep[x]) * q[x], x), 1), lost, mass),
        count,
    )


def bind(q: Array, threshold: Fraction) -> dict[str, Any]:
    literal, top = (threshold_mask(q, threshold, keep_top) for keep_top in (False, True))
    return {
        "q": q,
        "beta": threshold,
        "keep": literal,
        "keep_top": top,
        "t": threshold_mask(q, q.max() + 1),
        "empty": 1,
        "V": len(q),
    }


def points() -> Iterator[Instance]:
    """Laws of V = 1, 2, 3 with masses in halves, and a threshold of 2."""
    for vocab in (1, 2, 3):
        yield from ({"q": q, "threshold": F(2)} for q in laws(vocab, 2))


PROOFS = (
    Refutation(
        BEYOND_ONE,
        points,
        scope="the first law in order of vocabulary, masses in halves: V = 1, the distance is 0",
        repaired={"the distance is 1 − max q, and 1 is dropped only if nothing is kept": BEYOND_ONE_CORRECTED},
    ),
    Proof(BEYOND_ONE_CORRECTED, prove, drop=TOP, change={"half": sp.Rational(1, 3)}, bind=bind),
)
