r"""The tokens beyond the k most likely ones: only their mass is known, and a power law says how it is spread.

Token j > k is taken to have the mass :math:`c\,(j/k)^{-a}`, up to a vocabulary of `VOCAB` tokens.  The exponent a continues the
listed ones: with :math:`c = p_k` an endless tail of mass r has :math:`a = 1 + k\,p_k/r`; c is then set so that the mass is r.
Bets need it to say where the mass of the rest goes under another temperature, or under min-p.  A bet stays fair whatever the
tail is: a wrong guess only wins less.

What is not here: the bets themselves (`bets`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simspec.laws import Array

__all__ = ["Tail", "tail_of"]

VOCAB = 50_000
"""Tokens of the vocabulary.  It is not known; the bets hardly depend on it."""
FLATTEST = 1.02
"""Least exponent: a tail that is as good as flat, where the rest has much more mass than the k-th token allows."""


class Tail(NamedTuple):
    """A power law beyond the k-th token: :math:`c\\,(j/k)^{-a}` at rank j.

    Attributes
    ----------
    start : int; k
    height : float; c, the mass of a token just beyond the k-th
    exponent : float; a
    """

    start: int
    height: float
    exponent: float

    def powered(self, powers: Array) -> Array:
        """Sums of the masses to some powers, :math:`\\sum_{j>k} p_j^\\beta`, in the same shape."""
        return self.height**powers * self.start * _integral(self.exponent * powers, math.log(VOCAB / self.start))

    def above(self, threshold: float) -> float:
        """The share of the tail's mass on tokens with a mass of at least `threshold` > 0.

        The masses fall with the third power of the rank: an eighth stands at twice the first rank, and 1 - 1/4 before it.

        >>> tail = tail_of((0.5, 0.25), 0.25)
        >>> round(tail.above(0.25 / 8), 6), tail.above(0.5)
        (0.75, 0.0)
        """
        if threshold >= self.height:
            return 0.0
        log_end = math.log(VOCAB / self.start)
        log_threshold_rank = min(math.log(self.height / threshold) / self.exponent, log_end)
        exponent = np.array(self.exponent)
        return float(_integral(exponent, log_threshold_rank) / _integral(exponent, log_end))


def _integral(exponents: Array, log_end: float) -> Array:
    r"""Integrals :math:`\int_1^{e^L} x^{-a}\,dx`, at a = 1 too."""
    slopes = exponents - 1
    is_near = np.abs(slopes) < 1e-9
    safe = np.where(is_near, 1.0, slopes)
    return np.where(is_near, log_end, -np.expm1(-safe * log_end) / safe)


def tail_of(listed: tuple[float, ...], rest: float) -> Tail:
    """The tail of a law of which the k most likely tokens and the mass of all others are known, all of them positive.

    >>> tail = tail_of((0.5, 0.25), 0.25)
    >>> tail.exponent, tail.powered(np.array([1.0])).round(12).tolist()
    (3.0, [0.25])
    """
    k = len(listed)
    exponent = max(1 + k * listed[-1] / rest, FLATTEST)
    height = rest / (k * float(_integral(np.array(exponent), math.log(VOCAB / k))))
    return Tail(k, height, exponent)
