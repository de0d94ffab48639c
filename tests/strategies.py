"""Hypothesis strategies: exact laws with small denominators, and what belongs to them.

A fifth of the masses is zero, so that supports that end, overlap partly or miss each other come up often.  Floating-point
laws are the exact ones converted (`as_float`), so that both arithmetics are tried on the same cases.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import Any

import numpy as np
from hypothesis import strategies as st

from simspec.laws import Array

LARGEST = 6
MASS = st.integers(0, 8)


def vocabularies(low: int = 1, high: int = LARGEST) -> st.SearchStrategy[int]:
    """Vocabulary sizes."""
    return st.integers(low, high)


def _law(drawn: tuple[int, ...]) -> Array:
    """The masses 0, 0, 1 … 7 that were drawn as 0 … 8, normalised; where all are zero, the ones say which token has it all."""
    masses = [max(0, n - 1) for n in drawn]
    if not any(masses):
        masses[sum(drawn) % len(masses)] = 1
    total = sum(masses)
    law = np.empty(len(masses), dtype=object)
    law[:] = [Fraction(mass, total) for mass in masses]
    return law


@cache
def laws(vocab: int) -> st.SearchStrategy[Array]:
    """One exact law over `vocab` tokens."""
    return st.tuples(*[MASS] * vocab).map(_law)


@cache
def batches(vocab: int, rows: int = 3) -> st.SearchStrategy[Array]:
    """A batch (rows, vocab) of exact laws; with rows = vocab, a row-stochastic matrix."""
    return st.tuples(*[laws(vocab)] * rows).map(np.stack)


@cache
@st.composite
def pairs(draw: st.DrawFn, low: int = 1, high: int = LARGEST) -> tuple[Array, Array]:
    """Two exact laws over one vocabulary; a third are the same, as Hypothesis repeats parts of what it draws."""
    law = laws(draw(vocabularies(low, high)))
    p = draw(law)
    return p, draw(law)


@cache
def masks(vocab: int) -> st.SearchStrategy[Array]:
    """A boolean mask with at least one true element; a full one is twice as likely as any other."""
    return st.tuples(*[st.booleans()] * vocab).map(
        lambda drawn: np.array(drawn) if any(drawn) else np.ones(vocab, dtype=bool)
    )


@cache
def fractions(low: Any, high: Any, largest: int) -> st.SearchStrategy[Fraction]:
    """Fractions in [low, high] with denominators up to `largest`; half of what is drawn is an end, zero or one."""
    found = {Fraction(n, d) for d in range(1, largest + 1) for n in range(ceil(low * d), floor(high * d) + 1)}
    plain = sorted(found, key=lambda x: (x.denominator, abs(x), x))
    edges = [x for x in plain if x in (low, high, 0, 1)]
    return st.one_of(st.sampled_from(edges), st.sampled_from(plain))


def shares() -> st.SearchStrategy[Fraction]:
    """Fractions in [0, 1]."""
    return fractions(0, 1, 12)


def as_float(x: Array, dtype: Any = np.float64) -> Array:
    """An exact array in floating point."""
    return np.asarray(x, dtype=dtype)


def assert_exact(x: Any) -> None:
    """Every element is an int or a Fraction: nothing became a float on the way."""
    for value in np.asarray(x, dtype=object).ravel().tolist():
        assert isinstance(value, (int, Fraction)), f"{value!r} is a {type(value).__name__}"
