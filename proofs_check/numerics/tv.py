"""numerics.tv: the odds of the tokens that grow are multiplied by at most ρ², which moves no more than tanh(ε/(2T))."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, le, total, x
from proofs_check.numerics._close import HIGHER, apart, bind, close
from simspec.claims.numerics.laws import TV


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all logits, every ε and temperature.

    Attained by p = (1, ρ)/(1 + ρ) and p̂ = (ρ, 1)/(1 + ρ), ρ = exp(ε/T).
    """
    it = close(d)
    g, marks, bound = apart(d, it)
    change = sp.Abs(it.p[x] - it.s[x])
    split = eq(change, 2 * g[x] * (it.s[x] - it.p[x]) - it.s[x] + sign * it.p[x])
    split = d.sum("over the vocabulary", d.smt("where p̂ is above, and elsewhere", split, *marks), x)
    goal = le(total(change, x) / 2, (it.rho - 1) / (constant * (it.rho + 1)))
    d.qed(d.smt("half of what is moved", goal, split, bound, *it.masses))


PROOF = Proof(TV, prove, drop=HIGHER, bind=bind)
