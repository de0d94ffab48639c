"""The CUDA twin for independent drafts, one replication a thread: the same integers as `simspec.kernels.rounds.several.loops`."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.kernels.cuda.launch import THREADS, cupy, launch
from simspec.kernels.rounds.reference import Plan

__all__ = ["load", "paths"]


def load(packed: Any) -> tuple[Any, ...]:
    """What `loops.pack` made of independent drafts, on the device in the order in which the kernel takes it."""
    guides = (*packed.draft, *packed.residual, *packed.target)
    arrays = (*guides, packed.ratio, packed.shift, packed.scale, packed.following)
    bits = (packed.draft.guide.shape[1] - 2).bit_length()
    return *(cupy().asarray(x) for x in arrays), packed.ratio.shape[1], bits, packed.shift.shape[1]


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Accepted drafts, last state, tokens and counts, as in `simspec.kernels.rounds.Rounds`; arguments checked there.

    Memory on the device: the results and 8 bytes a row; with counts 8 S V bytes in all.
    """
    laws, (gamma, rounds, key, rows, start, purpose) = rule.packed, plan
    cp, size, width = cupy(), len(rows), rounds * (gamma + 1)
    accepted, state = cp.empty((size, rounds), dtype=np.int32), cp.empty(size, dtype=np.int32)
    path = cp.empty((size, width) if tokens else (0, 0), dtype=np.int32)
    times = cp.zeros((rule.states, rule.vocab) if counts else (0, 0), dtype=np.uint64)
    keys = np.uint32(key & 0xFFFFFFFF), np.uint32(key >> 32)
    numbers = cp.asarray(rows), size, start, np.uint32(purpose)
    out = accepted, state, int(tokens), path, int(counts), times
    launch("several", "several", -(-size // (threads or THREADS)), threads, *laws, gamma, rounds, *keys, *numbers, *out)
    return accepted, state, path if tokens else None, times.view(np.int64) if counts else None
