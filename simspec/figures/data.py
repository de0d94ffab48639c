"""What figures are measured on: contexts of a shipped bank or synthetic pairs of laws, and the intervals that suit each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.engine.estimates.intervals import Interval, documents, student
from simspec.engine.study import Cell, Result, Rows
from simspec.laws import Array, softmax
from simspec.logits.bank import Bank, open_bank
from simspec.studies.pairs import bank_laws, synthetic_logits

__all__ = [
    "IN_WORDS",
    "LAWS",
    "SMOLLM2",
    "SYNTHETIC",
    "WIKI",
    "bank_of",
    "cells",
    "document",
    "in_blocks",
    "interval",
    "pair",
    "words",
]

WIKI: Cell = {"bank": "wiki"}
"""The shipped pair of small real models, 300 contexts over 16,384 tokens."""
SYNTHETIC: Cell = {"family": "gaussian", "scale": 2.0, "rho": 0.9, "vocab": 1000}
"""Gaussian logits of scale 2, the draft's of correlation 0.9 with the target's."""
SMOLLM2: dict[str, Cell] = {
    "3 bits": {"bank": "smollm2", "kind": "answers", "draft": "quantised:3"},
    "4 bits": {"bank": "smollm2", "kind": "answers", "draft": "quantised:4"},
}
"""SmolLM2-135M-Instruct with itself as the draft, its weights rounded: 39 contexts with whole rows over 49,152 tokens.

They are of the target's own answers, on which a draft is judged when a model is served; the bank's corpus texts are left out.
"""
LAWS = ("synthetic", "wiki", *SMOLLM2)
"""Names of these pairs of laws."""
IN_WORDS = (
    "Gaussian logits (scale 2, correlation 0.9, V = 1,000), the wiki bank, and 39 whole rows of answers of the bank smollm2 "
    "(SmolLM2-135M-Instruct, the draft the same model with its weights rounded to 3 or 4 bits)"
)
"""What they are, for captions."""
_BLOCK = 16


def cells(laws: tuple[str, ...], vocab: int, temperature: float, rows: int) -> tuple[Cell, ...]:
    """Cells of the pairs that are named: of so many tokens where they are synthetic, at a temperature of the softmax.

    A cell of SmolLM2 has as many of the rows as the bank has whole ones of answers.

    >>> cells(("synthetic",), 1000, 1, 300) == (SYNTHETIC,)
    True
    >>> cells(("3 bits",), 1000, 1, 300)
    ({'bank': 'smollm2', 'kind': 'answers', 'draft': 'quantised:3', 'rows': 39},)
    """
    real = {name: {**cell, "rows": min(rows, bank_of(cell).contexts)} for name, cell in SMOLLM2.items() if name in laws}
    pairs: dict[str, Cell] = {"synthetic": {**SYNTHETIC, "vocab": vocab}, "wiki": WIKI, **real}
    # temperature 1 is left out of the cell, whose values make the key of its random numbers
    heat = {} if temperature == 1 else {"temperature": temperature}
    return tuple({**pairs[name], **heat} for name in laws)


def words(cell: Cell) -> str:
    """What a cell is measured on.

    >>> words(WIKI), words(SYNTHETIC), words(SMOLLM2["3 bits"])
    ('wiki bank', 'Gaussian logits', 'SmolLM2, 3-bit draft')
    """
    if "draft" in cell:
        return f"SmolLM2, {cell['draft'].partition(':')[2]}-bit draft"
    names = {"gaussian": "Gaussian logits", "student-t": "Student-t logits"}
    return f"{cell['bank']} bank" if "bank" in cell else names[cell["family"]]


def bank_of(cell: Cell) -> Bank:
    """The bank of a cell, with the kind of text and the draft that it names."""
    bank = open_bank(cell["bank"])
    if "kind" in cell:
        bank = bank.of_kind(cell["kind"])
    return bank.with_draft(cell["draft"]) if "draft" in cell else bank


def pair(cell: Cell, rows: Rows) -> tuple[Array, Array]:
    """Target and draft laws (rows, V) of a cell: of a bank's contexts, or of simulated logits."""
    temperature = cell.get("temperature", 1)
    if "bank" in cell:
        bank = bank_of(cell)
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
        return np.asarray(bank_of(cell).documents, dtype=np.float64)[rows.numbers.start : rows.numbers.stop]
    return np.asarray(rows.numbers, dtype=np.float64)


def interval(result: Result, values: Array, lowest: float = 0, highest: float = 1) -> Interval:
    """95 % interval of a mean: over documents for a bank, Student's t for simulated rows."""
    if "bank" in result.cell:
        return documents(values, result.values["document"])
    return student(values, 0.95, lowest, highest)
