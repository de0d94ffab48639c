"""CUDA backend, through CuPy, for logits on their device: total variation.

Which kernel runs.  `held.plans` says it: where a multiprocessor or a cluster of them can hold two rows, each logit is read
once, otherwise twice.  The bits are the same, those of `held.ordered`.  float16 and bfloat16 are read as they are and widen to
float32 exactly, so their results are those of float32 logits.

Accuracy.  With u = 2^-24 (float32 logits) or 2^-53 an exponential at t = x - m, where m is the row's largest logit, has
relative error at most u (|t| + 4): |t| from the rounding of x - m, 4 from `cuda/real.h`.  Under softmax the mean of |t|
is at most log V and that of t^2 at most log^2 V + 1.  Exponentials are added eight at a time in the type of the logits, by
halves: 3 u.  All other sums are float64, over 256 lanes and then a tree, so a sum of V numbers that are not negative
is relatively off by at most 2^-53 (V / 256 + 9).  A lane's sum of exponentials is rescaled where a step of 4 tokens or more
holds a larger logit, which costs 5 * 2^-53 at most V / 1024 + 2 times: together 2^-53 (V / 128 + 10) at most, below twice
that of a sum.  Hence `tv_bound`.  The same bits come out for any number of threads, any batch, and from the host build that
the tests run.

Rows with NaN, plus infinity or nothing but minus infinity give NaN, as in the reference: the input is not checked.

CuPy is imported on first use.  Memory: the results, a few numbers a row, and a copy of logits that are not contiguous.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simspec.kernels.cuda.launch import as_rows, cupy, launch, properties
from simspec.kernels.tv.held.plans import KINDS, Device, Plan, plans

__all__ = ["HALVES", "KINDS", "available", "sum_bound", "tv_bound", "tv_from_logits", "tv_rows"]

HALVES = ("float16", "bfloat16")
"""Types of half precision, whose bits the kernels read as unsigned integers."""


def sum_bound(vocab: int) -> float:
    """Relative error of a sum of V numbers that are not negative, s = 2^-53 (V / 256 + 9).

    >>> sum_bound(256) == 10 * 2**-53
    True
    """
    return 2.0**-53 * (vocab / 256 + 9)


def tv_bound(vocab: int, dtype: Any) -> float:
    """Worst-case absolute error of the total variation of rows of `vocab` logits of a type; halves are worked on in float32.

    A sum of exponentials is relatively off by M = u (log V + 4 + 3) + 2 s and a few roundings (`sum_bound`).  A law is off by
    twice that, summed over tokens; hence half the distance of two by 2 M.

    >>> tv_bound(128_256, np.float32) < 5e-6
    True
    """
    s = sum_bound(vocab)
    real = np.float32 if np.dtype(dtype).name in HALVES else dtype
    return 2 * (float(np.finfo(real).eps) / 2 * (math.log(vocab) + 7) + 2 * s + 2.0**-50) + s


def tv_from_logits(a: Any, b: Any, threads: int | None = None) -> Any:
    """Backend of `reference.tv_from_logits` for two arrays of one shape (..., V) and type: float32, float64 or one of `HALVES`.

    A number of `threads` a block asks for the kernel that reads each row twice, which takes any.
    """
    x = as_rows(a, "a", tuple(KINDS))
    y = as_rows(b, "b", tuple(KINDS))
    if a.shape != b.shape or x.dtype != y.dtype:
        raise ValueError(f"b: {b.dtype} {b.shape}; expected the type and shape of a, {a.dtype} {a.shape}")
    name = x.dtype.name
    if name in HALVES:
        x, y = (z.view(np.uint16) for z in (x, y))
    *single_reads, two_reads = available(x.shape[1], KINDS[name])
    if threads is not None:
        plan = two_reads._replace(threads=threads)
    else:
        plan = single_reads[0] if single_reads else two_reads
    return tv_rows(x, y, plan).reshape(a.shape[:-1])


def tv_rows(x: Any, y: Any, plan: Plan) -> Any:
    """The same for two contiguous arrays (rows, V) of the type that the kernel of a plan takes, halves by their bits: (rows,)."""
    out = cupy().empty(len(x))
    blocks = len(x) * plan.blocks
    launch(plan.source, plan.kernel, blocks, plan.threads, x, y, x.shape[1], out, shared=plan.shared)
    return out


def available(vocab: int, kind: str) -> tuple[Plan, ...]:
    """The plans of the device in use for rows of `vocab` logits of a kind (`KINDS`), the best first."""
    return plans(vocab, kind, Device.of(properties()))
