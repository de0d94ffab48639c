"""ears.drop-unit: 0.84 of 96.44 is 0.871 %; 96.44 less 95.60 is 0.84."""

from __future__ import annotations

from fractions import Fraction as F

from proofs_check.language import Derivation, Proof, Refutation
from simspec.claims.ears.drop_unit import PRINTED, UNIT, UNIT_CORRECTED


def prove(d: Derivation, after: str = "95.60", sign: int = 1, constant: int = 1) -> None:
    """The printed figures."""

    def agree(printed: dict[str, str]) -> bool:
        left, right = UNIT_CORRECTED.sides(printed)
        computed_drop = F(printed["before"]) - F(printed["after"])
        return bool(sign * left == right == computed_drop == constant * F(84, 100))

    d.exhaust("the difference is the printed drop", agree, [{**PRINTED, "after": after}], r"96.44 - 95.60 = 0.84")


PROOFS = (
    Refutation(
        UNIT,
        lambda: [PRINTED],
        scope="the printed figures, the only instance",
        repaired={
            "0.87 in place of 0.84": lambda: [{**PRINTED, "drop": "0.87"}],
            "the corrected statement": UNIT_CORRECTED,
        },
    ),
    Proof(UNIT_CORRECTED, prove, drop={"after": "95.59"}, bind=None),
)
