"""CUDA backends, through CuPy: synthetic row pairs that are drawn on the device and never stored.

The type is that of the draws, as on a CPU: in float64 the logits have the bits of `simspec.logits.synthetic`; in float32
they are the draws that `simspec.kernels.synthetic.numba_synthetic` makes and bounds, to rounding.  Below df = 1 all is float64.

Accuracy of the laws and their sums, with u and s of `simspec.kernels.tv.cuda_tv`.  A mass is relatively off by
N = u (log V + 4 + 2) + 2 s + a few roundings: its exponentials, sums of four in the type of the logits, sums of float64
that are rescaled.  A law's logarithm is (x - m) - log mass, two differences and a logarithm rounded to the type: off by at most
2 u |log p|, whose mean is at most 2 u log V, and by N; the exponential and its sums of four add 6 u.  Only the smaller law
counts; hence `overlap_bound`.  The same bits come out for any number of threads, any batch, and from the host build that the
tests run.  CuPy is imported on first use.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simspec.checks import whole_number
from simspec.kernels import random as philox
from simspec.kernels.cuda.launch import cupy, launch, on_device
from simspec.kernels.random import Draws
from simspec.kernels.random.core import NORMAL_DF
from simspec.kernels.synthetic.reference import Model, check_rho
from simspec.kernels.tv.cuda_tv import sum_bound

__all__ = ["logits", "overlap", "overlap_bound", "sums"]


def overlap_bound(vocab: int, dtype: Any) -> float:
    """Worst-case absolute error of the overlap of two laws of `vocab` tokens, for given logits: 2 (N + u (2 log V + 6)) + s.

    >>> overlap_bound(1, np.float64) < 1e-14, overlap_bound(128_256, np.float32) < 6e-6
    (True, True)
    """
    u = float(np.finfo(dtype).eps) / 2
    s = sum_bound(vocab)
    return 2 * (u * (3 * math.log(vocab) + 12) + 2 * s + 2.0**-50) + s


def overlap(draws: Draws, vocab: int, model: Model, threads: int | None = None) -> Any:
    """Backend of `reference.overlap`: row pairs are drawn twice and never stored.

    Memory: a number a row, and two a token if location or scale are arrays.
    """
    kind, rows, arguments = _given(draws, vocab, model)
    out = cupy().empty(rows)
    sound = cupy().zeros(1, dtype=np.uint64)
    launch("synthetic", f"overlap_{kind}", rows, threads, *arguments, out, sound)
    if (wrong := rows - int(sound[0])) > 0:
        raise ValueError(f"a logit of {wrong} rows overflows: expected a smaller location or scale")
    return out


def logits(draws: Draws, vocab: int, model: Model, threads: int | None = None) -> tuple[Any, Any]:
    """`reference.logits` on the device: target and draft (n, V), in float64 to the last bit."""
    kind, rows, arguments = _given(draws, vocab, model)
    target, draft = cupy().empty((2, rows, vocab), dtype=_REAL[kind])
    launch("synthetic", f"logits_{kind}", rows, threads, *arguments, target, draft)
    return target, draft


def sums(draws: Draws, vocab: int, model: Model, threads: int | None = None) -> Any:
    """Sums of the target and of the draft logits of each row, float64 (2, n): what it costs to draw each pair once.

    The limit of `overlap`, which draws each pair twice.
    """
    kind, rows, arguments = _given(draws, vocab, model)
    out = cupy().empty((2, rows))
    launch("synthetic", f"sums_{kind}", rows, threads, *arguments, *out)
    return out


_REAL = {"f32": np.float32, "f64": np.float64}


def _given(draws: Draws, vocab: int, model: Model) -> tuple[str, int, tuple[Any, ...]]:
    """The ending of the kernels, the number of rows, and the arguments that all synthetic kernels begin with."""
    key, rows, (target, noise), dtype = draws.pair()
    whole_number("vocab", vocab, 1, 2**31)
    rho = check_rho(model.rho)
    df = philox.degrees(model.df, dtype)
    single = dtype == np.float32 and df >= 1
    kind, over = ("f32", math.sqrt(df) if df < NORMAL_DF else 1.0) if single else ("f64", 1.0)
    cp = cupy()
    tokens = []
    for name, value, minimum in (("location", model.location, -math.inf), ("scale", model.scale, 0)):
        x = (cp if on_device(value) else np).asarray(value, dtype=np.float64)  # a few numbers are checked sooner here
        if x.shape not in ((), (vocab,)) or not bool(((x >= minimum) & (x < math.inf)).all()):
            raise ValueError(f"{name}: shape {x.shape}; expected one or {vocab} finite numbers of at least {minimum}")
        tokens.append(x * over if name == "scale" else x)
    is_per_token = any(x.shape for x in tokens)
    wide = (vocab if is_per_token else 1,)
    with np.errstate(over="ignore"):  # what overflows the type is seen in the logits
        token_arrays = [
            cp.asarray((cp if on_device(x) else np).broadcast_to(x, wide).astype(_REAL[kind])) for x in tokens
        ]
    halves = np.uint32(key & 0xFFFFFFFF), np.uint32(key >> 32)
    floats = np.float64(df), np.float64(rho), np.float64(math.sqrt((1 - rho) * (1 + rho)))
    head = (*halves, np.uint64(rows.start), np.uint32(target), np.uint32(noise), *floats)
    return kind, len(rows), (*head, *token_arrays, int(is_per_token), vocab)
