"""CUDA backends of `simspec.kernels.lattice`: masses of CuPy arrays, sparsified and rounded to fractions on their device.

Sums are float64, so counts differ from the reference only where a token is within `lattice.error_bound` of a tie.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.cuda.launch import as_rows, cupy, kind, launch
from simspec.kernels.lattice.reference import Kept, Top

__all__ = ["quantise_above", "quantise_top"]


def quantise_top(q: Any, k: int, resolution: int, threads: int | None = None) -> Top:
    """Backend of `lattice_reference.quantise_top` for rows (R, V) of float32 or float64; k and resolution are checked there.

    Memory: the result, 8 k bytes a row and a number a row, which is read back to refuse rows that are no masses.
    """
    cp = cupy()
    rows = as_rows(q, "q")
    tokens = cp.empty((len(rows), k), dtype=np.int32)
    counts = cp.empty((len(rows), k), dtype=np.int64)
    errors = cp.empty((len(rows), k))
    mass = cp.empty(len(rows))
    inputs = rows, rows.shape[1], k, resolution
    launch("sparsify", f"top_{kind(rows)}", len(rows), threads, *inputs, tokens, counts, errors, mass)
    _sound(cp.asnumpy(mass))
    return Top(tokens, counts)


def quantise_above(q: Any, edges: Any, resolution: int, keep_top: bool, threads: int | None = None) -> Kept:
    """Backend of `lattice_reference.quantise_above` for rows (R, V) of float32 or float64 and float64 thresholds (R,).

    Memory: the result, 8 bytes a kept token and three numbers a row; two of them are read back, to know how many tokens
    there are and to refuse rows that are no masses.
    """
    cp = cupy()
    rows = as_rows(q, "q")
    row_counts = cp.empty(len(rows), dtype=np.int64)
    mass = cp.ones(len(rows))
    inputs = (rows, rows.shape[1])
    thresholds = cp.asarray(np.ascontiguousarray(edges))
    launch("sparsify", f"count_{kind(rows)}", len(rows), threads, *inputs, thresholds, int(keep_top), row_counts)
    host_counts = cp.asnumpy(row_counts)
    _sound(np.where(host_counts < 0, -1.0, 1.0))
    offsets = cp.asarray(np.concatenate([[0], np.cumsum(host_counts, dtype=np.int64)]))
    size = int(host_counts.sum())
    tokens = cp.empty(size, dtype=np.int32)
    counts = cp.empty(size, dtype=np.int64)
    errors = cp.empty(size)
    out = tokens, counts, errors, mass
    launch("sparsify", f"above_{kind(rows)}", len(rows), threads, *inputs, offsets, resolution, *out)
    _sound(cp.asnumpy(mass))
    return Kept(offsets, tokens, counts)


def _sound(mass: NDArray[np.float64]) -> None:
    bad = ~((mass > 0) & (mass < np.inf))
    if bad.any():
        row = int(bad.argmax())
        wrong = "a mass that is negative, infinite or NaN" if mass[row] == -1 else f"kept tokens of mass {mass[row]}"
        raise ValueError(f"q: row {row} has {wrong}; expected finite masses that are not negative, with a sum")
