"""What the figures of the EARS paper are simulated from, in the paper's own order."""

from __future__ import annotations

from simspec.figures.figure import Figure

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = ()
