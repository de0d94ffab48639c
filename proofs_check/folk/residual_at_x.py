"""folk.residual-at-x: of a certain draft (p − q)₊ is p without it; of others it lacks what they draft elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, le, total, x, y
from simspec.claims.authoring import exact
from simspec.claims.folk.residual_at_x import POINT, RESIDUAL_AT_X, RESIDUAL_AT_X_CORRECTED
from simspec.laws.unchecked import normalise

SELF = "e marks the token itself"
NORMED = "after x the residual is p less q(x) at x, over its sum"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every target law and every token drafted for certain."""
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    point = d.assume(POINT, eq(q[x] * (1 - q[x]), 0))
    e = d.weights("e", x, y)
    r = d.weights("r", x, y)
    bit, of_p, of_q = d.domain(
        SELF,
        eq(e[x, y] * (1 - e[x, y]), 0),
        eq(total(e[x, y] * p[y], y), p[x]),
        eq(total(e[x, y] * q[x], x), q[y]),
    )
    residual_mass = sp.Max(p[y] - q[x] * e[x, y], 0)
    n = total(residual_mass, y)
    normed = d.domain(NORMED, eq(r[x, y] * n, residual_mass))
    at_most_one = d.term("one of all", d.derive("a mass", ge(p[x], 0)), x, y)
    at_most_one = d.derive("at most one", le(p[y], 1), at_most_one, mass)
    at_x = d.instantiate("of each", at_most_one, {y: x})
    out = d.smt("taken out", eq(q[x] * residual_mass, q[x] * p[y] * (1 - e[x, y])), point, bit, at_most_one)
    sums = d.sum("over what is left", out, y)
    sums = d.derive("its mass", eq(q[x] * n, q[x] * (1 - p[x])), sums, of_p, mass)
    lost = d.smt("refused", eq(q[x] - sp.Min(p[x], q[x]), q[x] * (1 - p[x])), point, at_x)
    resampled = d.derive(
        "drawn after a refusal",
        eq((q[x] - sp.Min(p[x], q[x])) * r[x, y], q[x] * p[y] * (1 - e[x, y])),
        *(lost, sums, normed, out),
        by="smt",
    )
    all_ = d.sum("over the drafts", resampled, x)
    at_y = d.instantiate("of each", point, {x: y})
    accepted = d.smt("kept", eq(sp.Min(p[y], q[y]), p[y] * q[y]), at_y, at_most_one)
    emitted = sp.Min(p[y], q[y]) + sign * constant * total((q[x] - sp.Min(p[x], q[x])) * r[x, y], x)
    d.qed(d.derive("together", eq(emitted, p[y]), all_, accepted, of_q, mass_q))


def _values(p: Any, q: Any) -> dict[str, Any]:
    one_hot = exact(np.eye(len(p), dtype=int))
    excess = np.maximum(p[None, :] - q[:, None] * one_hot, 0)
    return {"p": p, "q": q, "e": one_hot, "r": normalise(excess, otherwise=p), "V": len(p)}


PROOFS = (
    Refutation(
        RESIDUAL_AT_X,
        by_size,
        scope="the first pair by vocabulary and denominator; with two tokens there is no other residual",
        repaired={POINT: RESIDUAL_AT_X_CORRECTED, "two tokens": lambda: by_size((1, 2), 5)},
    ),
    Proof(RESIDUAL_AT_X_CORRECTED, prove, drop=POINT, bind=_values),
)
