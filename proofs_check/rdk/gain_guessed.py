"""rdk.gain-guessed: with a guess of the target in the condition, the gain falls by at most twice the distance of the guess."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, ge, j, le
from proofs_check.rdk._moved_mass import arriving, change, leaving, values
from simspec.claims.rdk.gain_guessed import GAIN_GUESSED, SURPLUS_GUESSED


def prove(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """Every vocabulary, target, guess and draft, and every matrix that moves only what is surplus by the guess.

    The constant 2 is the least: a draft that is the target and a guess that differs from it by ½ or less at two tokens,
    with M moving that much.
    """
    p, g, q, M = (sp.IndexedBase(n, real=True) for n in ("p", "g", "q", "M"))
    surplus = d.assume(SURPLUS_GUESSED, le(leaving(q, M), sp.Max(q[j] - g[j], 0)))
    received = sp.Min(sp.Max(g[j] - q[j], 0), arriving(q, M))
    as_guessed = d.derive(
        "if the guess were true: a token in want has its draft mass and what arrives, any other all of the guess",
        ge(change(g, q, M), received),
        surplus,
    )
    goal = ge(change(p, q, M), change(g, q, M) - sign * 2 * half * sp.Abs(p[j] - g[j]))
    swapped = d.derive("the truth in place of the guess, in both minima", goal)
    goal = ge(change(p, q, M), received - sign * 2 * half * sp.Abs(p[j] - g[j]))
    d.qed(d.summed("together", goal, as_guessed, swapped, over=j))


PROOF = Proof(GAIN_GUESSED, prove, drop=SURPLUS_GUESSED, change={"half": sp.Rational(1, 3)}, bind=values)
