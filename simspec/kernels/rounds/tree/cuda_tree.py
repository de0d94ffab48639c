"""The CUDA backend of tree rounds with independent children: the same integers as `numba_tree.paths`."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.kernels.cuda.launch import cupy
from simspec.kernels.rounds.block.cuda_block import sorted_laws
from simspec.kernels.rounds.cuda_rounds import _spread
from simspec.kernels.rounds.reference import Plan

__all__ = ["load", "paths"]


def load(packed: Any) -> tuple[Any, ...]:
    """What `numba_tree.pack` made of independent children, on the device in the order in which the kernel takes it."""
    sums = packed.sums
    laws = (*sums.draft, *sums.target, sums.ratio, *sorted_laws(sums), sums.following, packed.ends)
    bits = (sums.draft.guide.shape[1] - 2).bit_length()
    return *(cupy().asarray(x) for x in laws), sums.ratio.shape[1], bits, len(packed.ends)


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Accepted drafts, last state, tokens and counts, as in `simspec.kernels.rounds.Rounds`; arguments checked there.

    Memory on the device: the results, 64 bytes a row for each level of the tree; with counts 8 S V bytes in all.
    """
    levels = plan.gamma + 1
    rows = len(plan.rows)
    scratch = cupy().empty((levels, 6, rows), dtype=np.int32), cupy().empty((levels, 5, rows), dtype=np.float64)
    return _spread("tree", "tree_rounds", rule, plan, tokens, counts, threads, scratch)
