"""The peers of `python -m benchmarks sparse --work lattice`: keep the k likeliest tokens of each law and round to a lattice.

A call takes (laws (R, V) float32, k, resolution) and returns the kept tokens and their counts.  A full sort is what one
writes first; `topk` and `argpartition` are what one writes better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness
from benchmarks.harness import Peer

__all__ = ["MEMORY", "OURS", "Sent", "dense", "peers"]

OURS = "simspec"
MEMORY = "memory read once"

Array = NDArray[Any]


@dataclass(frozen=True)
class Sent:
    """Kept tokens (R, K) in any order and their counts; dense only when compared, outside the timed call."""

    tokens: Any
    counts: Any
    vocab: int

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return dense(np.asarray(self.tokens), np.asarray(self.counts), self.vocab).astype(dtype or np.float64)


def dense(tokens: Array, counts: Array, vocab: int) -> NDArray[np.float64]:
    """Counts of all V tokens, (R, V), from those of the kept.

    >>> dense(np.array([[2, 0]]), np.array([[3, 1]]), 4).tolist()
    [[1.0, 0.0, 3.0, 0.0]]
    """
    out = np.zeros((len(tokens), vocab))
    np.put_along_axis(out, tokens.astype(np.int64), counts.astype(np.float64), axis=1)
    return out


def peers() -> list[Peer]:
    """Ours first, then the peers, then the memory yardstick."""
    counts = harness.thread_counts()
    return [
        Peer(OURS, _lattice_simspec, counts),
        Peer("PyTorch, full sort", partial(_lattice_torch, _sorted), counts),
        Peer("PyTorch, topk", partial(_lattice_torch, lambda laws, k: laws.topk(k, dim=-1)), counts),
        Peer("NumPy argpartition", _lattice_numpy, counts),
        Peer(MEMORY, lambda data, threads: harness.read_once(threads, data[0]), counts, checked=False),
    ]


def _lattice_simspec(data: Any, threads: int) -> harness.Call:
    from simspec.kernels import lattice

    q, k, resolution = data

    def call() -> Sent:
        return Sent(*lattice.quantise_top(q, k, resolution, threads=threads), q.shape[1])

    return call


def _lattice_torch(select: Callable[[Any, int], Any], data: Any, threads: int) -> harness.Call:
    """The call that rounds the k likeliest tokens of each law to the lattice with PyTorch; `select` finds the tokens."""
    import torch

    q, k, resolution = data
    laws = torch.from_numpy(q)

    def call() -> Sent:
        torch.set_num_threads(threads)
        values, tokens = select(laws, k)
        law = (values / values.sum(-1, keepdim=True)).double()
        scaled = law.mul_(resolution / law.sum(-1, keepdim=True))
        counts = (scaled + 0.5).floor_()
        excess = counts.sum(-1, keepdim=True) - resolution
        order = ((scaled - counts) * excess.sign()).argsort(dim=-1, stable=True)
        change = (torch.arange(k) < excess.abs()).double().mul_(-excess.sign())
        counts.scatter_add_(-1, order, change)
        return Sent(tokens, counts.long(), q.shape[1])

    return call


def _sorted(laws: Any, k: int) -> Any:
    values, tokens = laws.sort(dim=-1, descending=True, stable=True)
    return values[:, :k], tokens[:, :k]


def _lattice_numpy(data: Any, threads: int) -> harness.Call:
    """The call that rounds the k likeliest tokens of each law to the lattice with NumPy, a share of the rows a thread."""
    q, k, resolution = data

    def rows(laws: Array) -> tuple[Array, Array]:
        tokens = np.argpartition(laws, laws.shape[1] - k, axis=1)[:, -k:]
        tokens.sort(axis=1)
        values = np.take_along_axis(laws, tokens, axis=1)
        law = (values / values.sum(axis=1, keepdims=True)).astype(np.float64)
        scaled = law * (resolution / law.sum(axis=1, keepdims=True))
        counts = np.floor(scaled + 0.5)
        excess = counts.sum(axis=1, keepdims=True) - resolution
        order = np.argsort((scaled - counts) * np.sign(excess), axis=1, kind="stable")
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(k)[None], axis=1)
        return tokens, (counts - np.sign(excess) * (rank < np.abs(excess))).astype(np.int64)

    shares = harness.threaded(rows, np.array_split(q, threads))

    def call() -> Sent:
        tokens, counts = (np.concatenate(x) for x in zip(*shares(), strict=True))
        return Sent(tokens, counts, q.shape[1])

    return call
