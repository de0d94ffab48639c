"""The CUDA backend for independent drafts, one replication a thread: the same integers as `numba_several`."""

from __future__ import annotations

from typing import Any

from simspec.kernels.cuda.launch import cupy
from simspec.kernels.rounds.cuda_rounds import _spread
from simspec.kernels.rounds.reference import Plan

__all__ = ["load", "paths"]


def load(packed: Any) -> tuple[Any, ...]:
    """What `numba_several.pack` made of independent drafts, on the device in the order in which the kernel takes it."""
    guides = (*packed.draft, *packed.residual, *packed.target)
    arrays = (*guides, packed.ratio, packed.shift, packed.scale, packed.following)
    bits = (packed.draft.guide.shape[1] - 2).bit_length()
    return *(cupy().asarray(x) for x in arrays), packed.ratio.shape[1], bits, packed.shift.shape[1]


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Accepted drafts, last state, tokens and counts, as in `simspec.kernels.rounds.Rounds`; arguments checked there.

    Memory on the device: the results and 8 bytes a row; with counts 8 S V bytes in all.
    """
    return _spread("several", "several", rule, plan, tokens, counts, threads)
