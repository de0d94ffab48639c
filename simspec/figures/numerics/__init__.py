"""What the figures of rounding are simulated from."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.numerics.rounding import ROUNDING

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (ROUNDING,)
