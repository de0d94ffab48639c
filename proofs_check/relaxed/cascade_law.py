"""relaxed.cascade-law: speculative decoding against any law emits it."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, total, x
from proofs_check.relaxed._rules import AIMED, aimed
from simspec.claims.relaxed.cascade_law import CASCADE_LAW, aim
from simspec.methods import SD


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, and every law in the place of π."""
    q, mass_q = d.law("q")
    aimed_law, mass = d.law("pi_")
    _, lossless, shared = aimed(d, aimed_law[x], q, (mass, mass_q), constant)
    refused = 1 - total(sp.Min(aimed_law[x], q[x]), x)
    apart = total(sp.Abs(aimed_law[x] - sign * q[x]), x) / 2
    d.qed(lossless, d.derive("what is refused", eq(refused, apart), shared))


def bind(p: Any, q: Any, alpha: Any, kind: int) -> dict[str, Any]:
    aimed_law = aim(p, q, alpha, kind)
    return {"q": q, "pi_": aimed_law, "r": SD.residual(aimed_law, q), "V": len(q)}


PROOF = Proof(CASCADE_LAW, prove, drop=AIMED, bind=bind)
