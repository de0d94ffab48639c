"""numerics.greedy: of a difference of two logits each end moves by at most ε."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, ge, le, x
from simspec.claims.numerics.tokens import GREEDY, NEAR, top
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all logits, every ε.

    Attained wherever the first logit falls by ε and another grows by it.
    """
    z, s = (sp.IndexedBase(name, real=True) for name in ("z", "s"))
    first = d.number("z_a")
    shift = d.number("s_a")
    epsilon = d.number("epsilon")
    above, below, first_below = d.assume(NEAR, le(s[x], epsilon), ge(s[x], -epsilon), ge(shift, -epsilon))
    goal = ge(first + shift - z[x] - s[x], first - z[x] - sign * constant * 2 * epsilon)
    d.qed(d.smt("two shifts", goal, above, below, first_below))


def _values(z: Array, shift: Array, epsilon: Any) -> dict[str, Any]:
    return {"z": z, "s": shift, "z_a": z[top(z)], "s_a": shift[top(z)], "epsilon": epsilon, "V": len(z)}


PROOF = Proof(GREEDY, prove, drop=NEAR, bind=_values, change={"constant": 0})
