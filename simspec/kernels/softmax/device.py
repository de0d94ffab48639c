"""CUDA twins of the kernels, through CuPy: the signatures of `simspec.kernels.softmax.compiled`, for CuPy arrays on their device.

Also what only pays on a GPU: overlap and residual law from logits, and synthetic row pairs that are never stored.
Lattice points and rounds have their twins in `lattice_gpu` and `rounds_gpu`.

Accuracy.  With u = 2^-24 (float32 logits) or 2^-53 an exponential at t = x - m, where m is the row's largest logit, has
relative error at most u (|t| + 4): |t| from the rounding of x - m, 4 from `cuda/real.h`.  Under softmax the mean of |t|
is at most log V and that of t^2 at most log^2 V + 1.  All sums are float64, over 256 lanes and then a tree, so a
sum of V numbers that are not negative is relatively off by at most 2^-53 (V / 256 + 9).  Hence `bounds`.  The same bits
come out for any number of threads, any batch, and from the host build that the tests run.

Rows with NaN, plus infinity or nothing but minus infinity give NaN, as in the reference: the input is not checked.

CuPy is imported on first use.  Memory: the results, a few numbers a row, and a copy of logits that are not contiguous.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from simspec.kernels import random as philox
from simspec.kernels.cuda.launch import THREADS, as_rows, cupy, kind, launch, pair
from simspec.kernels.cuda.reference import SyntheticRows
from simspec.kernels.random import core
from simspec.kernels.softmax.reference import RowStats

__all__ = [
    "Bounds",
    "affinity_apply",
    "bounds",
    "first_order",
    "overlap_from_logits",
    "residual_from_logits",
    "row_stats",
    "student_t",
    "synthetic_logits",
    "synthetic_overlap",
    "synthetic_rows",
    "synthetic_sums",
    "tv_from_logits",
    "uniform",
    "words",
]


class Bounds(NamedTuple):
    """Worst-case absolute errors. `logsumexp` is besides one rounding of its own; `residual` is of the sum over tokens."""

    logsumexp: float
    entropy: float
    tv: float
    overlap: float
    residual: float


def bounds(vocab: int, dtype: Any, tv: float = 1.0) -> Bounds:
    """Worst-case absolute errors for rows of `vocab` logits of a type; `residual` where the total variation is `tv`.

    With L = log V + 1 and s = 2^-53 (V / 256 + 9): a sum Z of exponentials is relatively off by M = u (L + 3) + s and a few
    roundings, so its logarithm is; the entropy, log Z - sum e t / Z, by u (2 L^2 + 12 L + 8) + 2 s (L + 1).  A law is off by 2 M,
    summed over tokens; hence half the distance of two by 2 M, their overlap by 4 M, and the residual law, which divides
    what is left by tv, by 8 M / tv.

    >>> bounds(128_256, np.float32).tv < 5e-6, bounds(1, np.float64).entropy < 1e-14
    (True, True)
    """
    u, length = float(np.finfo(dtype).eps) / 2, math.log(vocab) + 1
    s = 2.0**-53 * (vocab / 256 + 9)
    mass = u * (length + 3) + s + 2.0**-51
    entropy = u * (2 * length**2 + 12 * length + 8) + 2 * s * (length + 1) + 2.0**-49 * length
    own = 2 * u if tv > 0 else 0.0
    return Bounds(mass, entropy, 2 * mass + s, 4 * mass + s, 8 * mass / tv + s + own if tv > 0 else math.inf)


# ---- twins of simspec.kernels.softmax.compiled ----


def row_stats(logits: Any, threads: int | None = None) -> RowStats:
    """Twin of `reference.row_stats` for float32 or float64 logits (..., V): three float64 arrays (...)."""
    cp, rows = cupy(), as_rows(logits, "logits")
    out = cp.empty((3, len(rows)))
    launch("row_stats", f"row_stats_{kind(rows)}", len(rows), threads, rows, rows.shape[1], *out)
    return RowStats(*out.reshape(3, *logits.shape[:-1]))


def tv_from_logits(a: Any, b: Any, threads: int | None = None) -> Any:
    """Twin of `reference.tv_from_logits` for two float32 or two float64 arrays of one shape (..., V)."""
    return _overlap(a, b, threads)[0]


def affinity_apply(v: Any, U: Any, lam: Any, diag: Any, temperature: float, threads: int | None = None) -> Any:
    """Twin of `reference.affinity_apply`, in float64, forming only rows i where some v[..., i] is not zero.

    One block finds a row's shift and normaliser, then one thread a column adds the rows in their order.  Extra memory: U
    once more, and its kept rows.
    """
    cp, vocab = cupy(), v.shape[-1]
    v, U, lam, diag = (x.astype(np.float64, copy=False) for x in (v, U, lam, diag))
    batch = as_rows(v, "v")
    kept = cp.flatnonzero((batch != 0).any(axis=0)).astype(np.int64)
    out = cp.zeros(batch.shape)
    if len(kept) == 0 or len(batch) == 0:
        return out.reshape(v.shape)
    left = cp.ascontiguousarray(U[kept] * (lam / temperature))
    right, own = cp.ascontiguousarray(U.T), diag[kept] / temperature
    shift, total = cp.empty(len(kept)), cp.empty(len(kept))
    omega = (left, right, own, kept, U.shape[1], vocab)
    launch("affinity", "affinity_rows", len(kept), threads, *omega, shift, total)
    weights = cp.ascontiguousarray(batch[:, kept].T) / total[:, None]
    blocks = -(-vocab // (threads or THREADS))
    launch("affinity", "affinity_move", blocks, threads, *omega, shift, weights, len(kept), len(batch), out)
    return out.reshape(v.shape)


def first_order(v: Any, U: Any, lam: Any, diag: Any, temperature: float, threads: int | None = None) -> Any:
    """Twin of `reference.first_order`, in float64: time O(V R) a row of v, further memory 8 R bytes a row.

    For laws v both are within 2^-51 ((V + R + 20) B / temperature + 1) / V of each other, where B bounds the entries of
    Omega: R max |U|^2 max |lam| + max |diag|.
    """
    cp, (vocab, rank) = cupy(), U.shape
    v, U, lam, diag = (x.astype(np.float64, copy=False) for x in (v, U, lam, diag))
    batch = as_rows(v, "v")
    out, scratch = cp.empty(batch.shape), cp.empty((len(batch), rank))
    right = cp.ascontiguousarray(U.T)
    factors = (batch, right, lam, diag, rank, vocab, np.float64(temperature))
    launch("rdk", "first_order", len(batch), threads, *factors, scratch, out)
    return out.reshape(v.shape)


# ---- more from pairs of logits ----


def overlap_from_logits(a: Any, b: Any, threads: int | None = None) -> Any:
    """Sum of min(p, q) of the softmax laws of two float32 or two float64 arrays of one shape (..., V)."""
    return _overlap(a, b, threads)[1]


def residual_from_logits(a: Any, b: Any, threads: int | None = None) -> Any:
    """Law drawn from after a rejection, (p - q)+ / sum (p - q)+, or p where p = q; (..., V) in the logits' type."""
    x, y = pair(a, b)
    out = cupy().empty(x.shape, dtype=x.dtype)
    launch("overlap", f"residual_{kind(x)}", len(x), threads, x, y, x.shape[1], out)
    return out.reshape(a.shape)


def _overlap(a: Any, b: Any, threads: int | None) -> Any:
    x, y = pair(a, b)
    out = cupy().empty((2, len(x)))
    launch("overlap", f"overlap_{kind(x)}", len(x), threads, x, y, x.shape[1], *out)
    return out.reshape(2, *a.shape[:-1])


# ---- random numbers and rows made of them ----


def words(key: int, rows: Any, tokens: Any, purpose: int = 0, threads: int | None = None) -> Any:
    """`philox.words` on the device: uint32 (R, T, 4)."""
    shape = (len(rows), len(tokens))
    out = cupy().empty((*shape, 4), dtype=np.uint32)
    return _draw("words", key, rows, tokens, purpose, threads, (), out)


def uniform(key: int, rows: Any, tokens: Any, purpose: int = 0, *, word: int = 0, threads: int | None = None) -> Any:
    """`philox.uniform` on the device, float64 (R, T): the same bits."""
    out = cupy().empty((len(rows), len(tokens)))
    return _draw("uniform", key, rows, tokens, purpose, threads, (np.uint32(core.integer("word", word, 4)),), out)


def student_t(
    key: int, rows: Any, tokens: Any, purpose: int = 0, *, df: float = math.inf, threads: int | None = None
) -> Any:
    """`philox.student_t` on the device (infinity: `philox.normal`), float64 (R, T): the same bits."""
    out = cupy().empty((len(rows), len(tokens)))
    return _draw("student_t", key, rows, tokens, purpose, threads, (_degrees(df),), out)


def synthetic_overlap(rows: int, vocab: int, *, key: int, rho: float, **others: Any) -> Any:
    """Twin of `simspec.kernels.synthetic.synthetic_overlap` in float64: `overlap` of `synthetic_rows`, whose arguments it has."""
    return synthetic_rows(rows, vocab, key=key, rho=rho, **others).overlap


def synthetic_rows(
    rows: int,
    vocab: int,
    *,
    key: int,
    rho: float,
    df: float = math.inf,
    location: Any = 0,
    scale: Any = 1,
    first_row: int = 0,
    purpose: int = 0,
    draft_purpose: int = 1,
    threads: int | None = None,
) -> SyntheticRows:
    """`cuda.reference.synthetic_rows` on the device: row pairs are drawn three times and never stored.

    The logits have the bits of `simspec.logits.synthetic`, so `bounds` of float64 hold.  `total` sums integers: neither
    order nor split changes it.  Memory: three numbers a row and two a token.
    """
    out, total = cupy().empty((3, rows)), cupy().zeros(2, dtype=np.uint64)
    model = _model(rows, vocab, key, rho, df, location, scale, first_row, purpose, draft_purpose)
    launch("synthetic", "synthetic_rows", rows, threads, *model, vocab, *out, total)
    sound, overlaps = (int(x) for x in total)
    if sound < rows:
        raise ValueError(f"a logit of {rows - sound} rows overflows: expected a smaller location or scale")
    return SyntheticRows(out[0], out[1], out[2], overlaps)


def synthetic_logits(
    rows: int,
    vocab: int,
    *,
    key: int,
    rho: float,
    df: float = math.inf,
    location: Any = 0,
    scale: Any = 1,
    first_row: int = 0,
    purpose: int = 0,
    draft_purpose: int = 1,
    threads: int | None = None,
) -> tuple[Any, Any]:
    """`synthetic_reference.logits` on the device, to the last bit: target and draft, each float64 (n, V)."""
    target, draft = cupy().empty((2, rows, vocab))
    model = _model(rows, vocab, key, rho, df, location, scale, first_row, purpose, draft_purpose)
    launch("synthetic", "synthetic_logits", rows, threads, *model, vocab, target, draft)
    return target, draft


def synthetic_sums(rows: int, vocab: int, *, key: int, rho: float, threads: int | None = None, **model: Any) -> Any:
    """Sums of the target and of the draft logits of each row, float64 (2, n): what it costs to draw each pair once.

    The limit of `synthetic_rows`, whose further arguments it has; it draws each pair three times.
    """
    out = cupy().empty((2, rows))
    given = {"df": math.inf, "location": 0, "scale": 1, "first_row": 0, "purpose": 0, "draft_purpose": 1} | model
    launch("synthetic", "synthetic_sums", rows, threads, *_model(rows, vocab, key, rho, **given), vocab, *out)
    return out


def _draw(kernel, key, rows, tokens, purpose, threads, extra, out):
    cp = cupy()
    row, token = core.integers("rows", rows, 2**64), core.integers("tokens", tokens, 2**32).astype(np.uint32)
    blocks = -(-len(row) * len(token) // (threads or THREADS))
    counters = (*_halves(key), cp.asarray(row), len(row), cp.asarray(token), len(token), _u32("purpose", purpose))
    launch("draws", kernel, blocks, threads, *counters, *extra, out)
    return out


def _model(rows, vocab, key, rho, df, location, scale, first_row, purpose, draft_purpose):
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
