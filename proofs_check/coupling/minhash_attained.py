"""coupling.minhash-attained: the shared token wins both races with (1 − t)² over (1 − t)² + 2 t (1 − t)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.coupling._race import WINS, values
from proofs_check.language import Derivation, Proof, eq, gt
from simspec.claims.coupling.minhash_attained import MINHASH_ATTAINED, one_shared


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every distance from 0 to 1, the laws of three tokens that share one."""
    t = d.number("t", 0, 1)
    p = (1 - t, t, sp.S.Zero)
    q = (1 - t, sp.S.Zero, t)
    apart = d.derive("their distance", eq(sum(sp.Abs(a - b) for a, b in zip(p, q, strict=True)) / 2, t))
    m = sp.Symbol("m", real=True)
    over = sp.Symbol("over", real=True)
    sum_of_larger = sum(sp.Max(a * q[0], b * p[0]) for a, b in zip(p, q, strict=True))
    won, some, short = d.domain(
        WINS, eq(m * over, constant * p[0] * q[0]), gt(over, 0), eq(p[0] * (over - sum_of_larger), 0)
    )
    sums = d.smt("the larger products", eq(sum_of_larger, (1 - t) * (1 + sign * t)))
    wins = d.smt("the shared token wins both", eq(m * (1 + t), 1 - t), won, some, short, sums)
    d.qed(apart, d.smt("and no other token does", eq(m, (1 - t) / (1 + t)), wins))


def _bind(distance: Any) -> dict[str, Any]:
    bindings = values(*one_shared(distance))
    return {"t": distance, "m": bindings["wins"][0], "over": bindings["over_wins"][0]}


PROOF = Proof(MINHASH_ATTAINED, prove, drop=WINS, bind=_bind)
