"""Finite tables: a claim about printed figures is checked on every cell, by its own formulas on exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from proofs_check.language import Derivation
from simspec.claims.claim import Claim, Instance

__all__ = ["every_cell", "sides"]


def sides(claim: Claim, cell: Instance) -> tuple[list[Any], list[Any]]:
    """Left and right sides of a claim on one cell, as two flat lists of fractions."""
    left, right = (np.asarray(s, dtype=object) for s in claim.sides(cell))
    left, right = np.broadcast_arrays(left, right)
    return left.ravel().tolist(), right.ravel().tolist()


def every_cell(
    d: Derivation, text: str, claim: Claim, cells: Iterable[Instance], compare: Callable[[Any, Any], bool], latex: str
) -> int:
    """The claim's two sides compared on every cell of a table; the number of cells."""
    return d.exhaust(
        text, lambda cell: all(compare(a, b) for a, b in zip(*sides(claim, cell), strict=True)), cells, latex=latex
    )
