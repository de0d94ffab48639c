"""What the figures of the RDK paper, and those beyond it, are simulated from."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.rdk.pruning import PRUNING

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (PRUNING,)
