"""What the figures of the papers SQS and C-SQS are simulated from."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.sqs.bits import BITS
from simspec.figures.sqs.link import ADAPTIVITY, PARAMETERS, STEP_SIZE, TEMPERATURE
from simspec.figures.sqs.paths import PATHS
from simspec.figures.sqs.terms import TERMS

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (TEMPERATURE, PARAMETERS, ADAPTIVITY, STEP_SIZE, BITS, TERMS, PATHS)
