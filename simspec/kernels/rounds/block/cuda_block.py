"""The CUDA backend of block rounds, one replication a thread: the same integers as `numba_block.paths`."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.kernels.cuda.launch import cupy
from simspec.kernels.rounds.cuda_rounds import _spread
from simspec.kernels.rounds.reference import Plan

__all__ = ["load", "paths"]


def load(packed: Any) -> tuple[Any, ...]:
    """What `numba_block.pack` made, on the device in the order in which the kernel takes it."""
    laws = (*packed.draft, *packed.target, packed.ratio, packed.order, packed.rising, packed.above, packed.following)
    bits = (packed.draft.guide.shape[1] - 2).bit_length()
    return *(cupy().asarray(x) for x in laws), packed.ratio.shape[1], bits


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Accepted drafts, last state, tokens and counts, as in `simspec.kernels.rounds.Rounds`; arguments checked there.

    Memory on the device: the results, 8 + 12 gamma bytes a row; with counts 8 S V bytes in all.
    """
    shape = len(plan.rows), plan.gamma
    scratch = cupy().empty(shape, dtype=np.int32), cupy().empty(shape, dtype=np.float64)
    return _spread("block", "block_rounds", rule, plan, tokens, counts, threads, scratch)
