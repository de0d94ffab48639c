"""What the figures that concern all papers are simulated from."""

from __future__ import annotations

from simspec.figures.all.drafted import DRAFTED
from simspec.figures.all.shapes import SHAPES
from simspec.figures.all.slack import SLACK
from simspec.figures.all.speedup import SPEEDUP
from simspec.figures.figure import Figure

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (SPEEDUP, DRAFTED, SHAPES, SLACK)
