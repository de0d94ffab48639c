"""pad.abstract-speedup: the largest of nine printed numbers."""

from __future__ import annotations

from fractions import Fraction as F

from proofs_check.language import Derivation, Proof, Refutation
from simspec.claims.pad.abstract_speedup import ABSTRACT, ABSTRACT_CORRECTED
from simspec.claims.pad.table1 import PRINTED


def prove(d: Derivation, largest: str = "2.33", sign: int = 1, rows: int = 9) -> None:
    """The nine rows."""

    def as_said(speeds: tuple[F, ...]) -> bool:
        left, right = ABSTRACT_CORRECTED.sides({"speeds": speeds})
        return bool(max(speeds[:rows]) == left == right == sign * F(largest))

    d.exhaust("the largest of nine numbers", as_said, [tuple(PRINTED[:, 1].tolist())], r"\max_i S_i = 2.33")


PROOFS = (
    Refutation(
        ABSTRACT,
        lambda: ({"speeds": PRINTED[:, 1]} for _ in range(1)),
        scope="the one table",
        repaired={"the corrected statement": ABSTRACT_CORRECTED},
    ),
    Proof(ABSTRACT_CORRECTED, prove, drop={"rows": 2}, change={"largest": "2.34"}, bind=None),
)
