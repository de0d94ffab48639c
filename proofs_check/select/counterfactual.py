"""select.counterfactual: the first token has the target's law, so the mean over what follows it is the target's."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, total, x, y
from proofs_check.process._step import NORMED, emitted, residual
from simspec.claims.select.counterfactual import COUNTERFACTUAL
from simspec.laws import Array, overlap


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws at the first token and after it, every drafter that is used and every other one.

    What is drafted at the second token is nothing to the mean: its law after the first token is the target's.
    """
    step = emitted(d, sign=sign, constant=constant)
    first = d.number("first", 0)
    after = d.weights("after", x, y)
    rival = d.weights("rival", x, y)
    rate = total(sp.Min(after[x, y], rival[x, y]), y)
    score = (first + rate) / 2
    of_text = d.derive("of a first token", eq(step.emitted * score, step.p[x] * score), step.lossless)
    d.qed(d.sum("over the first token", of_text, x))


def _values(p: Array, q: Array, rival: Array) -> dict[str, Any]:
    return {**residual(p[0], q[0]), "first": overlap(p[0], rival[0]), "after": p[1:], "rival": rival[1:]}


PROOF = Proof(COUNTERFACTUAL, prove, drop=NORMED, bind=_values)
