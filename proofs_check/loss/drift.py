"""loss.drift: token by token the smaller of two masses moves by no more than one of them, and in one direction at a time."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, ge, le, total, x
from simspec.claims.loss.drift import DRIFT
from simspec.claims.relaxed.parts import divergence
from simspec.laws import Array

PINSKER = "Pinsker's inequality (see stop.entropy-bound-corrected)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every draft.

    The first is attained by q = p; in the second ½ is the largest constant, for small steps.
    """
    p, mass_p = d.law("p")
    after, mass_after = d.law("after")
    q = d.weights("q")
    far = d.number("K", 0)
    change = sp.Min(after[x], q[x]) - sp.Min(p[x], q[x])
    distance = sp.Abs(p[x] - after[x])
    up = le(2 * change, distance + after[x] - p[x])
    up = d.sum("over the vocabulary", d.smt("no more than the target rises", up), x)
    down = le(-2 * change, distance + p[x] - sign * after[x])
    down = d.sum("over the vocabulary", d.smt("nor falls", down), x)
    tv = total(distance, x) / 2
    pinsker = d.domain(PINSKER, ge(far, 2 * tv**2))
    gain = total(sp.Min(after[x], q[x]), x) - total(sp.Min(p[x], q[x]), x)
    ends = [d.smt(text, le(e, tv), f, mass_p, mass_after) for text, e, f in (("up", gain, up), ("down", -gain, down))]
    bound = d.smt("at most the variation", le(constant * sp.Abs(gain), tv), *ends)
    squares = d.smt("its square", le(gain**2, tv**2), *ends)
    d.qed(bound, d.smt("at most the divergence", le(2 * sp.Abs(gain) * sp.Abs(gain), far), squares, pinsker))


def _values(p: Array, after: Array, q: Array) -> dict[str, Any]:
    return {"p": p, "after": after, "q": q, "K": divergence(p, after), "V": len(p)}


PROOF = Proof(DRIFT, prove, drop=PINSKER, bind=_values)
