"""ears.best-tradeoff: what is kept is emitted, so a rule accepts at most what its output shares with the draft: α + TV(o, p)."""

from __future__ import annotations

import sympy as sp

from proofs_check.ears._any_rule import PART, above_itself, any_rule, holds
from proofs_check.ears._relaxed_step import Filler, distance, emitted, exact_bias, keeps_target, residual, two_laws
from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from simspec.claims.ears.best_tradeoff import AT_LEAST_SD, ATTAINED, BEST
from simspec.methods import SD


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    The constant 1 of TV is the least, for every p ≠ q: each rule of ears.best-tradeoff.attained is an equality, at
    every acceptance between α_SD and 1.
    """
    s = two_laws(d)
    p = s.p
    q = s.q
    k, below = any_rule(d, s)
    r, mass_r = d.law("r")
    out = emitted(d, s, k, r, below)
    within_output = holds(d, k, r, out)
    over = above_itself(d, s, out, mass_r)
    within_overlap = d.smt(
        "a kept token is drafted and emitted", le(k[x], sp.Min(out.o[x], q[x])), *(within_output, below)
    )
    near = d.derive(
        "the output shares with the draft what p does, and its excess over p at most",
        le(sp.Min(out.o[x], q[x]), sp.Min(p[x], q[x]) + sign * sp.Max(out.o[x] - p[x], 0)),
    )
    within_overlap = d.sum("over the vocabulary", within_overlap, x)
    near = d.sum("over the vocabulary", near, x)
    bound = total(sp.Min(p[x], q[x]), x) + constant * distance(out.o, p)
    d.qed(d.smt("together", le(total(k[x], x), bound), within_overlap, near, over))


def prove_attained(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    s = two_laws(d)
    p = s.p
    q = s.q
    k, below = any_rule(d, s)
    above_overlap = d.assume(AT_LEAST_SD, ge(k[x], sp.Min(p[x], q[x])))
    filler: Filler = keeps_target(d, s, k, below, above_overlap, residual(d, s))
    out = emitted(d, s, k, filler.r, below)
    exact = exact_bias(d, s, k, out, filler, sign=sign)
    gain = d.summed(
        "what is kept beyond p is what speculative decoding does not keep",
        eq(sp.Max(k[x] - p[x], 0), k[x] - sp.Min(p[x], q[x])),
        *(below, above_overlap),
        by="smt",
    )
    rates = total(k[x], x) - constant * total(sp.Min(p[x], q[x]), x)
    d.qed(d.derive("the distance is the acceptance gained", eq(distance(out.o, p), rates), exact, gain))


PROOFS = (
    Proof(
        BEST,
        prove,
        drop=PART,
        change={"constant": sp.Rational(9, 10)},
        bind=lambda p, q, k, r: {"p": p, "q": q, "k": k, "r": r, "V": len(p)},
    ),
    Proof(
        ATTAINED,
        prove_attained,
        drop=PART,
        change={"constant": sp.Rational(9, 10)},
        bind=lambda p, q, k: {"p": p, "q": q, "k": k, "r": SD.residual(p, q), "V": len(p)},
    ),
)
