"""The CUDA twin of block rounds, one replication a thread: the same integers as `simspec.kernels.rounds.block.loops.paths`."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.kernels.cuda.launch import THREADS, cupy, launch
from simspec.kernels.rounds.reference import Plan

__all__ = ["load", "paths"]


def load(packed: Any) -> tuple[Any, ...]:
    """What `loops.pack` made, on the device in the order in which the kernel takes it."""
    laws = (*packed.draft, *packed.target, packed.ratio, packed.order, packed.rising, packed.above, packed.following)
    bits = (packed.draft.guide.shape[1] - 2).bit_length()
    return *(cupy().asarray(x) for x in laws), packed.ratio.shape[1], bits


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Accepted drafts, last state, tokens and counts, as in `simspec.kernels.rounds.Rounds`; arguments checked there.

    Memory on the device: the results, 8 + 12 gamma bytes a row; with counts 8 S V bytes in all.
    """
    laws, (gamma, rounds, key, rows, start, purpose) = rule.packed, plan
    cp, size, width = cupy(), len(rows), rounds * (gamma + 1)
    accepted, state = cp.empty((size, rounds), dtype=np.int32), cp.empty(size, dtype=np.int32)
    path = cp.empty((size, width) if tokens else (0, 0), dtype=np.int32)
    times = cp.zeros((rule.states, rule.vocab) if counts else (0, 0), dtype=np.uint64)
    room = cp.empty((size, gamma), dtype=np.int32), cp.empty((size, gamma), dtype=np.float64)
    keys = np.uint32(key & 0xFFFFFFFF), np.uint32(key >> 32)
    numbers = cp.asarray(rows), size, start, np.uint32(purpose)
    out = accepted, state, int(tokens), path, int(counts), times
    blocks = -(-size // (threads or THREADS))
    launch("block", "block_rounds", blocks, threads, *laws, gamma, rounds, *keys, *numbers, *room, *out)
    return accepted, state, path if tokens else None, times.view(np.int64) if counts else None
