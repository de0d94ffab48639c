"""rdk.memory: V² numbers of four or two bytes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from proofs_check.language import Derivation, Proof, Refutation
from simspec.claims.claim import Instance
from simspec.claims.rdk.memory import MEMORY, MEMORY_CORRECTED, SIZES, VOCABULARIES


def forms() -> Iterator[Instance]:
    """Two vocabularies, two formats."""
    return ({"vocabulary": v, "number": n} for v, n in product(VOCABULARIES, SIZES))


def prove(d: Derivation, power: int = 2, sign: int = 1, unit: int = 10**8) -> None:
    """The four forms."""

    def agree(form: Instance) -> bool:
        left, right = MEMORY_CORRECTED.sides(form)
        expected_bytes = VOCABULARIES[form["vocabulary"]] ** power * SIZES[form["number"]]
        return bool(
            (left == right).all()
            and right[1] == sign * expected_bytes
            and abs(unit * right[0] - expected_bytes) <= 10**8 // 2
        )

    d.exhaust("bytes, and tenths of a gigabyte", agree, forms(), r"4V^2,\; 2V^2")


PROOFS = (
    Refutation(
        MEMORY,
        forms,
        scope="four forms, by vocabulary and format",
        repaired={
            "128,256 tokens": lambda: (f for f in forms() if f["vocabulary"] == "128K"),
            "the corrected statement": MEMORY_CORRECTED,
        },
    ),
    Proof(MEMORY_CORRECTED, prove, drop={"power": 1}, change={"unit": 10**7}, bind=None),
)
