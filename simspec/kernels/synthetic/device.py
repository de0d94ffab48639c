"""CUDA twins, through CuPy: synthetic row pairs that are drawn on the device and never stored.

All is float64, and the logits have the bits of `simspec.logits.synthetic`.  Accuracy of the laws and their sums:
`simspec.kernels.softmax.device`; these sums are not rescaled.  The same bits come out for any number of threads, any
batch, and from the host build that the tests run.  CuPy is imported on first use.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simspec.checks import whole_number
from simspec.kernels import random as philox
from simspec.kernels.cuda.launch import cupy, launch
from simspec.kernels.random import Draws
from simspec.kernels.softmax.device import mass_bound, sum_bound
from simspec.kernels.synthetic.reference import Model, check_rho

__all__ = ["logits", "overlap", "overlap_bound", "sums"]


def overlap_bound(vocab: int) -> float:
    """Worst-case absolute error of the overlap of two laws of `vocab` tokens, for given logits.

    A law is off by twice the relative error of its mass, M, summed over tokens; hence the overlap of two by 4 M.

    >>> overlap_bound(1) < 1e-14
    True
    """
    return 4 * mass_bound(vocab, np.float64) + sum_bound(vocab)


def overlap(draws: Draws, vocab: int, model: Model, threads: int | None = None) -> Any:
    """Twin of `reference.overlap` in float64: row pairs are drawn three times and never stored.

    Memory: a number a row and two a token.
    """
    rows, given = _given(draws, vocab, model)
    out, sound = cupy().empty(rows), cupy().zeros(1, dtype=np.uint64)
    launch("synthetic", "synthetic_overlap", rows, threads, *given, vocab, out, sound)
    if (wrong := rows - int(sound[0])) > 0:
        raise ValueError(f"a logit of {wrong} rows overflows: expected a smaller location or scale")
    return out


def logits(draws: Draws, vocab: int, model: Model, threads: int | None = None) -> tuple[Any, Any]:
    """`reference.logits` on the device, to the last bit: target and draft, each float64 (n, V)."""
    rows, given = _given(draws, vocab, model)
    target, draft = cupy().empty((2, rows, vocab))
    launch("synthetic", "synthetic_logits", rows, threads, *given, vocab, target, draft)
    return target, draft


def sums(draws: Draws, vocab: int, model: Model, threads: int | None = None) -> Any:
    """Sums of the target and of the draft logits of each row, float64 (2, n): what it costs to draw each pair once.

    The limit of `overlap`, which draws each pair three times.
    """
    rows, given = _given(draws, vocab, model)
    out = cupy().empty((2, rows))
    launch("synthetic", "synthetic_sums", rows, threads, *given, vocab, *out)
    return out


def _given(draws: Draws, vocab: int, model: Model) -> tuple[int, tuple[Any, ...]]:
    """The number of rows, and the arguments that all synthetic kernels begin with."""
    key, rows, (target, noise), _ = draws.pair()
    whole_number("vocab", vocab, 1, 2**31)
    rho, df = check_rho(model.rho), philox.degrees(model.df, np.dtype(np.float64))
    cp, tokens = cupy(), []
    for name, value, least in (("location", model.location, -math.inf), ("scale", model.scale, 0)):
        x = cp.asarray(value, dtype=np.float64)
        if x.shape not in ((), (vocab,)) or not bool(((x >= least) & (x < math.inf)).all()):
            raise ValueError(f"{name}: shape {x.shape}; expected one or {vocab} finite numbers of at least {least}")
        tokens.append(cp.ascontiguousarray(cp.broadcast_to(x, (vocab,))))
    halves = np.uint32(key & 0xFFFFFFFF), np.uint32(key >> 32)
    floats = df, np.float64(rho), np.float64(math.sqrt((1 - rho) * (1 + rho)))
    return len(rows), (*halves, np.uint64(rows.start), np.uint32(target), np.uint32(noise), *floats, *tokens)
