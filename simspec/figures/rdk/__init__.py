"""What the figures of the RDK paper, and those beyond it, are simulated from."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.rdk.affinity import AFFINITY
from simspec.figures.rdk.linear_time import LINEAR_TIME
from simspec.figures.rdk.logit_quantiles import LOGIT_QUANTILES
from simspec.figures.rdk.logit_statistics import LOGIT_STATISTICS
from simspec.figures.rdk.mass import MASS
from simspec.figures.rdk.model_pruning import MODEL_PRUNING
from simspec.figures.rdk.phase import PHASE
from simspec.figures.rdk.probability_histogram import PROBABILITY_HISTOGRAM
from simspec.figures.rdk.probability_quantiles import PROBABILITY_QUANTILES
from simspec.figures.rdk.pruning import PRUNING
from simspec.figures.rdk.real_pruning import REAL_PRUNING
from simspec.figures.rdk.static_mixture import STATIC_MIXTURE
from simspec.figures.rdk.synthetic_targets import SYNTHETIC_TARGETS
from simspec.figures.rdk.token_frequency import TOKEN_FREQUENCY

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (
    TOKEN_FREQUENCY,
    LOGIT_STATISTICS,
    LOGIT_QUANTILES,
    PROBABILITY_HISTOGRAM,
    SYNTHETIC_TARGETS,
    MASS,
    PRUNING,
    MODEL_PRUNING,
    PROBABILITY_QUANTILES,
    AFFINITY,
    REAL_PRUNING,
    LINEAR_TIME,
    PHASE,
    STATIC_MIXTURE,
)
