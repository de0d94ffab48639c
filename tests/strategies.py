"""Hypothesis strategies: exact laws with small denominators, and what belongs to them.

A fifth of the masses is zero, so that supports that end, overlap partly or miss each other come up often.  Floating-point
laws are the exact ones converted (`as_float`), so that both arithmetics are tried on the same cases.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from simspec.laws import Array, exact

LARGEST = 6
MASS = st.integers(0, 8).map(lambda n: max(0, n - 1))


def vocabularies(low: int = 1, high: int = LARGEST) -> st.SearchStrategy[int]:
    """Vocabulary sizes."""
    return st.integers(low, high)


@st.composite
def laws(draw: st.DrawFn, vocab: int) -> Array:
    """One exact law over `vocab` tokens."""
    masses = draw(st.lists(MASS, min_size=vocab, max_size=vocab))
    if not any(masses):
        masses[draw(st.integers(0, vocab - 1))] = 1
    return exact(np.array(masses)) / sum(masses)


@st.composite
def batches(draw: st.DrawFn, vocab: int, rows: int = 3) -> Array:
    """A batch (rows, vocab) of exact laws; with rows = vocab, a row-stochastic matrix."""
    return np.stack([draw(laws(vocab)) for _ in range(rows)])


@st.composite
def pairs(draw: st.DrawFn, low: int = 1, high: int = LARGEST) -> tuple[Array, Array]:
    """Two exact laws over one vocabulary, sometimes the same."""
    vocab = draw(vocabularies(low, high))
    p = draw(laws(vocab))
    return p, draw(st.one_of(laws(vocab), st.just(p)))


@st.composite
def masks(draw: st.DrawFn, vocab: int) -> Array:
    """A boolean mask with at least one true element."""
    mask = np.array(draw(st.lists(st.booleans(), min_size=vocab, max_size=vocab)))
    mask[draw(st.integers(0, vocab - 1))] = True
    return mask


def shares() -> st.SearchStrategy[Fraction]:
    """Fractions in [0, 1]."""
    return st.fractions(0, 1, max_denominator=12)


def as_float(x: Array, dtype: Any = np.float64) -> Array:
    """An exact array in floating point."""
    return np.asarray(x, dtype=dtype)


def assert_exact(x: Any) -> None:
    """Every element is an int or a Fraction: nothing became a float on the way."""
    for value in np.asarray(x, dtype=object).ravel().tolist():
        assert isinstance(value, (int, Fraction)), f"{value!r} is a {type(value).__name__}"
