"""What the figures of the TASC paper are simulated from, in the paper's own order."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.tasc.corpus_table import CORPUS_TABLE
from simspec.figures.tasc.entropy_length import ENTROPY_LENGTH
from simspec.figures.tasc.length import LENGTH
from simspec.figures.tasc.mixing import MIXING
from simspec.figures.tasc.ngram_speed import SPEED
from simspec.figures.tasc.positions import POSITIONS
from simspec.figures.tasc.token_entropy import TOKEN_ENTROPY
from simspec.figures.tasc.token_law import TOKEN_LAW

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (
    CORPUS_TABLE,
    LENGTH,
    SPEED,
    POSITIONS,
    MIXING,
    TOKEN_LAW,
    TOKEN_ENTROPY,
    ENTROPY_LENGTH,
)
