r"""The kernels whose scaling is measured (`benchmarks.scaling`), the sizes, and the data every size is cut from.

A kernel is called on so many *laws* of V tokens: logit pairs for the total variation, rows of the affinity for exact RDK,
so that times a token can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness

__all__ = ["AXES", "DEFAULT", "QUICK", "WORKS", "Data", "Plan", "Points", "Work", "draw", "points"]

AXES = {"vocabulary": "V", "batch": "laws a call", "threads": "threads"}
LENGTH = 4
RANK = 16
KEPT = 100
"""Tokens a text, columns of U, tokens that quantisation keeps."""

Array = NDArray[Any]


class Data(NamedTuple):
    """Flat float32 arrays that every size is cut from: two correlated logits (deviation 3) and masses exp(logits)."""

    a: Array
    b: Array
    mass: Array


@dataclass(frozen=True)
class Work:
    """A kernel: `bind(data, rows, vocab, threads)` gives the call to time, which reads `laws` laws (or pairs) a row."""

    name: str
    bind: Callable[[Data, int, int, int | None], harness.Call]
    laws: int = 1
    threaded: bool = True
    """False where the number of threads cannot be told: such a kernel has no curve against threads."""
    alone: bool = True
    """False where nothing keeps it on one thread: it is then measured on all."""


@dataclass(frozen=True)
class Plan:
    """Sizes: vocabularies at `laws` laws a call; batches, and threads with the largest batch, at `vocab` tokens."""

    vocabs: tuple[int, ...]
    laws: int
    batches: tuple[int, ...]
    vocab: int
    from_vocab: int
    from_laws: int
    """Where the asymptotic range begins."""


DEFAULT = Plan(tuple(round(10 ** (3 + i / 3)) for i in range(10)), 16, tuple(2**i for i in range(9)), 32_000, 40_000, 8)
QUICK = Plan((1_000, 2_000, 4_000), 16, (1, 2, 4, 8, 16, 32), 5_000, 1_000, 4)


def draw(plan: Plan, seed: int) -> Data:
    """Data for every point of a plan."""
    factors = RANK * max(plan.vocab, *plan.vocabs)
    size = max(plan.laws * max(plan.vocabs), max(plan.batches) * plan.vocab, factors)
    rng = np.random.default_rng(seed)
    a, b = (3 * rng.standard_normal(size, dtype=np.float32) for _ in range(2))
    b += a
    return Data(a, b, np.exp(a))


def _cut(x: Array, *shape: int) -> Array:
    return x[: math.prod(shape)].reshape(shape)


def _tv(data: Data, rows: int, vocab: int, threads: int | None) -> harness.Call:
    from simspec.kernels.tv import numba_tv

    a = _cut(data.a, rows, vocab)
    b = _cut(data.b, rows, vocab)
    return lambda: numba_tv.tv_from_logits(a, b, threads=threads)


def _overlap(df: float, data: Data, rows: int, vocab: int, threads: int | None) -> harness.Call:
    from simspec.kernels.synthetic import Draws, Model, synthetic_overlap

    draws = Draws(1, range(rows), dtype=np.float32)
    model = Model(df, scale=3, rho=0.9)
    return lambda: synthetic_overlap(draws, vocab, model, threads=threads)


def _quantise(data: Data, rows: int, vocab: int, threads: int | None) -> harness.Call:
    from simspec.kernels.lattice import quantise_top

    q = _cut(data.mass, rows, vocab)
    return lambda: quantise_top(q, min(KEPT, vocab), KEPT, threads=threads)


def _paths(data: Data, rows: int, vocab: int, threads: int | None) -> harness.Call:
    from simspec.kernels.thresholds import Draws, Model, Rule, synthetic_paths

    draws = Draws(1, range(0, rows * LENGTH, LENGTH))
    rule = Rule(1e-3, 1e-3, 0.1)
    return lambda: synthetic_paths(draws, LENGTH, vocab, Model(scale=3), rule, threads=threads)


def _rdk(data: Data, rows: int, vocab: int, threads: int | None) -> harness.Call:
    """One vector with so many tokens to move: as many rows of the affinity are formed."""
    from simspec.kernels.affinity import numba_affinity

    U = _cut(data.a, vocab, RANK)
    lam = np.ones(RANK, dtype=np.float32)
    v = np.zeros(vocab, dtype=np.float32)
    v[np.arange(rows) * vocab // rows] = 1 / rows
    return lambda: numba_affinity.affinity_apply(v, U, lam, _cut(data.b, vocab), 100.0, threads=threads)


WORKS = (
    Work("TV from logits", _tv),
    Work("overlap, Gaussian", partial(_overlap, math.inf)),
    Work("overlap, Student-t", partial(_overlap, 5.0)),
    Work("quantise top", _quantise),
    Work("C-SQS paths", _paths, laws=LENGTH),
    Work("RDK, exact rows", _rdk),
)
"""Where a kernel has products of NumPy's, `benchmarks.scaling` keeps them on one thread while threads do not vary."""


# ---- the axes ----


class Points(NamedTuple):
    """Calls of a kernel along an axis."""

    work: Work
    x: tuple[int, ...]
    tokens: tuple[int, ...]
    calls: list[harness.Call]


def points(work: Work, axis: str, plan: Plan, data: Data) -> Points | None:
    """Calls along an axis; None where the number of threads cannot be told, so that there is nothing to vary."""
    vocab = plan.vocab
    largest = max(1, max(plan.batches) // work.laws)
    if axis == "threads":
        if not work.threaded:
            return None
        x = harness.thread_counts()
        calls = [work.bind(data, largest, vocab, n) for n in x]
        return Points(work, x, (largest * work.laws * vocab,) * len(x), calls)
    single_thread = 1 if work.threaded else None
    if axis == "vocabulary":
        rows = max(1, plan.laws // work.laws)
        calls = [work.bind(data, rows, v, single_thread) for v in plan.vocabs]
        return Points(work, plan.vocabs, tuple(rows * work.laws * v for v in plan.vocabs), calls)
    rows_of = [n for n in plan.batches if n <= largest]
    x = tuple(n * work.laws for n in rows_of)
    return Points(work, x, tuple(n * vocab for n in x), [work.bind(data, n, vocab, single_thread) for n in rows_of])
