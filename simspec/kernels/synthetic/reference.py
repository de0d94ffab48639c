"""What the fused synthetic overlap means, in NumPy and float64: draw the logits, form both laws, add the smaller.

Not here: speed (`simspec.kernels.synthetic.numba_synthetic`) and checks of arguments (`simspec.kernels.synthetic`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels import random as philox
from simspec.kernels.random import core
from simspec.kernels.tv.reference import softmax

__all__ = ["Model", "check_rho", "logits", "overlap", "overlap_bound"]

Floats = NDArray[np.float64]
_BLOCK = 1 << 20  # logits of each kind in memory at a time (at least one row)


class Model(NamedTuple):
    """Synthetic logits m + s z, z normal (df infinite) or Student-t, and drafts whose z is correlated with theirs by rho."""

    df: float = math.inf
    location: Any = np.float64(0)
    scale: Any = np.float64(1)
    rho: float = 1.0


def check_rho(rho: float) -> float:
    """A correlation, when it is one.

    >>> check_rho(0)
    0.0
    """
    rho = core.number("rho", rho)
    if not -1 <= rho <= 1:
        raise ValueError(f"rho: {rho}; expected a correlation from -1 to 1")
    return rho


def logits(draws: philox.Draws, vocab: int, model: Model) -> tuple[NDArray[Any], NDArray[Any]]:
    """Target and draft logits (n, V): those of `simspec.logits.synthetic`, to the bit (a test compares them).

    >>> x, y = logits(philox.Draws(1, range(2), (0, 1), np.float64), 3, Model(math.inf))
    >>> x.shape, bool((x == y).all())
    ((2, 3), True)
    """
    (df, centre, spread, rho) = model
    dtype = draws.dtype
    z, noise = (philox.student_t(draws.key, draws.rows, range(vocab), use, df=df) for use in draws.purposes)
    with np.errstate(over="ignore", invalid="ignore"):  # the results are checked instead
        x = (z * spread + centre).astype(dtype)
        noise *= math.sqrt((1 - rho) * (1 + rho)) * spread
        y = (rho * x.astype(np.float64) + (1 - rho) * centre + noise).astype(dtype)
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError(f"a logit overflows dtype = {np.dtype(dtype)}: expected a smaller location or scale")
    return x, y


def overlap(draws: philox.Draws, vocab: int, model: Model) -> Floats:
    """Sum of min(softmax(x), softmax(y)) of each row's target and draft logits, some rows at a time.

    >>> overlap(philox.Draws(1, range(2), (0, 1), np.float64), 3, Model(5.0)).round(12).tolist()
    [1.0, 1.0]
    """
    out = np.empty(len(draws.rows))
    for row_slice in _parts(len(out), vocab):
        x, y = logits(draws._replace(rows=draws.rows[row_slice]), vocab, model)
        out[row_slice] = np.minimum(softmax(x), softmax(y)).sum(axis=-1)
    return out


def overlap_bound(draws: philox.Draws, vocab: int, model: Model, units: float, law_bound: float) -> Floats:
    """Bound of the backend's error for each row, of the form that `simspec.kernels.synthetic` derives.

    `units` bounds a draw's error in units of 2**-24 radii (0 for exact draws), `law_bound` that of the laws' arithmetic.

    Without spread every logit is m: the target's are within 10 + 4, the draft's (rho = 0) within 10 + 7 units of m = 1:

    >>> bound = overlap_bound(philox.Draws(1, range(1), (0, 1), np.float64), 3, Model(5.0, 1, 0, 0.0), 10.0, 1e-7)
    >>> abs(float(bound[0]) - (1e-7 + (14 + 17) * 2**-24)) < 1e-11
    True
    """
    out = np.full(len(draws.rows), law_bound)
    if units == 0:
        return out
    for row_slice in _parts(len(out), vocab):
        some = draws._replace(rows=draws.rows[row_slice], dtype=np.dtype(np.float64))
        x, y = logits(some, vocab, model)
        target, noise = (_radii(some.key, some.rows, vocab, use, model.df) for use in some.purposes)
        target_size, fresh = (np.abs(model.location) + model.scale * radius for radius in (target, noise))
        errors = (units + 4) * target_size, (units + 7) * (np.abs(model.rho) * target_size + fresh)
        for z, error in zip((x, y), errors, strict=True):
            error = error * 2.0**-24
            out[row_slice] += np.exp(2 * error.max(axis=-1)) * (softmax(z) * error).sum(axis=-1)
    return np.minimum(out, 1)


def _radii(key: int, numbers: range, vocab: int, purpose: int, df: float) -> Floats:
    """Radii of the draws: of the words that `simspec.kernels.random` says they read."""
    tokens = np.arange(vocab)
    shared = int(core.PAIR) | (int(core.SIDE) if df == math.inf else 0)
    word_pairs = philox.words(key, numbers, tokens & ~shared, purpose)[..., ::2]
    w = core.log(core.unit(np.where(tokens & int(core.PAIR), word_pairs[..., 1], word_pairs[..., 0]))) * -2.0
    return np.sqrt(w if df == math.inf else df * core.expm1(w / df))


def _parts(rows: int, vocab: int) -> Iterator[slice]:
    step = max(1, _BLOCK // vocab)
    for first in range(0, rows, step):
        yield slice(first, min(first + step, rows))
