"""sd.speedup: every block emits its kept drafts and one token more, so the mean numbers of the two differ by one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq
from proofs_check.sd._one_block import block, lengths, n
from simspec.claims.sd.speedup import SPEEDUP
from simspec.laws import Array
from simspec.methods import SD


def prove(d: Derivation, sign: int = 1, extra: int = 1) -> None:
    """Every target and drafter, at every step their own laws; every vocabulary size, γ and pair of times."""
    gamma = sp.Symbol("gamma", integer=True, nonnegative=True)
    t_p = d.number("t_p", positive=True)
    t_q = d.number("t_q", 0)
    b = block(d)
    R, none, recursion_step = lengths(d, b, "R", extra)  # tokens of the blocks that end by a rejection
    A, none_kept, more_kept = lengths(d, b, "A", 0)  # their kept drafts
    tokens = R[n] + (n + 1) * b.alive
    accepted = A[n] + n * b.alive
    differ = eq(tokens, accepted + 1)
    before = d.suppose("the two means for n", differ)
    ended_earlier = d.derive("tokens of the blocks that end earlier", eq(R[n], A[n] - sign * b.alive + 1), before)
    for_every_n = d.inductive(
        "for every n", differ, n, [none, none_kept, b.start], [recursion_step, more_kept, b.shrinks, ended_earlier]
    )
    speed = d.derive(
        "time of the target saved per unit of time, numerator and denominator divided by its time for one call",
        eq(tokens * t_p / (gamma * t_q + t_p), (accepted + 1) / (gamma * (t_q / t_p) + 1)),
        for_every_n,
    )
    d.qed(d.instantiate("a block of γ drafts", speed, {n: gamma}))


def _values(p: Array, q: Array, gamma: int, t_p: Fraction, t_q: Fraction) -> dict[str, Any]:
    """One context: the laws are the same at every step."""
    return {
        **{"k": [SD.accept(p, q)], "start": [1], "go": [[[1]] * len(p)], "gamma": gamma, "t_p": t_p, "t_q": t_q},
        **{"V": len(p), "C": 1, "ranges": {"c": range(1, 2)}},
    }


PROOF = Proof(SPEEDUP, prove, drop="a kept draft leads to one context", change={"extra": 2}, bind=_values)
