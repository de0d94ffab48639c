"""csqs.best-fixed-threshold: a threshold that meets the target acts like a candidate up to β*, where the sets are smaller."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.csqs._fixed_sets import REACHED, N, bind, c, in_all, laws, none_of, sets
from proofs_check.language import Derivation, Proof, eq, ge, gt, le, total, x, y
from simspec.claims.csqs.best_fixed_threshold import BEST_FIXED
from simspec.laws import Array
from simspec.methods.csqs.threshold_rules import BEYOND, best_fixed_threshold
from simspec.methods.csqs.thresholds import ranked

(MEETS,) = BEST_FIXED.assumes
NEXT = "the least candidate that is no less than β, or 2"
LARGEST = "no candidate beyond β* meets the target"


def prove(d: Derivation, sign: int = 1, beyond: int = BEYOND) -> None:
    """Every text, target and threshold that meets it; both readings. β* is the candidate that `best_fixed_threshold`
    returns: that it meets the target and no larger one does is its definition, evaluated on instances..

    Equality at β*.
    """
    w = laws(d, c)
    alpha = d.number("alpha", 0, 1)
    top = d.number("keep_top", 0, 1)
    either = d.domain("the reading", eq(top * (1 - top), 0))
    best = d.number("best")
    beta = d.number("beta")
    v = d.number("v")
    z = sp.Symbol("z", real=True)  # whether v ≤ β*
    B, A, C = (sets(d, w, c, b, name, top) for b, name in ((best, "at_best"), (beta, "other"), (v, "at_next")))
    q = w.q[c, x]
    b = B.keep[c, x]
    o = A.keep[c, x]
    k = C.keep[c, x]

    meets_target = d.domain("β* meets the target", le(in_all((1 - B.mask) * q), alpha * N))
    meets = d.assume(MEETS, le(in_all((1 - A.mask) * q), alpha * N))
    next_lower, reached = d.domain(NEXT, ge(v, sp.Min(beta, beyond)), ge(o * (q - v), 0))
    bit, up_to, worse = d.domain(
        LARGEST, eq(z * (1 - z), 0), ge(z * (best - v), 0), gt((1 - z) * (in_all((1 - C.mask) * q) - alpha * N) + z, 0)
    )
    single_mass = d.term("one mass", w.positive, x, y)
    single_mass = d.instantiate(
        "of this token", d.derive("is at most 1", le(w.q[c, y], 1), single_mass, w.mass), {y: x}
    )
    same = d.derive(
        "no probability lies between β and the next candidate",
        eq(k, o),
        *(C.bit, C.reach, C.below, A.bit, A.reach, A.below, next_lower, reached, single_mass),
    )
    count = d.sum("as many reach it", same, x)
    e_b = B.empty[c]
    e_o = A.empty[c]
    e_k = C.empty[c]
    also = d.derive("or it is reached by none", eq(e_k, e_o), count, *C.nothing, *A.nothing)
    lost = d.derive("so as much is dropped", eq((1 - C.mask) * q, (1 - A.mask) * q), same, also)
    lost = d.sum("over the text", d.sum("over the vocabulary", lost, x), c, upto=N)
    low = d.derive("so the candidate meets the target, and is β* or less", le(v, best), lost, meets, bit, up_to, worse)

    premises = [same, low, B.bit, B.reach, C.bit, C.below]
    inside = d.derive("X(β*) ⊆ X(β)", le(b, o), *premises)
    fewer = d.sum("over the vocabulary", inside, x)
    K_b = total(b, x)
    K_o = total(o, x)
    tokens = d.derive("no more tokens", le(K_b + e_b, sign * (K_o + e_o)), *(fewer, either, *B.nothing, *A.nothing))
    tokens = d.derive("with the most likely", le(total(B.mask, x), sign * total(A.mask, x)), tokens, w.one)
    t = w.t[c, x]
    none = d.derive("where β is reached by none, β* is not either", le(e_o, e_b), fewer, either, *B.nothing, *A.nothing)
    others = [d.instantiate("of another token", f, {x: y}) for f in (A.bit, A.reach)]
    alone = d.derive(
        "where the most likely token does not reach β no other does",
        eq(t * (1 - o) * A.keep[c, y], 0),
        *(A.bit, A.below, *others, w.bit, w.most),
    )
    alone = d.sum("over the other tokens", alone, y)
    alone = d.derive(
        "so it does where any does, in the keep-top reading", eq(top * (1 - e_o) * t * (1 - o), 0), alone, *A.nothing
    )
    gain = q * (A.mask - B.mask)
    some = d.derive(
        "where β* is reached", ge((1 - e_b) * gain, 0), inside, none, w.positive, B.nothing[0], A.nothing[0]
    )
    empty = d.derive("no token is in an empty set", eq(e_b * b, 0), *none_of(d, B, c))
    only = d.derive(
        "or else the most likely one is kept by both",
        ge(e_b * gain, 0),
        *(empty, alone, A.bit, w.bit, w.positive, B.nothing[0], B.nothing[2], A.nothing[0]),
    )
    per_token = d.derive("in both cases β drops no more", le((1 - A.mask) * q, (1 - B.mask) * q), some, only)
    d.qed(meets_target, tokens, d.sum("over the vocabulary", per_token, x))


def values(q: Array, threshold: Fraction, dropped_target: Fraction, keep_top: bool) -> dict[str, Any]:
    """Values of the symbols at three thresholds: the best, the given one, and the least mass not below the given one."""
    best = best_fixed_threshold(ranked(q), dropped_target, keep_top).threshold
    v = min([m for m in q.ravel().tolist() if m >= threshold], default=BEYOND)
    return {
        **bind(q, best, "at_best", keep_top),
        **bind(q, threshold, "other", keep_top),
        **bind(q, v, "at_next", keep_top),
        **{
            "best": best,
            "beta": threshold,
            "v": v,
            "z": int(v <= best),
            "alpha": dropped_target,
            "keep_top": int(keep_top),
        },
    }


PROOF = Proof(BEST_FIXED, prove, drop=REACHED, change={"beyond": sp.S.Half}, bind=values)
