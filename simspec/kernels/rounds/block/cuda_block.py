"""The CUDA backend of block rounds, one replication a thread: the same integers as `numba_block.paths`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.kernels.cuda.launch import cupy
from simspec.kernels.rounds.cuda_rounds import _spread
from simspec.kernels.rounds.reference import Plan

if TYPE_CHECKING:
    from simspec.kernels.rounds.block.packed import Packed

__all__ = ["load", "paths", "sorted_laws"]


def load(packed: Packed) -> tuple[Any, ...]:
    """What `numba_block.pack` made, on the device in the order in which the kernel takes it."""
    laws = (*packed.draft, *packed.target, packed.ratio, *sorted_laws(packed), packed.following)
    bits = (packed.draft.guide.shape[1] - 2).bit_length()
    return *(cupy().asarray(x) for x in laws), packed.ratio.shape[1], bits


def sorted_laws(packed: Packed) -> tuple[Any, ...]:
    """What `Sorted` of `sorted.h` holds, in its order."""
    return packed.order, packed.rising, packed.above, packed.guide, packed.most, *packed.rest


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Accepted drafts, last state, tokens and counts, as in `simspec.kernels.rounds.Rounds`; arguments checked there.

    Memory on the device: the results, 16 gamma bytes a row; with counts 8 S V bytes in all.
    """
    shape = plan.gamma, len(plan.rows)
    scratch = [cupy().empty(shape, dtype=dtype) for dtype in (np.int32, np.uint32, np.float64)]
    return _spread("block", "block_rounds", rule, plan, tokens, counts, threads, scratch)
