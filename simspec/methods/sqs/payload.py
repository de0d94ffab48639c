"""How many bits a quantised law takes: a subset of the vocabulary, then a lattice point on it; exact, or as logarithms."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from simspec.checks import needs, whole_number
from simspec.laws import Array

__all__ = [
    "adaptive_subset_bits",
    "check_binomial",
    "check_resolution",
    "dense_bits",
    "lattice_bits",
    "lattice_log2",
    "payload_bits",
    "payload_log2",
    "subset_bits",
    "subset_log2",
]


LARGEST = 2**40
"""Bits of a binomial times its factors up to which it is computed exactly: some seconds."""


def subset_bits(vocab: int, k: int) -> int:
    r"""Bits of a subset of known size (K-SQS), :math:`\lceil \log_2 \binom{V}{k} \rceil`, exact (SQS, Eq. 5).

    >>> subset_bits(4, 2), subset_bits(4, 4), subset_bits(4, 0)  # 6 subsets, 1 and 1
    (3, 0, 0)
    """
    vocab = whole_number("vocab", vocab, 1, None, "a number of tokens >= 1")
    k = whole_number("k", k, 0, vocab, f"a number of tokens between 0 and V = {vocab}")
    return _log2_above(vocab, k, "k")


def adaptive_subset_bits(vocab: int, k: int) -> int:
    r"""Bits of a subset and its size (C-SQS), :math:`\lceil \log_2 \binom{V}{k} \rceil + \lceil \log_2 V \rceil`.

    The second part tells V sizes apart, 1 to V: an empty subset has no place in it and is refused.

    >>> adaptive_subset_bits(4, 2)
    5
    """
    vocab = whole_number("vocab", vocab, 1, None, "a number of tokens >= 1")
    k = whole_number("k", k, 1, vocab, f"a number of tokens between 1 and V = {vocab}")
    return subset_bits(vocab, k) + (vocab - 1).bit_length()


def lattice_bits(k: int, resolution: int) -> int:
    r"""Bits of a lattice point, :math:`\lceil \log_2 \binom{\ell + k - 1}{k - 1} \rceil`, exact (SQS, Eq. 2).

    >>> lattice_bits(2, 3), lattice_bits(1, 100)  # (3,0) (2,1) (1,2) (0,3); a single point
    (2, 0)
    """
    k = whole_number("k", k, 1, None, "a number of tokens >= 1")
    resolution = check_resolution(resolution)
    return _log2_above(resolution + k - 1, k - 1, "resolution")


def payload_bits(vocab: int, k: int, resolution: int, adaptive: bool = False) -> int:
    """Bits of one quantised law: subset (with its size when `adaptive`: C-SQS) and lattice point (SQS, Eq. 1).

    >>> payload_bits(4, 2, 3), payload_bits(4, 2, 3, adaptive=True)
    (5, 7)
    """
    k = whole_number("k", k, 1, vocab, f"a number of tokens between 1 and V = {vocab}")
    return (adaptive_subset_bits if adaptive else subset_bits)(vocab, k) + lattice_bits(k, resolution)


def dense_bits(vocab: int, resolution: int) -> int:
    """Bits of one quantised law of which every token is kept: no subset, a lattice point over V tokens.

    >>> dense_bits(2, 3)
    2
    """
    return lattice_bits(vocab, resolution)


def subset_log2(vocab: Array | int, k: Array | int) -> Array:
    r"""Real-valued :math:`\log_2 \binom{V}{k}` for arrays, not rounded up; minus infinity unless 0 <= k <= V.

    Absolute error below :math:`10^{-15} (V + 10) \log_2 (V + 2)`, 2.2e-9 for V = 128,256.  To round up use
    `subset_bits`: the ceiling of a float is wrong near powers of two.

    >>> subset_log2(4, np.array([1, 2])).round(6).tolist()
    [2.0, 2.584963]
    """
    (special,) = needs("bits of arrays", "scipy.special")
    gammaln = special.gammaln
    n = np.asarray(vocab, dtype=np.float64)
    m = np.asarray(k, dtype=np.float64)
    inside = (m >= 0) & (m <= n)
    m = np.where(inside, m, 0)
    return np.where(inside, (gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1)) / math.log(2), -np.inf)


def lattice_log2(k: Array | int, resolution: Array | int) -> Array:
    r"""Real-valued :math:`\log_2 \binom{\ell + k - 1}{k - 1}` for arrays; error as `subset_log2` with ℓ + k − 1 for V.

    >>> lattice_log2(np.array([1, 2]), 3).round(6).tolist()
    [0.0, 2.0]
    """
    k = np.asarray(k)
    return subset_log2(np.asarray(resolution) + k - 1, k - 1)


def payload_log2(vocab: int, k: Array | int, resolution: Array | int, adaptive: bool = False) -> Array:
    r"""Real-valued payload for arrays of k: logarithms not rounded up, plus :math:`\log_2 V` when `adaptive`.

    >>> payload_log2(4, np.array([2]), 3, adaptive=True).round(6).tolist()
    [6.584963]
    """
    return subset_log2(vocab, k) + lattice_log2(k, resolution) + (math.log2(vocab) if adaptive else 0)


@lru_cache(maxsize=4096)
def _log2_above(n: int, k: int, name: str) -> int:
    """ceil(log2 C(n, k)), exact: by logarithms where they are surely away from an integer, else by the binomial.

    `name` is the argument to be blamed for a binomial that is too large.
    """
    if k > 64 and n - k > 64 and n < 2**40:
        nats = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        bits = nats / math.log(2)
        doubt = 1e-13 * math.lgamma(n + 1)
        if doubt < bits - math.floor(bits) < 1 - doubt:
            return math.ceil(bits)
    check_binomial(name, n, k)
    return (math.comb(n, k) - 1).bit_length()


# ---- checks ----


def check_binomial(name: str, n: int, k: int) -> None:
    r"""Refuse an exact :math:`\binom{n}{k}` that would take more than about ten seconds, whatever memory there is.

    It has at most m log2(e n / m) bits, m = min(k, n - k), and its time grows with these times m.

    >>> check_binomial("k", 10**12, 5 * 10**11)
    Traceback (most recent call last):
    ...
    ValueError: k: would take the exact binomial of 1000000000000 over 500000000000; expected at most 2**40 bits times factors
    """
    smaller = min(k, n - k)
    bits = smaller * (n.bit_length() - smaller.bit_length() + 3)
    if bits * smaller > LARGEST:
        description = " over ".join(str(v) if v < 10**20 else f"a number of {v.bit_length()} bits" for v in (n, k))
        raise ValueError(
            f"{name}: would take the exact binomial of {description}; expected at most 2**40 bits times factors"
        )


def check_resolution(value: int) -> int:
    """A lattice resolution ℓ, an integer >= 1.

    >>> check_resolution(0)
    Traceback (most recent call last):
    ...
    ValueError: resolution: 0; expected an integer >= 1
    """
    return whole_number("resolution", value, 1, None, "an integer >= 1")
