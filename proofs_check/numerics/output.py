"""numerics.output: what is emitted has the law that the test and the residual use, and with it that law's distance."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.folk._one_step import NORMED, residual, step
from proofs_check.language import Derivation, Proof, eq, total, x
from simspec.claims.numerics.steps import OUTPUT
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws."""
    st = step(d, sign=sign, constant=constant)
    meant = d.weights("t")
    moved = eq(sp.Abs(st.emitted - meant[x]), sp.Abs(st.p[x] - meant[x]))
    moved = d.sum("over the vocabulary", d.derive("its distance", moved, st.lossless), x)
    half = sp.S.Half
    distance = half * total(sp.Abs(st.emitted - meant[x]), x)
    goal = eq(distance, half * total(sp.Abs(st.p[x] - meant[x]), x))
    d.qed(st.lossless, d.derive("half of it", goal, moved, by="smt"))


def _values(p: Array, p_hat: Array, q: Array) -> dict[str, Any]:
    return {**residual(p_hat, q), "t": p}


PROOF = Proof(OUTPUT, prove, drop=NORMED, bind=_values)
