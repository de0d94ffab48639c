"""metrics.one-draft: a kept draft brings a bonus token, a rejected one is replaced by one."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, total, x, y
from simspec.claims.folk.parts import rest_of_p
from simspec.claims.metrics.one_draft import ONE_DRAFT


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size and all laws; every way in which a block of one draft can end."""
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    r, mass_r = d.law("r")
    overlap = sp.Min(p[x], q[x])
    two = total(total(2 * overlap * p[y], x), y)
    single_token = total(total((q[x] - sign * overlap) * r[y], x), y)
    tokens = eq(two + constant * single_token, 1 + total(overlap, x))
    d.qed(d.derive("two tokens, or one", tokens, mass, mass_q, mass_r))


def _values(p: Any, q: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "r": rest_of_p(p, q), "V": len(p)}


PROOF = Proof(ONE_DRAFT, prove, drop="q sums to one", bind=_values)
