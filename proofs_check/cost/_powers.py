"""The sum α + … + α^n of a block's acceptance rates, and what every block of independent steps has to do with it."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq

__all__ = ["LENGTH", "Powers", "gamma", "n", "powers"]

n, gamma = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("n", "gamma"))
LENGTH = "the block length is (1 − αᵞ⁺¹)/(1 − α) (see sd.block-length-corrected)"


class Powers(NamedTuple):
    """A[n] = α + … + α^n, its two equations, and (1 − α)(A[n] + 1) = 1 − α^(n+1)."""

    A: Any
    none: Fact
    more: Fact
    closed: Fact


def powers(d: Derivation, alpha: Any, name: str = "A") -> Powers:
    A = sp.IndexedBase(name, real=True)
    none, recursion_step = d.recursion("α + … + α^n", eq(A[0], 0), eq(A[n + 1], A[n] + alpha ** (n + 1)))
    closed = eq((1 - alpha) * (A[n] + 1), 1 - alpha ** (n + 1))
    return Powers(A, none, recursion_step, d.inductive("for every n", closed, n, [none], [recursion_step]))
