"""What the figures of the PAD paper are simulated from."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.pad.corrected import CORRECTED
from simspec.figures.pad.label_noise import LABELS
from simspec.figures.pad.pipeline import ROC, SPEED
from simspec.figures.pad.table1 import TABLE

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (SPEED, TABLE, ROC, LABELS, CORRECTED)
