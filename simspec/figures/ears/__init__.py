"""What the figures of the EARS paper are simulated from."""

from __future__ import annotations

from simspec.figures.ears.calibration import CALIBRATION
from simspec.figures.ears.front import FRONT
from simspec.figures.ears.pardon import PARDON
from simspec.figures.ears.text_bias import TEXT_BIAS
from simspec.figures.ears.tolerance import TOLERANCE
from simspec.figures.figure import Figure

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (TOLERANCE, FRONT, CALIBRATION, PARDON, TEXT_BIAS)
