"""pad.replacement-law: a replacement has the law of the residual, which is p only where the draft thins p out on its support."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.ears._gain_and_price import residual
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, laws, le, total, x, y
from simspec.claims.claim import Instance
from simspec.claims.pad.replacement_law import REPLACEMENT_LAW, REPLACEMENT_LAW_CORRECTED
from simspec.laws import Array
from simspec.methods import SD


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and flags; the last line holds of two truth values, A = B."""
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    f = d.weights("f")
    residue = residual(d, p[x], q[x])
    over = sp.Max(q[x] - p[x], 0)
    overlap = sp.Min(p[x], q[x])
    accepted = f[x] * overlap + (1 - f[x]) * q[x]
    token = d.derive("rejected: flagged, and more drafted than wanted", eq(accepted, q[x] - sign * f[x] * over))
    rejected = d.derive(
        "rejected in all",
        eq(1 - total(accepted, x), total(f[x] * over, x)),
        d.sum("over the vocabulary", token, x),
        mass_q,
    )
    r = residue[0]
    o = accepted + (1 - total(accepted, x)) * r
    replaced = d.smt("a replacement", eq(o - accepted, constant * total(f[x] * over, x) * r), rejected)
    d.qed(replaced, _one_truth(d, p[x], q[x], (mass_p, mass_q), residue))


def _one_truth(
    d: Derivation, p: sp.Expr, q: sp.Expr, law: tuple[Fact, Fact], residue: tuple[sp.Expr, Fact, Fact]
) -> Fact:
    """1 where the residual is p is 1 where q is a multiple of p on its support, for laws that differ."""
    r, _, residual_shape = residue
    A, B, E = sp.symbols("A B E", real=True)
    T, m, far, off = sp.symbols("T m far off", real=True)
    s = d.weights("s")[x]
    support = d.domain("s marks the support of p", eq(s * s, s), eq(s * p, p), gt(p + 1 - s, 0))
    big = d.define("the mass by which the laws differ", T, total(sp.Max(p - q, 0), x))
    on = d.define("the draft's mass on the support", m, total(s * q, x))
    far_rule = d.define("how far the residual is from p", far, total(sp.Abs(r - p), x))
    two = d.define("how far the draft is from a multiple of p there", off, total(s * sp.Abs(q - m * p), x))
    same = d.domain("E marks equal laws", eq(E * T, 0), gt(E + T, 0))
    is_p = d.domain("A marks a residual p", eq(A * A, A), eq(A * E, 0), eq(A * far, 0), gt(A + far + E, 0))
    thin = d.domain("B marks a thinned draft", eq(B * B, B), eq(B * E, 0), eq(B * off, 0), gt(B + off + E, 0))
    # what both directions use
    some = d.derive("a positive part", ge(sp.Max(p - q, 0), 0))
    some = d.derive("so is their sum", ge(T, 0), d.sum("over the vocabulary", some, x), big)
    inside = d.smt("part of the draft", le(s * q, q), *support, d.derive("q is a law", ge(q, 0)))
    share = d.derive("m is at most 1", le(m, 1), d.sum("over the vocabulary", inside, x), on, law[1])
    split = eq(sp.Max(p - q, 0), p - s * q + s * sp.Max(q - p, 0))
    split = d.smt("outside the support p does not exceed q", split, *support, d.derive("again", ge(q, 0)))
    excess = total(s * sp.Max(q - p, 0), x)
    parts = d.smt("summed", eq(T, 1 - m + excess), d.sum("over the vocabulary", split, x), big, on, law[0])
    scaled = d.smt("the residual", eq(T * r, sp.Max(p - q, 0)), big, residual_shape)
    # a thinned draft has the residual p
    excess_bound = le(s * sp.Max(q - p, 0), s * sp.Abs(q - m * p))
    excess_bound = d.smt(
        "where q exceeds p it exceeds m p", excess_bound, *support, share, d.derive("p is a law", ge(p, 0))
    )
    excess_bound = d.derive("in all", le(T - (1 - m), off), d.sum("over the vocabulary", excess_bound, x), parts, two)
    floor = d.derive("what the draft has beyond there", ge(s * sp.Max(q - p, 0), 0))
    floor = d.derive("so T is at least 1 - m", ge(T, 1 - m), d.sum("over the vocabulary", floor, x), parts)
    near = le(T * sp.Abs(r - p), s * sp.Abs(q - m * p) + (T - (1 - m)) * p)
    near = d.summed(
        "a positive part is no further",
        near,
        *(*support, share, floor, scaled, some, d.derive("p", ge(p, 0)), d.derive("q", ge(q, 0))),
        by="smt",
    )
    close = d.derive("together", le(T * far, 2 * off), near, excess_bound, far_rule, two, law[0])
    # a residual p needs a thinned draft
    differ = d.case("the laws differ", gt(T, 0))
    equal_ = d.case("they do not", le(T, 0))
    there = d.case("the residual is p", le(far, 0))
    apart = d.case("it is not", gt(far, 0))
    size = d.term("one token", d.derive("a distance", ge(sp.Abs(r - p), 0)), x, y)
    size = d.instantiate("the same token", size, {y: x})
    token = d.smt("r is p at every token", eq(r, p), size, there, far_rule)
    none = eq(s * sp.Max(q - p, 0), 0)
    none = d.smt("q nowhere exceeds p on the support", none, token, scaled, differ, *support)
    exact = d.derive("so T is 1 - m", eq(T, 1 - m), d.sum("over the vocabulary", none, x), parts)
    multiple = eq(s * sp.Abs(q - m * p), 0)
    multiple = d.smt("and q is m p there", multiple, token, scaled, exact, none, *support)
    nothing = d.derive("the draft is a multiple of p", eq(off, 0), d.sum("over the vocabulary", multiple, x), two)
    goal = eq(A, B)
    premises = [nothing, there, differ, *same, *is_p, *thin, _positive(d, far_rule)]
    yes = d.smt("both hold", goal, *premises)
    premises = [close, apart, differ, *same, *is_p, *thin]
    no = d.smt("neither holds", goal, *premises)
    unequal = d.cases("the residual is p or not", yes, no)
    alike = d.smt("neither is said of equal laws", goal, some, equal_, *same, *is_p, *thin)
    return d.cases("the laws differ or not", unequal, alike)


def _positive(d: Derivation, meaning: Fact) -> Fact:
    """A sum of absolute values is not negative."""
    symbol = meaning.relation.lhs
    size = meaning.relation.rhs
    return d.derive("a sum of distances", ge(symbol, 0), meaning, d.derive("distances", ge(size, 0)))


def _values(p: Array, q: Array, flags: Array) -> dict[str, Any]:
    r = SD.residual(p, q)
    alike = bool((p == q).all())
    on = p > 0
    multiple = bool((q == p * q[on].sum())[on].all())
    return {
        **{"p": p, "q": q, "r": r, "V": len(p), "f": [int(v) for v in flags], "s": [int(v) for v in on]},
        **{"E": int(alike), "A": int(not alike and (r == p).all()), "B": int(not alike and multiple)},
    }


def small_steps() -> Iterator[Instance]:
    """Laws of up to two tokens in multiples of 1/2, every token flagged."""
    for vocab in (1, 2):
        for p in laws(vocab, 2):
            for q in laws(vocab, 2):
                yield {"p": p, "q": q, "flags": np.ones(vocab, dtype=bool)}


PROOFS = (
    Refutation(
        REPLACEMENT_LAW,
        small_steps,
        scope="the first among one and two tokens with masses 0, 1/2, 1; one token leaves nothing to replace",
        repaired={
            "the law of the residual": REPLACEMENT_LAW_CORRECTED,
            "the draft is a multiple of p on its support": lambda: (
                s for s in small_steps() if _values(**s)["B"] or _values(**s)["E"]
            ),
        },
    ),
    Proof(REPLACEMENT_LAW_CORRECTED, prove, drop="s marks the support of p", bind=_values),
)
