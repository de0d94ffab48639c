"""What the figures of greedy certificates are simulated from."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.greedy.certificates import CERTIFICATES

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (CERTIFICATES,)
