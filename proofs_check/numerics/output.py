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
    target = d.weights("t")
    same = eq(sp.Abs(st.emitted - target[x]), sp.Abs(st.p[x] - target[x]))
    same = d.sum("over the vocabulary", d.derive("its distance", same, st.lossless), x)
    half = sp.S.Half
    distance = half * total(sp.Abs(st.emitted - target[x]), x)
    goal = eq(distance, half * total(sp.Abs(st.p[x] - target[x]), x))
    d.qed(st.lossless, d.derive("half of it", goal, same, by="smt"))


def _values(p: Array, p_hat: Array, q: Array) -> dict[str, Any]:
    return {**residual(p_hat, q), "t": p}


PROOF = Proof(OUTPUT, prove, drop=NORMED, bind=_values)
