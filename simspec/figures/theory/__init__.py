"""What the figures of the theory around the test are simulated from."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.theory.cascades import CASCADES
from simspec.figures.theory.certificates import CERTIFICATES
from simspec.figures.theory.parallel import PARALLEL
from simspec.figures.theory.rate_falls import RATE_FALLS
from simspec.figures.theory.rounding import ROUNDING
from simspec.figures.theory.watermarks import WATERMARKS

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (CERTIFICATES, ROUNDING, PARALLEL, CASCADES, WATERMARKS, RATE_FALLS)
