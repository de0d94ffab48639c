"""rdk.mass-preserved: exchange the two sums: what a row of M hands out is what it had."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, i, j, total, x
from proofs_check.rdk._shared_vocabulary import nothing, shared, tli
from simspec.claims.rdk.mass_preserved import MASS_PRESERVED
from simspec.claims.rdk.parts import NON_NEGATIVE, ROWS_SUM


def prove(d: Derivation, sign: int = 1, share: sp.Expr | int = 1) -> None:
    """Every vocabulary size, draft (any masses: TLI makes a law of them), shared vocabulary and row-stochastic matrix."""
    q = d.weights("q")
    t = tli(d, shared(d), q, share=share)
    M = sp.IndexedBase("M", real=True)
    no_negative = d.assume(NON_NEGATIVE, ge(M[i, j], 0))
    rows = d.assume(ROWS_SUM, eq(total(M[i, j], j), 1))
    some = d.instantiate("of the token that mass leaves", t.not_negative, {x: i})
    row = d.derive("a row hands out what it has", eq(t.law[i] * total(M[i, j], j), sign * t.law[i]), rows)
    mass = d.derive("all rows together", eq(total(M[i, j] * t.law[i], i, j), 1), d.sum("over the rows", row, i), t.mass)
    entry = d.summed("no part is negative", ge(M[i, j] * t.law[i], 0), no_negative, some, over=i, then="so no entry is")
    below = d.derive("nothing lies below zero", eq(sp.Min(total(M[i, j] * t.law[i], i), 0), 0), entry)
    d.qed(mass, d.sum("over the columns", below, j))


PROOF = Proof(
    MASS_PRESERVED,
    prove,
    drop="at least one token is shared",
    change={"share": sp.S.Half},
    bind=lambda q, shared, M: {"q": q, "I": shared, "M": M, "none_t": nothing(q, shared), "V": len(q)},
)
