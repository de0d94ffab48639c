"""CUDA twins, through CuPy, for arrays on their device: total variation, and synthetic row pairs that are never stored.

Accuracy.  With u = 2^-24 (float32 logits) or 2^-53 an exponential at t = x - m, where m is the row's largest logit, has
relative error at most u (|t| + 4): |t| from the rounding of x - m, 4 from `cuda/real.h`.  Under softmax the mean of |t|
is at most log V and that of t^2 at most log^2 V + 1.  All sums are float64, over 256 lanes and then a tree, so a
sum of V numbers that are not negative is relatively off by at most 2^-53 (V / 256 + 9).  A lane's sum of exponentials
is rescaled where a step of 8 tokens holds a larger logit, which costs 5 * 2^-53 at most V / 2048 + 2 times: together
2^-53 (V / 256 + 10) at most.  Hence `bounds`.  The same bits come out for any number of threads, any batch, and from the
host build that the tests run.

Rows with NaN, plus infinity or nothing but minus infinity give NaN, as in the reference: the input is not checked.

CuPy is imported on first use.  Memory: the results, a few numbers a row, and a copy of logits that are not contiguous.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from simspec.kernels import random as philox
from simspec.kernels.cuda.launch import as_rows, cupy, kind, launch
from simspec.kernels.random import core

__all__ = [
    "Bounds",
    "bounds",
    "synthetic_logits",
    "synthetic_overlap",
    "synthetic_sums",
    "tv_from_logits",
]


class Bounds(NamedTuple):
    """Worst-case absolute errors."""

    tv: float
    overlap: float


def bounds(vocab: int, dtype: Any) -> Bounds:
    """Worst-case absolute errors for rows of `vocab` logits of a type.

    With L = log V + 1 and s = 2^-53 (V / 256 + 9): a sum of exponentials is relatively off by M = u (L + 3) + s and a few
    roundings, one that was rescaled by N = M + s + 2^-53.  A law is off by twice that, summed over tokens; hence half the
    distance of two by 2 N, and the overlap of two, whose sums are not rescaled, by 4 M.

    >>> bounds(128_256, np.float32).tv < 5e-6, bounds(1, np.float64).overlap < 1e-14
    (True, True)
    """
    s = 2.0**-53 * (vocab / 256 + 9)
    mass = float(np.finfo(dtype).eps) / 2 * (math.log(vocab) + 4) + s + 2.0**-51
    return Bounds(2 * (mass + s + 2.0**-53) + s, 4 * mass + s)


def tv_from_logits(a: Any, b: Any, threads: int | None = None) -> Any:
    """Twin of `reference.tv_from_logits` for two float32 or two float64 arrays of one shape (..., V)."""
    x, y = as_rows(a, "a"), as_rows(b, "b")
    if a.shape != b.shape or x.dtype != y.dtype:
        raise ValueError(f"b: {b.dtype} {b.shape}; expected the type and shape of a, {a.dtype} {a.shape}")
    out = cupy().empty(len(x))
    launch("tv", f"tv_{kind(x)}", len(x), threads, x, y, x.shape[1], out)
    return out.reshape(a.shape[:-1])


# ---- synthetic row pairs ----


def synthetic_overlap(rows: int, vocab: int, *, threads: int | None = None, **model: Any) -> Any:
    """Twin of `simspec.kernels.synthetic.synthetic_overlap` in float64: row pairs are drawn three times and never stored.

    The logits have the bits of `simspec.logits.synthetic`, so `bounds` of float64 hold.  Memory: a number a row and two a
    token.
    """
    given, out, sound = _model(rows, vocab, **model), cupy().empty(rows), cupy().zeros(1, dtype=np.uint64)
    launch("synthetic", "synthetic_overlap", rows, threads, *given, vocab, out, sound)
    if (wrong := rows - int(sound[0])) > 0:
        raise ValueError(f"a logit of {wrong} rows overflows: expected a smaller location or scale")
    return out


def synthetic_logits(rows: int, vocab: int, *, threads: int | None = None, **model: Any) -> tuple[Any, Any]:
    """`synthetic_reference.logits` on the device, to the last bit: target and draft, each float64 (n, V)."""
    given, (target, draft) = _model(rows, vocab, **model), cupy().empty((2, rows, vocab))
    launch("synthetic", "synthetic_logits", rows, threads, *given, vocab, target, draft)
    return target, draft


def synthetic_sums(rows: int, vocab: int, *, threads: int | None = None, **model: Any) -> Any:
    """Sums of the target and of the draft logits of each row, float64 (2, n): what it costs to draw each pair once.

    The limit of `synthetic_overlap`, which draws each pair three times.
    """
    given, out = _model(rows, vocab, **model), cupy().empty((2, rows))
    launch("synthetic", "synthetic_sums", rows, threads, *given, vocab, *out)
    return out


def _model(rows, vocab, *, key, rho, df=math.inf, location=0, scale=1, first_row=0, purpose=0, draft_purpose=1):
    """The arguments that all synthetic kernels begin with."""
    core.integer("rows", rows, 2**63)
    core.integer("vocab", vocab, 2**31 + 1, 1)
    core.integer("first_row + rows", core.integer("first_row", first_row, 2**64) + rows, 2**64 + 1)
    if purpose == draft_purpose:
        raise ValueError(
            f"draft_purpose = {draft_purpose}: expected another than the target's, or the noise is its own"
        )
    if not -1 <= core.number("rho", rho) <= 1:
        raise ValueError(f"rho = {rho}: expected a correlation from -1 to 1")
    cp, tokens = cupy(), []
    for name, value, least in (("location", location, -math.inf), ("scale", scale, 0)):
        x = cp.asarray(value, dtype=np.float64)
        if x.shape not in ((), (vocab,)) or not bool(((x >= least) & (x < math.inf)).all()):
            raise ValueError(f"{name}: shape {x.shape}; expected one or {vocab} finite numbers of at least {least}")
        tokens.append(cp.ascontiguousarray(cp.broadcast_to(x, (vocab,))))
    purposes = _u32("purpose", purpose), _u32("draft_purpose", draft_purpose)
    floats = _degrees(df), np.float64(rho), np.float64(math.sqrt((1 - rho) * (1 + rho)))
    return *_halves(key), np.uint64(first_row), *purposes, *floats, *tokens


def _halves(key: int) -> tuple[np.uint32, np.uint32]:
    key = core.integer("key", key, 2**64)
    return np.uint32(key & 0xFFFFFFFF), np.uint32(key >> 32)


def _degrees(df: float) -> np.float64:
    return philox._degrees(df, np.dtype(np.float64))


def _u32(name: str, value: int) -> np.uint32:
    return np.uint32(core.integer(name, value, 2**32))
