"""What the figures of the PAD paper are simulated from."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.pad.corrected_rule import CORRECTED
from simspec.figures.pad.label_noise import LABELS
from simspec.figures.pad.roc import ROC
from simspec.figures.pad.speed_utility import SPEED
from simspec.figures.pad.table1 import TABLE

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (SPEED, TABLE, ROC, LABELS, CORRECTED)
