"""csqs.step-size: β moves by η times the difference of two numbers between 0 and 1."""

from __future__ import annotations

import sympy as sp

from proofs_check.csqs._recursion import LAWS, bind, mass_bounds, n, text, threshold
from proofs_check.language import Derivation, Fact, Proof, le
from simspec.claims.csqs.step_size import STEP_SIZE


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text, start, step size and target in [0, 1]; both readings of an empty set.

    Attained at a target of 0 where nothing is kept, and at a target of 1 where nothing is dropped.
    """
    w = text(d)
    conclusions: list[Fact] = []
    for top in (False, True):
        h = threshold(d, w, top, sign)
        nonnegative, at_most = mass_bounds(d, w, h)
        move = sp.Abs(h.beta[n + 1] - h.beta[n])
        conclusions.append(d.smt("no more than η", le(move, constant * w.eta), h.update, nonnegative, at_most))
    d.qed(*conclusions)


PROOF = Proof(STEP_SIZE, prove, drop=LAWS, change={"constant": sp.Rational(9, 10)}, bind=bind)
