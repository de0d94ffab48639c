"""The CUDA backend of rounds on paths, one replication a thread: the same integers as `numba_rounds.paths`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.kernels.cuda.launch import THREADS, cupy, launch
from simspec.kernels.rounds.reference import Plan

__all__ = ["load", "paths"]


def load(packed: Any) -> tuple[Any, ...]:
    """What `rounds_loops.pack` made, on the device in the order in which the kernel takes it."""
    draft, share, residual, target, following = packed
    bits = (draft.guide.shape[1] - 2).bit_length()
    arrays = (*draft, *residual, *target, share, following)
    return *(cupy().asarray(x) for x in arrays), share.shape[1], bits


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Accepted drafts, last state, tokens and counts, as in `simspec.kernels.rounds.Rounds`; arguments checked there.

    Memory on the device: the results, and 8 bytes a row unless rows are a range; with counts 8 S V bytes in all.
    """
    return _spread("rounds", "rounds", rule, plan, tokens, counts, threads)


def _spread(
    source: str,
    kernel: str,
    rule: Any,
    plan: Plan,
    tokens: bool,
    counts: bool,
    threads: int | None,
    scratch: Sequence[Any] = (),
) -> tuple[Any, Any, Any, Any]:
    """Paths by a CUDA kernel of a source, which takes the rule's tables, the plan, room of its own, and the results."""
    gamma, rounds, key, rows, start, purpose = plan
    cp = cupy()
    size = len(rows)
    width = rounds * (gamma + 1)
    accepted = cp.empty((size, rounds), dtype=np.int32)
    state = cp.empty(size, dtype=np.int32)
    path = cp.empty((size, width) if tokens else (0, 0), dtype=np.int32)
    times = cp.zeros((rule.states, rule.vocab) if counts else (0, 0), dtype=np.uint64)
    keys = np.uint32(key & 0xFFFFFFFF), np.uint32(key >> 32)
    is_range = isinstance(rows, range) and rows.step == 1  # then nothing is copied to the device
    listed = cp.empty(0, dtype=np.uint64) if is_range else cp.asarray(np.asarray(rows, dtype=np.uint64))
    first = np.uint64(rows[0] if is_range and size else 0)
    numbers = listed, first, int(not is_range), size, start, np.uint32(purpose)
    out = accepted, state, int(tokens), path, int(counts), times
    blocks = -(-size // (threads or THREADS))
    launch(source, kernel, blocks, threads, *rule.packed, gamma, rounds, *keys, *numbers, *scratch, *out)
    return accepted, state, path if tokens else None, times.view(np.int64) if counts else None
