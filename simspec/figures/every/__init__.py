"""What the figures that concern all papers are simulated from."""

from __future__ import annotations

from simspec.figures.every.drafted import DRAFTED
from simspec.figures.every.shapes import SHAPES
from simspec.figures.every.slack import SLACK
from simspec.figures.every.speedup import SPEEDUP
from simspec.figures.figure import Figure

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (SPEEDUP, DRAFTED, SHAPES, SLACK)
