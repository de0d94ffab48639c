r"""C-SQS thresholds of many texts at once, over laws that are drawn in the kernel and never stored.

The reference and the Numba backend give the same bits, whatever the number of threads, so a path cannot part from its
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

from simspec.checks import check_memory, whole_number
from simspec.kernels.choose import choose
from simspec.kernels.random import Draws, core
from simspec.kernels.synthetic.reference import Model
from simspec.kernels.thresholds import reference
from simspec.kernels.thresholds.reference import Paths, Rows, Rule

__all__ = ["Draws", "Model", "Paths", "Rule", "law_bound", "synthetic_paths"]

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
    draws: Draws, length: int, vocab: int, model: Model, rule: Rule, *, threads: int | None = None
) -> Paths:
    r"""C-SQS paths over synthetic laws: thresholds, dropped masses and kept numbers of every token of every text.

    :math:`\beta_{n+1} = \beta_n - \eta(d_n - \alpha)` with :math:`d_n = \sum_{q_x < \beta_n} q_x`.
    Token n of text s has the law softmax(location + scale * t), t independent Student-t draws: that of row
    ``draws.rows[s] + n`` of `simspec.logits.student_t` (`gaussian` for infinite `df`), drawn from counters.

    Parameters
    ----------
    draws : Draws, of float64
        its rows, a range, are the first row of each of the S texts: texts share no row where its step is at least T, and
        any stretch of any text can be replayed.  The first purpose is read.
    length, vocab : int
        T >= 0, V from 1 to 2^31.
    model : Model
        `df` of at least 0.065, `location` and `scale`, numbers or (V,), finite, scale at least 0; `rho` is not read.
    rule : Rule
        `threshold`, :math:`\beta_1`, a number or (S,); `step_size` η > 0; `dropped_target` α in [0, 1]; `keep_top`: whether
        a threshold above the largest probability keeps the most likely token (of equal ones the first) or nothing (dropped
        mass 1).
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
    >>> made = synthetic_paths(Draws(0, range(1)), 2, 4, Model(scale=0), Rule(0.5, 0.5, 0.25))  # uniform laws
    >>> made.thresholds.tolist(), made.dropped.tolist(), made.kept.tolist()
    ([[0.5, 0.25, 0.375]], [[0.75, 0.0]], [[1, 4]])
    """
    key, numbers, (purpose, *_), dtype = draws.checked()
    length = whole_number("length", length, 0, 2**40 - 1)
    if not isinstance(numbers, range) or numbers.step < 1 or (numbers and numbers[-1] + length > 2**64):
        raise ValueError(f"rows: {draws.rows!r}; expected a range that rises, its texts of {length} rows below 2^64")
    if dtype != np.float64:
        raise ValueError(f"dtype: {dtype}; expected float64")
    texts = len(numbers)
    vocab = whole_number("vocab", vocab, 1, 2**31)
    check_memory("length", length, texts * (20 * length + 8))
    check_memory("vocab", vocab, (16 + 24) * vocab)
    df = model.df
    if not (isinstance(df, int | float | np.integer | np.floating) and df >= 0.065):
        raise ValueError(f"df: {df!r}; expected a number >= 0.065")
    centre = core.per_token("location", model.location, vocab)
    spread = core.per_token("scale", model.scale, vocab, minimum=0)
    largest = 7.0 if df >= core.NORMAL_DF else math.sqrt(df * math.expm1(66 * math.log(2) / df))
    with np.errstate(over="ignore"):
        if not (np.abs(centre) + spread * largest < np.finfo(np.float64).max / 4).all():
            raise ValueError(f"scale: up to {spread.max()}; expected logits that do not overflow")
    centre, spread = (x if x.ndim else np.full(vocab, x) for x in (centre, spread))
    start = _thresholds(rule.threshold, texts)
    moves = _moves(rule)
    if not texts * length:
        return reference.empty(start, length)
    rows = Rows(key, float(df), centre, spread, numbers.start, numbers.step, purpose)
    work = texts * length * vocab
    paths = choose("thresholds", "synthetic_paths", work, SMALL, threads=threads)
    return paths(rows, start, length, *moves)


# ---- checks ----


def _thresholds(threshold: ArrayLike, texts: int) -> NDArray[np.float64]:
    values = np.asarray(threshold, dtype=np.float64)
    if not np.isfinite(values).all() or values.shape not in ((), (texts,)):
        raise ValueError(f"threshold: {values}; expected a finite number, or one for each of {texts} texts")
    return np.broadcast_to(values, (texts,))


def _moves(rule: Rule) -> tuple[float, float, bool]:
    _, step_size, dropped_target, keep_top = rule
    if not 0 < step_size < np.inf:
        raise ValueError(f"step_size: {step_size}; expected a positive number")
    if not 0 <= dropped_target <= 1:
        raise ValueError(f"dropped_target: {dropped_target}; expected a mass between 0 and 1")
    return float(step_size), float(dropped_target), bool(keep_top)
