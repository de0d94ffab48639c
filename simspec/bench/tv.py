"""Total variation of two softmax laws from float32 logits: the fused kernel against SciPy, PyTorch and JAX.

Every peer computes 1/2 sum |softmax(a) - softmax(b)| for each row.  The tolerance is 1e-6 from float64 NumPy; PyTorch
misses it on long rows, whose float32 terms it adds in few lanes, and is timed and marked all the same.  The yardstick is
memory: a plain sum over both arrays, which reads each number once.  PyTorch is listed twice: as one writes it (in
place, so no needless copy), and in blocks of eight rows that stay in the cache, as an expert would.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.bench import harness
from simspec.bench.harness import Peer
from simspec.kernels.softmax import reference

__all__ = ["add_arguments", "candidates", "draw", "main", "run"]

TOLERANCE = 1e-6
CASES = ((1024, 32_000), (256, 128_256))
QUICK = ((16, 2_000),)
OURS, MEMORY = "simspec", "memory read once"
_PACKAGES = ("numpy", "scipy", "numba", "torch", "jax")
_BLOCK = 8
REPEATS = 21

Logits = tuple[NDArray[np.float32], NDArray[np.float32]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `simspec bench tv`."""
    harness.add_arguments(parser, REPEATS, quick="one small case", seed="the logits")


def run(args: argparse.Namespace) -> int:
    """Validate, time and print; 0, or 1 when our own result is wrong, or 2 for bad usage."""
    try:
        repeats = harness.repeats_of(args, REPEATS)
    except ValueError as error:
        return harness.fail(str(error))
    works = [partial(_case, *size, args.seed, repeats) for size in (QUICK if args.quick else CASES)]
    return harness.run_cases("tv", _PACKAGES, args, works)


def draw(rows: int, vocab: int, seed: int) -> Logits:
    """Two correlated arrays of normal logits, (rows, vocab) float32, of the size real models have (deviation 3)."""
    rng = np.random.default_rng(seed)
    a = 3 * rng.standard_normal((rows, vocab), dtype=np.float32)
    return a, a + rng.standard_normal((rows, vocab), dtype=np.float32)


def _case(rows: int, vocab: int, seed: int, repeats: int) -> harness.Done:
    peers = candidates()
    with harness.shown(f"{rows} x {vocab:,}", harness.steps(peers, repeats) + 1) as tick:
        data = draw(rows, vocab, seed)
        expected = np.concatenate([reference.tv_from_logits(a, b) for a, b in _blocks(data, -(-rows // 16))])
        tick("reference")
        results = harness.compare(peers, data, expected, TOLERANCE, repeats, tick)
    table = harness.table(f"{rows} x {vocab:,} float32", results, OURS, MEMORY)
    return harness.judged({"rows": rows, "vocab": vocab}, results, table)


def candidates() -> list[Peer]:
    """Ours first, then the peers, then the memory yardstick."""
    counts = harness.thread_counts()
    return [
        Peer(OURS, _simspec, counts),
        Peer("SciPy softmax + NumPy", _scipy, counts),
        Peer("PyTorch", _torch, counts),
        Peer("PyTorch, 8 rows at a time", _torch_blocks, counts),
        Peer("JAX jit", _jax, counts[-1:]),
        Peer(MEMORY, _memory, counts, checked=False),
    ]


def _blocks(data: Logits, parts: int) -> list[Logits]:
    a, b = data
    return list(zip(np.array_split(a, parts), np.array_split(b, parts), strict=True))


def _simspec(data: Logits, threads: int) -> harness.Call:
    from simspec.kernels.softmax import loops

    return lambda: loops.tv_from_logits(*data, threads=threads)


def _threaded(function: Callable[[Any, Any], Any], data: Logits, threads: int) -> harness.Call:
    """`function` on blocks of rows, one a thread; NumPy releases the interpreter lock in its loops."""
    if threads == 1:
        return lambda: function(*data)
    parts, pool = _blocks(data, threads), ThreadPoolExecutor(threads)
    return lambda: np.concatenate(list(pool.map(lambda part: np.atleast_1d(function(*part)), parts)))


def _scipy(data: Logits, threads: int) -> harness.Call:
    from scipy.special import softmax

    return _threaded(lambda a, b: np.abs(softmax(a, axis=-1) - softmax(b, axis=-1)).sum(axis=-1) / 2, data, threads)


def _torch_call(function: Callable[[Any, Any], Any], data: Logits, threads: int) -> harness.Call:
    import torch

    a, b = (torch.from_numpy(x) for x in data)

    def call() -> Any:
        torch.set_num_threads(threads)
        return function(a, b)

    return call


def _torch_rows(a: Any, b: Any) -> Any:
    return a.softmax(-1).sub_(b.softmax(-1)).abs_().sum(-1) / 2


def _torch(data: Logits, threads: int) -> harness.Call:
    return _torch_call(_torch_rows, data, threads)


def _torch_blocks(data: Logits, threads: int) -> harness.Call:
    import torch

    def call(a: Any, b: Any) -> Any:
        pairs = zip(a.split(_BLOCK), b.split(_BLOCK), strict=True)
        return torch.cat([_torch_rows(x, y) for x, y in pairs])

    return _torch_call(call, data, threads)


def _jax(data: Logits, threads: int) -> harness.Call:
    import jax
    import jax.numpy as jnp

    @jax.jit
    def tv(a: Any, b: Any) -> Any:
        return jnp.abs(jax.nn.softmax(a, -1) - jax.nn.softmax(b, -1)).sum(-1) / 2

    a, b = (jax.device_put(x, jax.devices("cpu")[0]) for x in data)
    return lambda: tv(a, b).block_until_ready()


def _memory(data: Logits, threads: int) -> harness.Call:
    return _threaded(lambda a, b: a.sum() + b.sum(), data, threads)


def main(argv: list[str] | None = None) -> int:
    """`python -m simspec.bench.tv --quick`."""
    parser = argparse.ArgumentParser(
        prog="simspec bench tv",
        description="Time the fused total-variation kernel against SciPy, PyTorch and JAX, after checking them all.",
        epilog="example: simspec bench tv --json tv.json",
    )
    add_arguments(parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
