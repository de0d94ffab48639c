"""relaxed.optimal-residual: what is kept beyond p stays; norm((p − k)₊) brings no other token above p."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._any_rule import above_itself, any_rule, holds
from proofs_check.ears._relaxed_step import SHAPE, Step, distance, emitted, exact_bias, filling, two_laws
from proofs_check.language import Derivation, Fact, Proof, eq, ge, total, x
from simspec.claims.relaxed.optimal_residual import OPTIMAL_RESIDUAL
from simspec.claims.relaxed.optimal_residual import filling as best

__all__ = ["least"]


def least(d: Derivation, s: Step, k: Any, below: Fact, name: str = "", sign: int = 1) -> tuple[Any, Fact]:
    """TV(o, p) = Σ (k − p)₊ for the residual norm((p − k)₊): the emitted law, and that."""
    filler = filling(d, f"r{name}", sp.Max(s.p[x] - k[x], 0))
    out = emitted(d, s, k, filler.r, below, name)
    return out.o, exact_bias(d, s, k, out, filler, name, sign=sign)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every kept mass and residual."""
    s = two_laws(d)
    k, below = any_rule(d, s)
    o, exact = least(d, s, k, below, "_b", sign)
    t, mass_t = d.law("t")
    out = emitted(d, s, k, t, below)
    emits_accepted = holds(d, k, t, out)
    over = above_itself(d, s, out, mass_t)
    excess = sp.Max(k[x] - s.p[x], 0)
    per_token = d.summed("what is kept is emitted", ge(sp.Max(out.o[x] - s.p[x], 0), excess), emits_accepted, by="smt")
    far = d.derive(
        "so no residual helps", ge(distance(out.o, s.p), constant * total(excess, x)), over, per_token, by="smt"
    )
    near = distance(o, s.p)
    same = total(excess, x)
    d.qed(far, d.derive("attained", eq(near, same), exact), d.derive("that is", eq(-near, -same), exact))


def bind(p: Any, q: Any, k: Any, r: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "k": k, "t": r, "r_b": best(p, k), "V": len(p)}


PROOF = Proof(OPTIMAL_RESIDUAL, prove, drop=SHAPE, bind=bind)
