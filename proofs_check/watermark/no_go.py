"""watermark.no-go: whatever the key makes of the three laws, at most one pair of them agrees."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, le
from simspec.claims.watermark.no_go import NO_GO, OUTCOMES
from simspec.laws import Array

SURE = "the probabilities of the outcomes sum to one"
PAIRS = ((0, 1), (0, 2), (1, 2))


def _name(outcome: tuple[int, ...]) -> str:
    return "key_" + "".join(map(str, outcome))


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """All keyed one-hot laws of the three.

    1/3 is attained, by six keys.
    """
    weights = {outcome: d.number(_name(outcome), 0) for outcome in OUTCOMES}
    sure = d.domain(SURE, eq(sum(weights.values()), 1))
    shares = [sum(weight for outcome, weight in weights.items() if outcome[a] == outcome[b]) for a, b in PAIRS]
    at_most = d.smt("no key makes two pairs agree", le(sum(shares), sign * 1), sure)
    goal = le(sp.Min(*shares), sp.Rational(1, 3) / constant)
    d.qed(d.smt("so one of three is at most a third", goal, at_most, sure))


def _values(keys: Array) -> dict[str, Any]:
    return {_name(outcome): weight for outcome, weight in zip(OUTCOMES, keys, strict=True)}


PROOF = Proof(NO_GO, prove, drop=SURE, bind=_values)
