"""Sparse draft laws: sparsify and quantise against PyTorch and NumPy; C-SQS threshold paths against NumPy.

Three works, each validated before it is timed.  *lattice*: float32 laws over 32,000 tokens in, kept tokens and their
counts out; counts must equal the reference's, and a peer that decides a near tie otherwise is timed and
marked.  *paths*: C-SQS thresholds over normal laws drawn from counters, 1,024 tokens.  *recursion*: the same on stored
float32 laws.  What the peers do: `simspec.bench.sparse_lattice`, `simspec.bench.sparse_paths`.

Yardsticks: memory read once; for paths the draws alone, by the compiled generator.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.bench import harness, sparse_lattice, sparse_paths
from simspec.bench.harness import Peer
from simspec.bench.sparse_lattice import MEMORY, OURS
from simspec.bench.sparse_paths import DRAWS, STEP, TARGET, THRESHOLD
from simspec.kernels import lattice_reference, paths_reference

__all__ = ["Case", "add_arguments", "cases", "draw", "main", "run"]

LATTICE = ((256, 32_000, 100, 100), (256, 32_000, 1_000, 1_000))
"""Rows, vocabulary, kept tokens, resolution."""
PATHS = ((32, 64, 1_024),)
"""Texts, tokens of each, vocabulary."""
RECURSION = ((64, 256, 1_024),)
QUICK: dict[str, tuple[tuple[int, ...], ...]] = {
    "lattice": ((8, 2_000, 20, 50),),
    "paths": ((4, 8, 256),),
    "recursion": ((4, 32, 256),),
}
HALF_A_COUNT, TOLERANCE = 0.5, 1e-9
_PACKAGES = ("numpy", "numba", "torch")

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
    parser.add_argument("--quick", action="store_true", help="small cases: checks the benchmark, measures little")
    parser.add_argument("--work", choices=tuple(QUICK), help="only this one (default: all three)")
    parser.add_argument("--repeats", type=int, default=None, metavar="N", help="timed rounds (default 11; quick: 3)")
    parser.add_argument("--seed", type=int, default=0, help="seed of laws and logits (default 0)")
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write every run to PATH")


def run(args: argparse.Namespace) -> int:
    """Validate, time and print; 0, or 1 when our own result is wrong, or 2 for bad usage."""
    repeats = args.repeats if args.repeats is not None else 3 if args.quick else 11
    if repeats < 1:
        return harness.fail(f"--repeats {repeats}: expected at least 1")
    if args.seed < 0:
        return harness.fail(f"--seed {args.seed}: expected a number that is not negative")
    from rich.console import Console
    from rich.progress import Progress

    done: list[dict[str, Any]] = []
    document = {"benchmark": "sparse", "version": 1, "environment": harness.environment(_PACKAGES), "seed": args.seed}
    own_is_right = True
    for make in cases(args.quick, args.work, args.seed):
        with Progress(console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("reference", total=None)
            case = make()
            progress.update(task, total=harness.steps(case.peers, repeats))
            results = harness.compare(
                case.peers,
                case.data,
                case.expected,
                case.tolerance,
                repeats,
                partial(_tick, progress, task),
            )
        table = harness.table(case.title, results, OURS, case.yardstick)
        table.columns[-1].header = "to yardstick"
        Console().print(table)
        done.append({"work": case.work, "case": case.title, "results": [harness.as_json(r) for r in results]})
        own_is_right &= results[0].status == "ok"
        if args.json is not None:
            try:
                harness.write(args.json, document | {"cases": done})
            except OSError as error:
                return harness.fail(
                    f"--json {args.json}: cannot be written ({error.strerror}); expected a writable path"
                )
    return 0 if own_is_right else 1


def _tick(progress: Any, task: Any, name: str) -> None:
    progress.update(task, advance=1, description=name)


def cases(quick: bool, work: str | None, seed: int) -> list[Callable[[], Case]]:
    """What makes each case asked for; its data and its reference are made when it is called."""
    sizes = QUICK if quick else {"lattice": LATTICE, "paths": PATHS, "recursion": RECURSION}
    makers: dict[str, Callable[..., Case]] = {"lattice": _lattice, "paths": _paths, "recursion": _recursion}
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
    return Case("paths", title, sparse_paths.drawn_peers(), (texts, length, vocab, seed), expected, TOLERANCE, DRAWS)


def _recursion(texts: int, length: int, vocab: int, seed: int) -> Case:
    laws = draw(texts * length, vocab, seed).reshape(texts, length, vocab)
    expected = paths_reference.stored_paths(laws, np.full(texts, THRESHOLD), STEP, TARGET).thresholds
    title = f"C-SQS recursion on stored float32 laws, {texts} texts of {length} tokens, V = {vocab:,}"
    return Case("recursion", title, sparse_paths.stored_peers(), laws, expected, TOLERANCE, MEMORY)


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
