"""rdk.non-expansive: a row-stochastic matrix does not lengthen a difference in ℓ1."""

from __future__ import annotations

import sympy as sp

from proofs_check.derivation import Derivation
from proofs_check.proof import Proof
from proofs_check.terms import eq, ge, i, j, le, total
from simspec.claims.rdk import NON_EXPANSIVE
from simspec.claims.rdk_parts import NON_NEGATIVE, ROWS_SUM


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    a = sp.IndexedBase("a", real=True)  # a = x − y, any real vector
    M = sp.IndexedBase("M", real=True)
    no_negative = d.assume(NON_NEGATIVE, ge(M[i, j], 0))
    rows = d.assume(ROWS_SUM, eq(total(M[i, j], j), 1))
    up = d.derive("one term, from above", le(M[i, j] * a[i], M[i, j] * sp.Abs(a[i])), no_negative)
    down = d.derive("one term, from below", le(-sign * M[i, j] * a[i], M[i, j] * sp.Abs(a[i])), no_negative)
    up, down = d.sum("over the rows", up, i), d.sum("over the rows", down, i)
    moved = total(M[i, j] * a[i], i)
    entry = d.derive("triangle inequality", le(sp.Abs(moved), total(M[i, j] * sp.Abs(a[i]), i)), up, down)
    both = d.sum("over the columns", entry, j)
    row = d.derive("a row sums to one", eq(sp.Abs(a[i]) * total(M[i, j], j), sp.Abs(a[i])), rows)
    kept = d.sum("over the rows, the sums exchanged", row, i)
    d.qed(d.derive("together", le(total(sp.Abs(moved), j), constant * total(sp.Abs(a[i]), i)), both, kept))


PROOFS = (
    Proof(
        NON_EXPANSIVE,
        prove,
        mutations={
            "drop an assumption": ROWS_SUM,
            "flip a sign": {"sign": -1},
            "change a constant": {"constant": sp.Rational(1, 2)},
        },
        bind=lambda x, y, M: {"a": x - y, "M": M, "V": len(M)},
        sharp="The constant 1 is the least: M = I leaves every difference as it is.",
    ),
)
