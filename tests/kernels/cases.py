"""Rows of logits on which every backend is compared with its reference: random ones, and the table of extremes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from simspec.kernels.random import Draws

INF = float("inf")
FLOATS = [np.float32, np.float64]


@cache
def alone(function: Any) -> Any:
    """What kernels alone call, for a call from Python."""
    import numba

    return numba.njit(lambda *given: function(*given))


def drawn(rows, key=0, first=0, purposes=(0, 1), dtype=np.float64):
    """What identifies the draws of so many rows."""
    return Draws(key, range(first, first + rows), purposes, np.dtype(dtype))


def logits(rows, vocab, dtype=np.float32, seed=0, scale=3.0, offset=0.0, masked=0.0):
    """Normal logits, some masked, with at least one token left in each row."""
    rng = np.random.default_rng([seed, rows, vocab])
    z = rng.standard_normal((rows, vocab)) * scale + offset
    z[rng.random((rows, vocab)) < masked] = -INF
    z[np.arange(rows), rng.integers(vocab, size=rows)] = offset
    return z.astype(dtype)


def one_hot(vocab, at, dtype):
    """A row that draws one token for certain."""
    z = np.full((1, vocab), -INF, dtype=dtype)
    z[0, at] = 0
    return z


def _masked_below(first, vocab, dtype):
    return np.where(np.arange(vocab) < first, -INF, logits(2, vocab, dtype)).astype(dtype)


def _peak(height, at, floor, dtype, vocab=128_256):
    return np.where(np.arange(vocab) == at, height, floor)[None].astype(dtype)


EXTREME: dict[str, Callable[[int, Any], tuple[Any, Any]]] = {
    "same row": lambda n, d: (logits(2, n, d), logits(2, n, d)),
    "ties": lambda n, d: (np.zeros((2, n), d), np.round(logits(2, n, d))),
    "one token each, disjoint": lambda n, d: (one_hot(n, 7, d), one_hot(n, n - 1, d)),
    "one token each, the same": lambda n, d: (one_hot(n, n - 1, d), one_hot(n, n - 1, d)),
    "huge offsets": lambda n, d: (logits(2, n, d, offset=1e6), logits(2, n, d, seed=1, offset=-3e5)),
    "enormous range": lambda n, d: (logits(2, n, d, scale=1e30), logits(2, n, d, seed=1, scale=1e30)),
    "tiny range": lambda n, d: (logits(2, n, d, scale=1e-30), logits(2, n, d, seed=1, scale=1e-3)),
    "rising and falling": lambda n, d: (
        np.linspace(-50, 60, 3 * n, dtype=d)[None],
        np.linspace(60, -50, 3 * n, dtype=d)[None],
    ),
    "the first half, and all but one, masked": lambda n, d: (_masked_below(n // 2, n, d), _masked_below(n - 1, n, d)),
    "a difference far down": lambda n, d: (np.array([[0, -60]], d), np.array([[0, -61]], d)),
    "smallest normal": lambda n, d: (
        np.array([[0, -np.finfo(d).tiny]], d),
        np.array([[np.finfo(d).smallest_subnormal, 0]], d),
    ),
    "peak over a flat tail": lambda n, d: (_peak(9.3, 5, -0.37, d), _peak(11.7, 9, -0.11, d)),
    "no rows": lambda n, d: (np.zeros((0, n), d), np.zeros((0, n), d)),
}
"""Pairs of rows of about so many tokens, of a type."""


BROKEN = ["nan", "-nan", "+inf", "all -inf", "nan among -inf"]
"""What makes a row have no softmax."""


def broken(rows, which, at, kind):
    """A copy of `rows` in which one row has no softmax, for a reason of `BROKEN` at a token."""
    out = rows.copy()
    if "all -inf" in kind or "among" in kind:
        out[which] = -INF
    if kind != "all -inf":
        out[which, at] = {"+inf": INF, "-nan": np.copysign(np.nan, -1)}.get(kind, np.nan)
    return out
