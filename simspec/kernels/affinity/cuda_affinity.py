"""The CUDA backend of the affinity, for CuPy arrays on their device."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.kernels.cuda.launch import THREADS, as_rows, cupy, launch

__all__ = ["affinity_apply"]


def affinity_apply(v: Any, U: Any, lam: Any, diag: Any, temperature: float, threads: int | None = None) -> Any:
    """Backend of `reference.affinity_apply`, in float64, forming only rows i where some v[..., i] is not zero.

    One block finds a row's shift and normaliser, then one thread a column adds the rows in their order.  Extra memory: U
    once more, and its kept rows.
    """
    cp = cupy()
    vocab = v.shape[-1]
    v, U, lam, diag = (x.astype(np.float64, copy=False) for x in (v, U, lam, diag))
    batch = as_rows(v, "v")
    support = cp.flatnonzero((batch != 0).any(axis=0)).astype(np.int64)
    out = cp.zeros(batch.shape)
    if len(support) == 0 or len(batch) == 0:
        return out.reshape(v.shape)
    left = cp.ascontiguousarray(U[support] * (lam / temperature))
    right = cp.ascontiguousarray(U.T)
    own_diagonal = diag[support] / temperature
    shift = cp.empty(len(support))
    total = cp.empty(len(support))
    omega = (left, right, own_diagonal, support, U.shape[1], vocab)
    launch("affinity", "affinity_rows", len(support), threads, *omega, shift, total)
    weights = cp.ascontiguousarray(batch[:, support].T) / total[:, None]
    blocks = -(-vocab // (threads or THREADS))
    launch("affinity", "affinity_move", blocks, threads, *omega, shift, weights, len(support), len(batch), out)
    return out.reshape(v.shape)
