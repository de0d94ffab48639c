"""Sparse draft laws: sparsify and quantise against PyTorch and NumPy; C-SQS threshold paths against NumPy.

Two works, each validated before it is timed.  *lattice*: float32 laws over 32,000 tokens in, kept tokens and their
counts out; counts must equal the reference's, and a peer that decides a near tie otherwise is timed and
marked.  *paths*: C-SQS thresholds over normal laws drawn from counters, 1,024 tokens.  What the peers do:
`benchmarks.sparse.lattice`, `benchmarks.sparse.paths`.

Yardsticks: memory read once; for paths the kernel's vector operations with nothing to wait for (`benchmarks.roofline`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.cases import Bench, Done, judged, table, timed
from benchmarks.harness import Peer
from benchmarks.sparse import lattice as sparse_lattice
from benchmarks.sparse import paths as sparse_paths
from benchmarks.sparse.lattice import MEMORY, OURS
from benchmarks.sparse.paths import ROOFLINE, STEP, TARGET, THRESHOLD
from simspec.kernels.lattice import reference as lattice_reference
from simspec.kernels.thresholds import reference as paths_reference

__all__ = ["BENCH", "Case", "cases", "draw"]

LATTICE = ((256, 32_000, 100, 100), (256, 32_000, 1_000, 1_000))
"""Rows, vocabulary, kept tokens, resolution."""
PATHS = ((32, 64, 1_024),)
"""Texts, tokens of each, vocabulary."""
QUICK: dict[str, tuple[tuple[int, ...], ...]] = {
    "lattice": ((8, 2_000, 20, 50),),
    "paths": ((4, 8, 256),),
}
HALF_A_COUNT = 0.5
TOLERANCE = 1e-9

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """One table: what is timed, on which data, against what it must equal."""

    work: str
    title: str
    peers: Sequence[Peer]
    data: Any
    expected: Array
    tolerance: float
    yardstick: str
    note: str = ""
    """What is printed below the table."""


def _measure(make: Callable[[], Case], repeats: int) -> Done:
    case = make()
    results = timed(case.work, case.peers, repeats, lambda: (case.data, case.expected, case.tolerance))
    result_table = table(case.title, results, OURS, case.yardstick)
    result_table.columns[-1].header = "to yardstick"
    return judged({"work": case.work, "case": case.title}, results, result_table)._replace(notes=case.note)


def cases(quick: bool, work: str | None, seed: int) -> list[Callable[[], Case]]:
    """What makes each case asked for; its data and its reference are made when it is called."""
    sizes = QUICK if quick else {"lattice": LATTICE, "paths": PATHS}
    makers: dict[str, Callable[..., Case]] = {"lattice": _lattice, "paths": _paths}
    return [partial(makers[name], *size, seed) for name in makers if work in (None, name) for size in sizes[name]]


def draw(rows: int, vocab: int, seed: int) -> NDArray[np.float32]:
    """Softmax laws of normal logits of deviation 3, (rows, vocab) float32."""
    z = 3 * np.random.default_rng(seed).standard_normal((rows, vocab), dtype=np.float32)
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _lattice(rows: int, vocab: int, k: int, resolution: int, seed: int) -> Case:
    q = draw(rows, vocab, seed)
    parts = [
        lattice_reference.quantise_top(laws_part, k, resolution) for laws_part in np.array_split(q, -(-rows // 32))
    ]
    tokens, counts = (np.concatenate(x) for x in zip(*parts, strict=True))
    title = f"sparsify and quantise, {rows} x {vocab:,} float32, K = {k:,}, resolution {resolution:,}"
    expected = sparse_lattice.dense(tokens, counts, vocab)
    return Case("lattice", title, sparse_lattice.peers(), (q, k, resolution), expected, HALF_A_COUNT, MEMORY)


def _paths(texts: int, length: int, vocab: int, seed: int) -> Case:
    rows = paths_reference.Rows(seed, math.inf, np.zeros(vocab), np.ones(vocab), 0, length, 0)
    expected = paths_reference.synthetic_paths(rows, np.full(texts, THRESHOLD), length, STEP, TARGET).thresholds
    title = f"C-SQS paths over drawn laws, {texts} texts of {length} tokens, V = {vocab:,}"
    data = texts, length, vocab, seed
    return Case(
        work="paths",
        title=title,
        peers=sparse_paths.peers(),
        data=data,
        expected=expected,
        tolerance=TOLERANCE,
        yardstick=ROOFLINE,
        note=sparse_paths.note(),
    )


BENCH = Bench(
    name="sparse",
    summary="sparse quantised laws, against PyTorch and NumPy; C-SQS threshold paths, against NumPy",
    repeats=11,
    quick="small cases",
    cases=lambda args, repeats: [partial(_measure, make, repeats) for make in cases(args.quick, args.work, args.seed)],
    seed="laws and logits",
    more=lambda parser: parser.add_argument("--work", choices=tuple(QUICK), help="only this one (default: all three)"),
)
