"""What figures are measured on: contexts of a shipped bank or synthetic pairs of laws, and the intervals that suit each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.engine.estimates.intervals import Interval, documents, student
from simspec.engine.study import Cell, Result, Rows
from simspec.laws import Array, softmax
from simspec.logits.bank import open_bank
from simspec.studies.pairs import bank_laws, synthetic_logits

__all__ = ["BOTH", "SYNTHETIC", "WIKI", "cells", "document", "in_blocks", "interval", "pair", "words"]

WIKI: Cell = {"bank": "wiki"}
"""The shipped pair of small real models, 300 contexts over 16,384 tokens."""
SYNTHETIC: Cell = {"family": "gaussian", "scale": 2.0, "rho": 0.9, "vocab": 1000}
"""Gaussian logits of scale 2, the draft's of correlation 0.9 with the target's."""
BOTH = ("synthetic", "wiki")
"""Names of these two pairs of laws."""
_BLOCK = 16


def cells(laws: tuple[str, ...], vocab: int, temperature: float) -> tuple[Cell, ...]:
    """Cells of the pairs that are named: of so many tokens where they are synthetic, at a temperature of the softmax.

    >>> cells(("synthetic",), 1000, 1) == (SYNTHETIC,)
    True
    """
    pairs = {"synthetic": {**SYNTHETIC, "vocab": vocab}, "wiki": WIKI}
    # temperature 1 is left out of the cell, whose values make the key of its random numbers
    heat = {} if temperature == 1 else {"temperature": temperature}
    return tuple({**pairs[name], **heat} for name in laws)


def words(cell: Cell) -> str:
    """What a cell is measured on.

    >>> words(WIKI), words(SYNTHETIC)
    ('wiki bank', 'Gaussian logits')
    """
    names = {"gaussian": "Gaussian logits", "student-t": "Student-t logits"}
    return f"{cell['bank']} bank" if "bank" in cell else names[cell["family"]]


def pair(cell: Cell, rows: Rows) -> tuple[Array, Array]:
    """Target and draft laws (rows, V) of a cell: of a bank's contexts, or of simulated logits."""
    temperature = cell.get("temperature", 1)
    if "bank" in cell:
        bank = open_bank(cell["bank"])
        if rows.numbers.stop > bank.contexts:
            raise ValueError(
                f"rows: more than {bank.contexts}; expected at most {bank.contexts}, the contexts of the bank {bank.name}"
            )
        return bank_laws(bank, slice(rows.numbers.start, rows.numbers.stop), temperature)
    p, q = (softmax(z, temperature) for z in synthetic_logits(cell, rows))
    return p, q


def in_blocks(cell: Cell, rows: Rows, values: Callable[[Array, Array], dict[str, Any]]) -> dict[str, Array]:
    """`values` of a few contexts' laws at a time, joined, and the document of each context."""
    numbers = rows.numbers
    parts = [values(*pair(cell, Rows(rows.key, numbers[at : at + _BLOCK]))) for at in range(0, len(numbers), _BLOCK)]
    joined = {name: np.concatenate([np.asarray(block[name], dtype=np.float64) for block in parts]) for name in parts[0]}
    return {**joined, "document": document(cell, rows)}


def document(cell: Cell, rows: Rows) -> Array:
    """The unit that intervals resample: a bank's documents; every simulated row is one of its own."""
    if "bank" in cell:
        return np.asarray(open_bank(cell["bank"]).documents, dtype=np.float64)[rows.numbers.start : rows.numbers.stop]
    return np.asarray(rows.numbers, dtype=np.float64)


def interval(result: Result, values: Array, lowest: float = 0, highest: float = 1) -> Interval:
    """95 % interval of a mean: over documents for a bank, Student's t for simulated rows."""
    if "bank" in result.cell:
        return documents(values, result.values["document"])
    return student(values, 0.95, lowest, highest)
