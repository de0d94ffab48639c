"""folk.residual-zero: what p is beyond q is what q is beyond p and the difference of the sums, which laws do not have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, total, x
from simspec.claims.claim import Instance
from simspec.claims.folk.residual_zero import FLOAT32, FLOAT32_CORRECTED, REAL, float32_row


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size and all laws."""
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    over = sp.Max(p[x] - q[x], 0)
    under = sp.Max(q[x] - sign * p[x], 0)
    excess_balance = d.summed("beyond and below", eq(over, under + p[x] - q[x]))
    d.qed(d.derive("both have mass one", eq(constant * total(over, x), total(under, x)), excess_balance, mass, mass_q))


def prove_rows(d: Derivation, sign: int = 1, constant: int = 1, share: int = 1) -> None:
    """Every vocabulary size and all rows of non-negative numbers."""
    p = d.weights("p")
    q = d.weights("q")
    over = sp.Max(p[x] - q[x], 0)
    under = sp.Max(q[x] - sign * p[x], 0)
    d.qed(d.summed("beyond and below", eq(constant * over, under + p[x] - share * q[x])))


def by_size() -> Iterator[Instance]:
    """Pairs of rows over two tokens whose weights differ in the last place."""
    weights = list(product((2**24, 2**24 - 1), repeat=2))
    yield from ({"p": float32_row([*p]), "q": float32_row([*q])} for p in weights for q in weights)


PROOFS = (
    Proof(REAL, prove, drop="q sums to one", bind=lambda p, q: {"p": p, "q": q, "V": len(p)}),
    Refutation(
        FLOAT32,
        by_size,
        scope="the first pair of rows over two tokens with weights 1 and 1 − 2⁻²⁴, divided by their sum in float32",
        repaired={
            "p sums to at least as much as q": lambda: (i for i in by_size() if i["p"].sum() >= i["q"].sum()),
            "but for the sums of the rows": FLOAT32_CORRECTED,
        },
    ),
    Proof(FLOAT32_CORRECTED, prove_rows, drop={"share": 0}, bind=lambda p, q: {"p": p, "q": q, "V": len(p)}),
)
