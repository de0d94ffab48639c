"""relaxed.tradeoff: 1 − Σ k + Σ (k − p)₊ is 1 − Σ min(k, p)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._any_rule import any_rule
from proofs_check.ears._relaxed_step import distance, two_laws
from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from proofs_check.relaxed.optimal_residual import least
from simspec.claims.relaxed.optimal_residual import filling
from simspec.claims.relaxed.tradeoff import TRADEOFF

RANGE = "l is a part of the draft, and at least min(p, q)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every kept mass."""
    s = two_laws(d)
    p, q = s.p[x], s.q[x]
    k, below = any_rule(d, s)
    kept = d.weights("l")
    part, enough = d.domain(RANGE, le(kept[x], q), ge(kept[x], sp.Min(p, q)))
    room = d.derive("a token is rejected in the other cases, none or some", ge(q - kept[x], 0), part)
    o, exact = least(d, s, k, below, "_b", sign)
    u, same = least(d, s, kept, room, "_l", sign)
    apart = d.summed("two masses", eq(sp.Abs(p - q), p + q - 2 * sp.Min(p, q)))
    less = d.summed("kept and shared", le(k[x] - sp.Max(k[x] - p, 0), sp.Min(p, q)), below, by="smt")
    just = d.summed("kept and shared", eq(kept[x] - sp.Max(kept[x] - p, 0), sp.Min(p, q)), part, enough, by="smt")
    far = distance(s.p, s.q)
    masses = s.mass_p, s.mass_q
    paid, own = 1 - constant * total(k[x], x) + distance(o, s.p), 1 - total(kept[x], x) + distance(u, s.p)
    first = d.smt("no rule pays less", ge(paid, far), exact, less, apart, *masses)
    second = d.smt("between min(p, q) and q all pay that", eq(own, far), same, just, apart, *masses)
    d.qed(first, second, d.derive("that is", eq(-own, -far), second))


def bind(p: Any, q: Any, k: Any, kept: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "k": k, "l": kept, "r_b": filling(p, k), "r_l": filling(p, kept), "V": len(p)}


PROOF = Proof(TRADEOFF, prove, drop=RANGE, bind=bind)
