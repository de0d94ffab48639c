r"""C-SQS thresholds of many texts at once: over laws that are drawn in the kernel and never stored, or over stored ones.

Large requests go to the Numba twin (`simspec.kernels.thresholds.loops`), small ones to the NumPy reference, which defines the
result (`simspec.kernels.thresholds.reference`); both give the same bits, whatever the number of threads, so a path cannot
part from its reference.

Accuracy.  All in float64.  Against exact arithmetic a dropped mass is relatively off by at most 2^-53 (V / 64 + 6), and
for synthetic laws by `law_bound` more; a threshold inherits step_size times the sum of these.  A path parts
from one that another softmax or another order of summation gives only where some :math:`q_x` is that close to the
threshold.

Memory, at most: the result, 20 T + 8 bytes a text; for synthetic laws 16 V bytes a call, location and scale of every token,
and 24 V bytes a thread, V in whole 1024; for stored laws a copy if they are not contiguous.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import check_memory
from simspec.kernels.random import core
from simspec.kernels.thresholds import reference
from simspec.kernels.thresholds.reference import Paths, Rows

__all__ = ["Paths", "law_bound", "stored_paths", "synthetic_paths"]

SMALL = 4096
"""Below this many probabilities loading or compiling the twin costs more than it saves."""


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
        return _empty(start, length)
    rows = Rows(key, float(df), centre, spread, first_row, stride, purpose)
    if texts * length * vocab < SMALL:
        return reference.synthetic_paths(rows, start, length, *rule, bool(keep_top))
    from simspec.kernels.softmax import compiled as cpu
    from simspec.kernels.thresholds import loops as paths_loops

    out = _empty(start, length)
    low, high, use = np.uint64(key & 0xFFFFFFFF), np.uint64(key >> 32), np.uint32(purpose)
    degrees, first, step = 0.0 if df >= core.NORMAL_DF else float(df), np.uint64(first_row), np.uint64(stride)
    cpu.split(
        lambda i, j: paths_loops.synthetic(
            low, high, degrees, use, centre, spread, first, step, rule, bool(keep_top), *out, i, j
        ),
        texts,
        texts * length * vocab,
        threads,
    )
    return out


def stored_paths(
    laws: ArrayLike,
    threshold: ArrayLike,
    step_size: float,
    dropped_target: float,
    keep_top: bool = True,
    threads: int | None = None,
) -> Paths:
    r"""C-SQS paths over stored laws: the recursion of `synthetic_paths` alone, each law read once.

    Parameters
    ----------
    laws : float array (S, T, V)
        float32 or float64 (half precision widens to float32); sums are float64 for both.
    threshold, step_size, dropped_target, keep_top, threads : as in `synthetic_paths`

    Returns
    -------
    Paths

    Raises
    ------
    ValueError
        for another shape or type, a probability that is NaN, negative or above 1.001, or as `synthetic_paths`.

    Notes
    -----
    That rows sum to one is not checked.  Equals `simspec.methods.csqs.conformal.draft_thresholds` up to the order of its sums,
    which for float32 laws are float32 there.

    Examples
    --------
    >>> laws = np.array([[[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]])
    >>> stored_paths(laws, threshold=0.5, step_size=0.5, dropped_target=0.25).thresholds.tolist()
    [[0.5, 0.375, 0.25]]
    """
    q = np.asarray(laws)
    if q.ndim != 3 or q.shape[2] == 0:
        raise ValueError(f"laws: shape {q.shape}; expected (S, T, V), a law for each token of each text")
    if q.dtype == np.float16:
        q = q.astype(np.float32)
    if q.dtype not in (np.float32, np.float64):
        raise ValueError(f"laws: dtype {q.dtype}; expected float32 or float64")
    start, rule = _thresholds(threshold, len(q)), _rule(step_size, dropped_target)
    if q.size < SMALL:
        _sound(q)
        return reference.stored_paths(q, start, *rule, bool(keep_top))
    from simspec.kernels.softmax import compiled as cpu
    from simspec.kernels.thresholds import loops as paths_loops

    out = _empty(start, q.shape[1])
    rows = np.ascontiguousarray(q).view()
    rows.flags.writeable = False
    cpu.split(lambda i, j: paths_loops.stored(rows, rule, bool(keep_top), *out, i, j), len(rows), rows.size, threads)
    wrong = np.argwhere(out.kept == -1)
    if len(wrong):
        s, n = (int(i) for i in wrong[0])
        _sound(rows[s, n][None, None], (s, n))
    return out


def _empty(start: NDArray[np.float64], length: int) -> Paths:
    texts = len(start)
    out = Paths(np.empty((texts, length + 1)), np.empty((texts, length)), np.empty((texts, length), np.int32))
    out.thresholds[:, 0] = start
    return out


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


def _sound(laws: NDArray[Any], where: tuple[int, ...] = ()) -> None:
    bad = ~((laws >= 0) & (laws <= 1.001))
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        place = (*where, at[2]) if where else at
        raise ValueError(f"laws: {laws[at]} at {place}; expected probabilities")
