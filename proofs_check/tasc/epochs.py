"""tasc.epochs: Table 7 read cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.claim import Claim, Instance
from simspec.claims.tasc.epochs import DECREASE, ONE, THREE, THREE_CORRECTED
from simspec.claims.tasc.tables import TABLE_7


def tasks(last: int | None = None, named: bool = True) -> Iterator[Instance]:
    """Both tasks of the table, or their first rows, or both under the second name."""
    for task, rows in TABLE_7.items():
        epochs, scores = zip(*rows[:last], strict=True)
        yield {"task": task if named else "MASSIVE", "epochs": epochs, "scores": scores}


def compared(d: Derivation, text: str, claim: Claim, among: Iterator[Instance], sign: int, margin: F) -> None:
    """Each score at most what is said of it."""
    every_cell(d, text, claim, among, lambda low, high: sign * (high - low) >= margin, r"\mathrm{score} \le \dots")


def prove_one(d: Derivation, ordered: bool = True, sign: int = 1, margin: F = F(0)) -> None:
    """Both tasks."""
    among = tasks() if ordered else ({**task, "scores": task["scores"][::-1]} for task in tasks())
    compared(d, "no score is below that of one epoch", ONE, among, sign, margin)


def prove_decrease(d: Derivation, last: int | None = None, sign: int = 1, margin: F = F(0)) -> None:
    """Both tasks; 0.009 is attained on MASSIVE."""
    compared(d, "the last score and 0.009 are at most the best", DECREASE, tasks(last=last), sign, margin)


def prove_three(d: Derivation, named: bool = True, sign: int = 1, margin: F = F(0)) -> None:
    """Both tasks; 0.008 is attained on EUR-LEX."""
    compared(d, "no score is more than that above the one of three", THREE_CORRECTED, tasks(named=named), sign, margin)


CHANGE = {"margin": F(1, 1000)}

PROOFS = (
    Proof(ONE, prove_one, drop={"ordered": False}, change=CHANGE, bind=None),
    Proof(DECREASE, prove_decrease, drop={"last": 2}, change=CHANGE, bind=None),
    Refutation(
        THREE,
        tasks,
        scope="both tasks, EUR-LEX first",
        repaired={
            "MASSIVE alone": lambda: (t for t in tasks() if t["task"] == "MASSIVE"),
            "the corrected statement": THREE_CORRECTED,
        },
    ),
    Proof(THREE_CORRECTED, prove_three, drop={"named": False}, change=CHANGE, bind=None),
)
