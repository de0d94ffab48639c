"""What the figures that concern all papers are simulated from."""

from __future__ import annotations

from simspec.figures.figure import Figure

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = ()
