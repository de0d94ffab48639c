"""tree.power-law: the constant 1/8 for three powers and up to 60 levels; for every power it follows from tree.full-tree."""

from __future__ import annotations

from itertools import product
from typing import Any

from proofs_check.language import Derivation, Proof
from simspec.claims.tree.power_law import POWER_LAW, asked, full_tree


def prove(d: Derivation, sign: int = 1, constant: int = 1, growing: bool = True) -> None:
    """The powers b = 1, 2, 3 and the full trees of D = 2 to 60 levels with the least K of K^b ≥ D².

    Not for every n and b: tree.full-tree gives E[τ] ≥ D − 1 there, and log n is of the order (2/b) D log D.
    """

    def enough(case: tuple[int, int]) -> bool:
        levels, power = case
        accepted: Any = full_tree(levels, power) if growing else full_tree(2, power)
        return bool(sign * accepted > constant * asked(levels, power))

    d.exhaust("the full tree accepts as much", enough, product(range(2, 61), (1, 2, 3)))


PROOF = Proof(
    POWER_LAW, prove, drop={"growing": False}, change={"constant": 100}, bind=None, whole=False, sharp="not sought"
)
