"""What the figures of the papers SQS and C-SQS are simulated from."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.sqs.adaptivity import ADAPTIVITY
from simspec.figures.sqs.bits import BITS
from simspec.figures.sqs.parameters import PARAMETERS
from simspec.figures.sqs.step_size import STEP_SIZE
from simspec.figures.sqs.temperature import TEMPERATURE
from simspec.figures.sqs.terms import TERMS
from simspec.figures.sqs.threshold_paths import PATHS

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (TEMPERATURE, PARAMETERS, ADAPTIVITY, STEP_SIZE, BITS, TERMS, PATHS)
