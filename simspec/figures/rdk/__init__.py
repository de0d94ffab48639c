"""What the figures of the RDK paper, and those beyond it, are simulated from."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.rdk.linear_time import LINEAR_TIME
from simspec.figures.rdk.mass import MASS
from simspec.figures.rdk.phase import PHASE
from simspec.figures.rdk.pruning import PRUNING
from simspec.figures.rdk.static_mixture import STATIC_MIXTURE
from simspec.figures.rdk.synthetic_targets import SYNTHETIC_TARGETS

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (SYNTHETIC_TARGETS, MASS, PRUNING, LINEAR_TIME, PHASE, STATIC_MIXTURE)
