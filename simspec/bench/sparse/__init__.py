"""Sparse draft laws: sparsify and quantise against PyTorch and NumPy; C-SQS threshold paths against NumPy.

Two works, each validated before it is timed.  *lattice*: float32 laws over 32,000 tokens in, kept tokens and their
counts out; counts must equal the reference's, and a peer that decides a near tie otherwise is timed and
marked.  *paths*: C-SQS thresholds over normal laws drawn from counters, 1,024 tokens.  What the peers do:
`simspec.bench.sparse.lattice`, `simspec.bench.sparse.paths`.

Yardsticks: memory read once; for paths the kernel's vector operations with nothing to wait for (`simspec.bench.roofline`).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.bench import harness
from simspec.bench.harness import Peer
from simspec.bench.sparse import lattice as sparse_lattice
from simspec.bench.sparse import paths as sparse_paths
from simspec.bench.sparse.lattice import MEMORY, OURS
from simspec.bench.sparse.paths import ROOFLINE, STEP, TARGET, THRESHOLD
from simspec.kernels.lattice import reference as lattice_reference
from simspec.kernels.thresholds import reference as paths_reference

__all__ = ["Case", "add_arguments", "cases", "draw", "main", "run"]

LATTICE = ((256, 32_000, 100, 100), (256, 32_000, 1_000, 1_000))
"""Rows, vocabulary, kept tokens, resolution."""
PATHS = ((32, 64, 1_024),)
"""Texts, tokens of each, vocabulary."""
QUICK: dict[str, tuple[tuple[int, ...], ...]] = {
    "lattice": ((8, 2_000, 20, 50),),
    "paths": ((4, 8, 256),),
}
HALF_A_COUNT, TOLERANCE = 0.5, 1e-9
_PACKAGES = ("numpy", "numba", "torch")
REPEATS = 11

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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `simspec bench sparse`."""
    harness.add_arguments(parser, REPEATS, quick="small cases", seed="laws and logits")
    parser.add_argument("--work", choices=tuple(QUICK), help="only this one (default: both)")


def run(args: argparse.Namespace) -> int:
    """Validate, time and print; 0, or 1 when our own result is wrong, or 2 for bad usage."""
    try:
        repeats = harness.repeats_of(args, REPEATS)
    except ValueError as error:
        return harness.fail(str(error))
    works = [partial(_measure, make, repeats) for make in cases(args.quick, args.work, args.seed)]
    return harness.run_cases("sparse", _PACKAGES, args, works)


def _measure(make: Callable[[], Case], repeats: int) -> harness.Done:
    with harness.shown("reference", None):
        case = make()
    with harness.shown(case.work, harness.steps(case.peers, repeats)) as tick:
        results = harness.compare(case.peers, case.data, case.expected, case.tolerance, repeats, tick)
    table = harness.table(case.title, results, OURS, case.yardstick)
    table.columns[-1].header = "to yardstick"
    return harness.judged({"work": case.work, "case": case.title}, results, table)


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
    parts = [lattice_reference.quantise_top(part, k, resolution) for part in np.array_split(q, -(-rows // 32))]
    tokens, counts = (np.concatenate(x) for x in zip(*parts, strict=True))
    title = f"sparsify and quantise, {rows} x {vocab:,} float32, K = {k:,}, resolution {resolution:,}"
    expected = sparse_lattice.dense(tokens, counts, vocab)
    return Case("lattice", title, sparse_lattice.peers(), (q, k, resolution), expected, HALF_A_COUNT, MEMORY)


def _paths(texts: int, length: int, vocab: int, seed: int) -> Case:
    rows = paths_reference.Rows(seed, math.inf, np.zeros(vocab), np.ones(vocab), 0, length, 0)
    expected = paths_reference.synthetic_paths(rows, np.full(texts, THRESHOLD), length, STEP, TARGET).thresholds
    title = f"C-SQS paths over drawn laws, {texts} texts of {length} tokens, V = {vocab:,}"
    return Case("paths", title, sparse_paths.peers(), (texts, length, vocab, seed), expected, TOLERANCE, ROOFLINE)


def main(argv: list[str] | None = None) -> int:
    """`python -m simspec.bench.sparse --quick`."""
    parser = argparse.ArgumentParser(
        prog="simspec bench sparse",
        description="Time sparsification, lattice rounding and threshold paths against PyTorch and NumPy, after checks.",
        epilog="example: simspec bench sparse --work lattice --json sparse.json",
    )
    add_arguments(parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
