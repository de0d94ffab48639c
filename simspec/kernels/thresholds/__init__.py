r"""C-SQS thresholds of many texts at once, over laws that are drawn in the kernel and never stored.

The reference and the Numba twin give the same bits, whatever the number of threads, so a path cannot part from its
reference.

Accuracy.  All in float64.  Against exact arithmetic a dropped mass is relatively off by at most 2^-53 (V / 64 + 6), and
by `law_bound` more; a threshold inherits step_size times the sum of these.  A path parts
from one that another softmax or another order of summation gives only where some :math:`q_x` is that close to the
threshold.

Memory, at most: the result, 20 T + 8 bytes a text; 16 V bytes a call, location and scale of every token; and 24 V bytes a
thread, V in whole 1024.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import check_memory
from simspec.kernels.choose import choose
from simspec.kernels.random import core
from simspec.kernels.thresholds import reference
from simspec.kernels.thresholds.reference import Paths, Rows

__all__ = ["Paths", "law_bound", "synthetic_paths"]

SMALL = 4096
"""Probabilities below which the reference does the work."""


def law_bound(vocab: int, t: Any = 0.0) -> Any:
    r"""Largest relative error of a synthetic law's probability :math:`q_x`, given its logits and t = max z - z_x.

    With u = 2^-53: t + 4 u for the exponential (t from the rounding of the difference, 1 from its reduction, 3 from the
    polynomial and the product), as much on average for the sum, where t is at most log V on average, V/64 + 6 u to
    add, and u to divide.

    >>> law_bound(1024, t=20) < 7e-15
    True
    """
    return 2.0**-53 * (t + math.log(vocab) + vocab / reference.LANES + 15)


def synthetic_paths(
    texts: int,
    length: int,
    vocab: int,
    *,
    key: int,
    threshold: ArrayLike,
    step_size: float,
    dropped_target: float,
    keep_top: bool = True,
    df: float = math.inf,
    location: ArrayLike = 0,
    scale: ArrayLike = 1,
    first_row: int = 0,
    stride: int | None = None,
    purpose: int = 0,
    threads: int | None = None,
) -> Paths:
    r"""C-SQS paths over synthetic laws: thresholds, dropped masses and kept numbers of every token of every text.

    :math:`\beta_{n+1} = \beta_n - \eta(d_n - \alpha)` with :math:`d_n = \sum_{q_x < \beta_n} q_x`.
    Token n of text s has the law softmax(location + scale * t), t independent Student-t draws: that of row
    ``first_row + s * stride + n`` of `simspec.logits.student_t` (`gaussian` for infinite `df`), drawn from counters.

    Parameters
    ----------
    texts, length, vocab : int
        S >= 0, T >= 0, V from 1 to 2^31.
    key, purpose, first_row : int
        as in `simspec.logits.gaussian`.
    threshold : number or array (S,)
        :math:`\beta_1` of each text.
    step_size : number > 0
        η.
    dropped_target : number in [0, 1]
        α.
    keep_top : bool
        a threshold above the largest probability keeps the most likely token (True; of equal ones the first) or nothing
        (False; dropped mass 1).
    df : degrees of freedom, at least 0.065
    location, scale : number or (V,), finite; scale at least 0
    stride : int
        rows from one text to the next (default T).  With `first_row` it replays any stretch of any text.
    threads : int, optional
        default: as many as Numba is told to use.

    Returns
    -------
    Paths
        `thresholds` (S, T + 1), `dropped` (S, T) float64, `kept` (S, T) int32.

    Raises
    ------
    ValueError
        for an argument outside its range, or logits that overflow.

    Notes
    -----
    SQS, Eqs. 6 and 8; `simspec.methods.csqs.conformal.draft_thresholds` on stored laws of any kind.

    Examples
    --------
    >>> made = synthetic_paths(1, 2, 4, key=0, scale=0, threshold=0.5, step_size=0.5, dropped_target=0.25)  # uniform laws
    >>> made.thresholds.tolist(), made.dropped.tolist(), made.kept.tolist()
    ([[0.5, 0.25, 0.375]], [[0.75, 0.0]], [[1, 4]])
    """
    texts, length = core.integer("texts", texts, 2**40), core.integer("length", length, 2**40)
    vocab = core.integer("vocab", vocab, 2**31 + 1, 1)
    check_memory("length", length, texts * (20 * length + 8))
    check_memory("vocab", vocab, (16 + 24) * vocab)
    stride = length if stride is None else core.integer("stride", stride, 2**63)
    first_row = core.integer("first_row", first_row, 2**64)
    if texts and length and first_row + (texts - 1) * stride + length > 2**64:
        raise ValueError(f"first_row: {first_row}; expected {texts} texts of {length} rows to end below 2^64")
    key, purpose = core.integer("key", key, 2**64), core.integer("purpose", purpose, 2**32)
    if not (isinstance(df, int | float | np.integer | np.floating) and df >= 0.065):
        raise ValueError(f"df: {df!r}; expected a number >= 0.065")
    centre, spread = core.per_token("location", location, vocab), core.per_token("scale", scale, vocab, least=0)
    largest = 7.0 if df >= core.NORMAL_DF else math.sqrt(df * math.expm1(66 * math.log(2) / df))
    with np.errstate(over="ignore"):
        if not (np.abs(centre) + spread * largest < np.finfo(np.float64).max / 4).all():
            raise ValueError(f"scale: up to {spread.max()}; expected logits that do not overflow")
    centre, spread = (x if x.ndim else np.full(vocab, x) for x in (centre, spread))
    start = _thresholds(threshold, texts)
    rule = _rule(step_size, dropped_target)
    if not texts * length:
        return reference.empty(start, length)
    rows = Rows(key, float(df), centre, spread, first_row, stride, purpose)
    work = texts * length * vocab
    paths = choose("thresholds", "synthetic_paths", work, SMALL, threads=threads)
    return paths(rows, start, length, *rule, bool(keep_top))


# ---- checks ----


def _thresholds(threshold: ArrayLike, texts: int) -> NDArray[np.float64]:
    values = np.asarray(threshold, dtype=np.float64)
    if not np.isfinite(values).all() or values.shape not in ((), (texts,)):
        raise ValueError(f"threshold: {values}; expected a finite number, or one for each of {texts} texts")
    return np.broadcast_to(values, (texts,))


def _rule(step_size: float, dropped_target: float) -> tuple[float, float]:
    if not 0 < step_size < np.inf:
        raise ValueError(f"step_size: {step_size}; expected a positive number")
    if not 0 <= dropped_target <= 1:
        raise ValueError(f"dropped_target: {dropped_target}; expected a mass between 0 and 1")
    return float(step_size), float(dropped_target)
