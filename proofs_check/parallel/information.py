"""parallel.information: Pinsker's inequality after each first token, and that a mean of squares is no less than the mean's."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, total, x, z
from proofs_check.parallel._marginal import marginal_of
from simspec.claims.parallel.information import INFORMATION, divergences
from simspec.laws import Array

PINSKER = "Pinsker's inequality after each first token (see stop.entropy-bound-corrected)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws of two tokens.

    Equality for independent tokens; ½ is the largest constant, for weakly dependent ones.
    """
    it = marginal_of(d)
    a = it.a
    P = it.P
    m = it.m
    K = d.weights("K", z)
    T = sp.IndexedBase("T", real=True)
    R = sp.Symbol("R", real=True)
    far = d.define("the variation after a first token", T[z], total(sp.Abs(P[z, x] - m[x]), x) / 2)
    pinsker = d.domain(PINSKER, ge(a[z] * K[z], 2 * a[z] * T[z] ** 2))
    mean = d.define("its mean", R, total(a[z] * T[z], z))
    shared = total(sp.Min(P[z, x], m[x]), x)
    split = eq(sp.Min(P[z, x], m[x]), (P[z, x] + sign * m[x] - sp.Abs(P[z, x] - m[x])) / 2)
    split = d.sum("over the second token", d.derive("the smaller of two masses", split), x)
    split = d.smt("what is accepted after a first token", eq(shared, 1 - T[z]), split, far, it.mass_P, it.mass_m)
    split = d.sum("over the first token", d.derive("weighed", eq(a[z] * shared, a[z] - a[z] * T[z]), split), z)
    accepted = total(a[z] * shared, z)
    lost = d.smt("what is rejected", eq(1 - accepted, R), split, mean, it.mass_a)
    low = d.derive("a mass", ge(a[z], 0))
    square = d.smt("a square", ge(a[z] * (T[z] - R) ** 2, 0), low)
    square = d.derive("opened", ge(a[z] * T[z] ** 2, 2 * R * (a[z] * T[z]) - R**2 * a[z]), square, by="smt")
    square = d.sum("over the first token", square, z)
    square = d.smt("the mean of squares", ge(total(a[z] * T[z] ** 2, z), R**2), square, mean, it.mass_a)
    pinsker = d.sum("over the first token", pinsker, z)
    goal = le(constant * 2 * (1 - accepted) ** 2, total(a[z] * K[z], z))
    squares = d.smt("its square", eq((1 - accepted) ** 2, R**2), lost)
    d.qed(d.smt("together", goal, squares, square, pinsker))


def _values(a: Array, P: Array) -> dict[str, Any]:
    return {"a": a, "P": P, "K": divergences(a, P), "V": len(a)}


PROOF = Proof(INFORMATION, prove, drop=PINSKER, bind=_values)
