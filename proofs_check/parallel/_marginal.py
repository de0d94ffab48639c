"""Laws of two tokens: that of the first, that of the second after each, and the marginal of the second."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, total, x, z

__all__ = ["Two", "marginal_of"]


class Two(NamedTuple):
    """a[z], P[z, x] and m[x] = Σ_z a[z] P[z, x], each of mass one."""

    a: Any
    P: Any
    m: Any
    mass_a: Fact
    mass_P: Fact
    is_m: Fact
    mass_m: Fact


def marginal_of(d: Derivation) -> Two:
    """Both laws, and that the marginal is a law."""
    a, mass_a = d.law("a")
    P, mass_P = d.law("P", z)
    m = sp.IndexedBase("m", real=True)
    is_m = d.define("the marginal", m[x], total(a[z] * P[z, x], z))
    rows = d.derive("weighed", eq(a[z] * total(P[z, x], x), a[z]), mass_P)
    rows = d.sum("over the first token", rows, z)
    mass = d.sum("over the second token", is_m, x)
    return Two(a, P, m, mass_a, mass_P, is_m, d.smt("of mass one", eq(total(m[x], x), 1), mass, rows, mass_a))
