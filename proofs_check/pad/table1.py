"""pad.table1: all nine printed speed-ups are within 0.1 for γ = 9, …, 13, and none gives all within rounding."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F

import numpy as np

from proofs_check.language import Derivation, Proof
from simspec.claims.claim import Instance
from simspec.claims.pad.table1 import COST, LENGTHS, PRINTED, TABLE, TABLE_SHARP

INSTANCE: Instance = {"rows": PRINTED, "cost": COST}


def off(gamma: int, row: Sequence[F], sign: int = 1, cost: F = COST) -> F:
    """How far a printed speed-up is from (ηγ + 1)/(γc + 1)."""
    share, speed = row
    return abs((share * gamma + sign) / (gamma * cost + 1) - speed)


def prove(d: Derivation, gamma: int = 11, sign: int = 1, allowed: F = F(1, 10)) -> None:
    """All nine rows, every γ from 1 to 64.

    The smallest of the largest deviations is 0.0570…, at γ = 11.
    """
    d.exhaust(
        f"γ = {gamma} gives each of the nine within 0.1",
        lambda row: off(gamma, row, sign=sign) <= allowed,
        PRINTED.tolist(),
        r"\left|\frac{\eta\gamma + 1}{\gamma c + 1} - S\right| \le \tfrac1{10}",
    )

    def agree(instance: Instance) -> bool:
        smallest_deviation = min(max(off(g, row, sign=sign) for row in PRINTED.tolist()) for g in LENGTHS)
        left, right = TABLE.sides(instance)
        return bool(
            left == smallest_deviation == max(off(gamma, row) for row in PRINTED.tolist()) and left <= allowed <= right
        )

    d.exhaust("so the smallest of the largest deviations, which is γ = 11's, is at most 0.1", agree, [INSTANCE])


def prove_sharp(d: Derivation, last: int = 13, sign: int = 1, half: F = F(1, 2)) -> None:
    """All nine rows, every γ from 1 to 64."""

    def as_said(gamma: int) -> bool:
        near = all(off(gamma, row, sign=sign) <= F(1, 10) for row in PRINTED.tolist())
        # S is rounded to hundredths, η to tenths of a percent; S moves by γ/(γc + 1) for each unit of η
        rounding = half * (F(1, 100) + F(1, 1000) * gamma / (gamma * COST + 1))
        exactly = all(off(gamma, row, sign=sign) <= rounding for row in PRINTED.tolist())
        return near == (9 <= gamma <= last) and not exactly

    d.exhaust("within 0.1 exactly for γ = 9, …, 13; within rounding for none", as_said, LENGTHS)

    def agree(instance: Instance) -> bool:
        left, right = TABLE_SHARP.sides(instance)
        agreements = [[int(all(off(g, row) <= F(1, 10) for row in PRINTED.tolist())), 0] for g in LENGTHS]
        return bool((left == right).all() and (np.array(agreements) == right).all())

    d.exhaust("these are the claim's two sides", agree, [INSTANCE])


PROOFS = (
    Proof(TABLE, prove, drop={"gamma": 8}, change={"allowed": F(1, 20)}, bind=None),
    Proof(TABLE_SHARP, prove_sharp, drop={"half": F(100)}, change={"last": 14}, bind=None),
)
