"""Bigrams of texts, and what is told about their counts: entropy, coverage, and both at a smaller size of sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simspec.laws import Array
from simspec.logits.corpora import words

__all__ = ["SHARE", "Bigrams", "Spectrum", "bigrams", "covering", "entropy_bits", "spectrum", "thinned"]

SHARE = 0.8
"""The share of the occurrences that TASC's Table 1 asks to be covered."""


class Bigrams(NamedTuple):
    """The bigrams of some texts, none across texts: of each occurrence its type and its text; how many types and texts."""

    types: Array
    texts: Array
    vocab: int
    number: int

    def counts(self, weights: Array | None = None) -> Array:
        """Occurrences of each type, each text counted `weights` times (integers)."""
        occurrence_weights = None if weights is None else weights[self.texts]
        return np.bincount(self.types, occurrence_weights, minlength=self.vocab).astype(np.int64)


def bigrams(texts: Sequence[str], split: Callable[[str], list[str]] = words) -> Bigrams:
    """Word bigrams of texts; a text of fewer than two words has none.

    >>> found = bigrams(["a b a b", "b", "a b"])
    >>> found.counts().tolist(), found.texts.tolist()
    ([3, 1], [0, 0, 0, 2])
    """
    number: dict[str, int] = {}
    listed = [[number.setdefault(word, len(number)) for word in split(text)] for text in texts]
    lengths = np.array([len(line) for line in listed], dtype=np.int64)
    flat = np.fromiter((n for line in listed for n in line), dtype=np.int64, count=int(lengths.sum()))
    text = np.repeat(np.arange(len(listed)), lengths)
    within = text[1:] == text[:-1]
    pairs = (flat[:-1] * max(len(number), 1) + flat[1:])[within]
    names, types = np.unique(pairs, return_inverse=True)
    return Bigrams(types.astype(np.int64), text[1:][within], len(names), len(listed))


class Spectrum(NamedTuple):
    """How many types occur how often: all that entropy, coverage and thinning ask of the counts.

    Attributes
    ----------
    kept : (K,) integers, ascending; numbers of occurrences, at least 1
    types : (K,) integers, or floats for expected numbers; how many types have each
    """

    kept: Array
    types: Array

    @property
    def total(self) -> Any:
        """Occurrences in all."""
        return self.kept @ self.types


def spectrum(counts: ArrayLike) -> Spectrum:
    """Spectrum of the counts of each type; types that do not occur are left out.

    Raises ValueError for counts that are no integers, a negative one, or none above zero.

    >>> found = spectrum([2, 1, 0, 1])
    >>> found.kept.tolist(), found.types.tolist()
    ([1, 2], [2, 1])
    """
    c = np.asarray(counts)
    if c.dtype.kind not in "iu" or c.ndim != 1 or not c.size or c.min() < 0 or c.max() == 0:
        raise ValueError(f"counts: {c.dtype} of shape {c.shape}; expected integers >= 0, at least one of them above")
    return Spectrum(*np.unique(c[c > 0], return_counts=True))


def entropy_bits(count_spectrum: Spectrum) -> float:
    r"""Shannon entropy :math:`-\sum_x \hat p_x \log_2 \hat p_x` of an empirical law, in bits.

    >>> entropy_bits(spectrum([2, 1, 1]))
    1.5
    """
    mass = count_spectrum.kept * count_spectrum.types / count_spectrum.total
    return float(np.log2(count_spectrum.total) - mass @ np.log2(count_spectrum.kept)) + 0.0


def covering(count_spectrum: Spectrum, share: float = SHARE) -> float:
    """Least number of types whose occurrences are at least `share` of all.

    Of expected numbers of types (floats) the last is taken in part.

    Parameters
    ----------
    count_spectrum : Spectrum
    share : number in (0, 1]; read as the decimal it is written as, so that 0.8 of 5 is 4

    >>> covering(spectrum([3, 1, 1])), covering(spectrum([1, 1, 1, 1, 1]))
    (2.0, 4.0)
    """
    if not 0 < share <= 1:
        raise ValueError(f"share: {share}; expected a share in (0, 1]")
    k = count_spectrum.kept[::-1]
    m = count_spectrum.types[::-1]
    mass = np.cumsum(k * m)
    is_integer = m.dtype.kind in "iu"
    exact_share = Fraction(str(share))
    needed = -(-int(mass[-1]) * exact_share.numerator // exact_share.denominator) if is_integer else share * mass[-1]
    last = min(int(np.searchsorted(mass, needed)), len(k) - 1)
    rest = needed - (mass[last] - k[last] * m[last])
    return float(m[:last].sum() + (-(-rest // k[last]) if is_integer else rest / k[last]))


@lru_cache(maxsize=4)
def _log_factorials(size: int) -> Array:
    table = np.zeros(size + 1)
    np.cumsum(np.log(np.arange(1, size + 1)), out=table[1:])
    return table


def thinned(count_spectrum: Spectrum, size: int) -> Spectrum:
    r"""What `size` of all occurrences, drawn at random without replacement, hold in expectation.

    A type with c of the n occurrences keeps k of them with the hypergeometric probability
    :math:`\binom{c}{k}\binom{n-c}{m-k}/\binom{n}{m}`; summed over types.  The entropy of the result is the expected
    entropy of a draw; its coverage is that of the expected spectrum, close to the expected coverage for many types.

    Parameters
    ----------
    count_spectrum : Spectrum, of integers
    size : int in [1, number of occurrences]

    Raises ValueError for more occurrences than there are, or none.

    Two of the letters a, a, b: with chance 1/3 both are a, else one is a and one b.

    >>> two = thinned(spectrum([2, 1]), 2)
    >>> two.kept.tolist(), np.round(two.types, 6).tolist()
    ([1, 2], [1.333333, 0.333333])
    """
    c = count_spectrum.kept
    n = int(count_spectrum.total)
    if not 1 <= size <= n:
        raise ValueError(f"size: {size}; expected 1 to {n}, the number of occurrences")
    log = _log_factorials(1 << (n - 1).bit_length())
    mean = c * (size / n)
    reach = 10 * np.sqrt(mean * (1 - size / n)) + 10  # what lies beyond has less than 1e-15 of the mass
    low = np.maximum(np.maximum(np.floor(mean - reach).astype(np.int64), 0), size - (n - c))
    high = np.minimum(np.minimum(np.ceil(mean + reach).astype(np.int64), c), size)
    width = high - low + 1
    k = np.arange(int(width.sum())) - np.repeat(np.cumsum(width) - width - low, width)
    full_counts = np.repeat(c, width)
    chance = (
        log[full_counts]
        - log[k]
        - log[full_counts - k]
        + log[n - full_counts]
        - log[size - k]
        - log[n - full_counts - size + k]
    )
    mass = np.exp(chance - (log[n] - log[size] - log[n - size])) * np.repeat(count_spectrum.types, width)
    expected = np.bincount(k, mass)[1:]
    nonzero = np.flatnonzero(expected)
    return Spectrum(nonzero + 1, expected[nonzero])
