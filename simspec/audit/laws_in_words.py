"""The laws of a pair as an audit prints them: fractions, by id where few ids of a large vocabulary have mass."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from simspec.audit.handing import Raw, Sparse
from simspec.audit.levels import Laws
from simspec.audit.pairs import Pair

__all__ = ["pair_lines"]


def pair_lines(pair: Pair) -> list[str]:
    """The laws of a pair in words.

    >>> from simspec.audit.handing import spread
    >>> import numpy as np
    >>> pair_lines(spread(Pair("", np.array([[0.25, 0.75]]), np.zeros((0, 2))), (0, 255_999), 256_000))
    ['  target p = [(0: 1/4, 255999: 3/4)]', '  draft  q = []', '  all other ids of the 256,000 have no mass']
    """
    if isinstance(pair.handed, Sparse):
        p, q = (_rows_by_id(laws, pair.handed.ids) for laws in (pair.p, pair.q))
        others = f"  all other ids of the {pair.handed.size:,} have no mass"
        return [f"  target p = {p}", f"  draft  q = {q}", others]
    lines = [f"  target p = {_rows(pair.p)}", f"  draft  q = {_rows(pair.q)}"]
    if isinstance(pair.handed, Raw):
        # braces hold the rows after each prefix, of which the draft has equal ones
        lines = [
            f"  target rows = {_rows(pair.handed.p)}",
            f"  processed, after each prefix, p = {_rows(pair.p)}",
            f"  draft q = {_rows(pair.handed.q)}",
        ]
    return lines


def _rows_by_id(laws: Laws, ids: Sequence[int]) -> str:
    rows = (zip(ids, row, strict=False) for row in laws)  # the last mass, of all other ids, is 0
    return "[" + ", ".join("(" + ", ".join(f"{i}: {_mass(mass)}" for i, mass in row) + ")" for row in rows) + "]"


def _rows(laws: Laws) -> str:
    return "[" + ", ".join(_row(level.tolist()) for level in laws) + "]"


def _row(level: Any) -> str:
    if isinstance(level, list) and level and isinstance(level[0], list):
        return "{" + ", ".join(map(_row, level)) + "}"
    return "(" + ", ".join(map(_mass, level)) + ")"


def _mass(x: float) -> str:
    near = Fraction(x).limit_denominator(1000)
    return str(near) if abs(float(near) - x) < 1e-12 else f"{x:.6g}"
