"""Total variation of two softmax laws from stored logits: the fused kernel against SciPy, PyTorch and JAX.

Every peer computes 1/2 sum |softmax(a) - softmax(b)| for each row.  The tolerance is 1e-6 from float64 NumPy; PyTorch
misses it on long rows, whose float32 terms it adds in few lanes, and is timed and marked all the same.  The yardstick is
memory: a plain sum over both arrays, which reads each number once.  PyTorch is listed twice: as one writes it (in
place, so no needless copy), and in blocks of eight rows that stay in the cache, as an expert would.

Logits are float32, or float16 as banks store them: then every peer widens them to float32 (PyTorch and JAX as they go), and
so do we with copies of our own in one more row.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.bench import harness
from simspec.bench.cases import Bench, Done, judged, table, timed
from simspec.bench.harness import Peer
from simspec.kernels.softmax import reference

__all__ = ["BENCH", "candidates", "draw", "expected", "torch_rows"]

TOLERANCE = 1e-6
CASES = ((1024, 32_000, "float32"), (256, 128_256, "float32"), (1024, 32_000, "float16"), (256, 128_256, "float16"))
"""Rows, vocabulary (a multiple of 4), type."""
QUICK = ((16, 2_000, "float32"), (16, 2_000, "float16"))
OURS, COPIES, MEMORY = "simspec", "simspec, widened first", "memory read once"
_BLOCK = 8

Logits = tuple[NDArray[Any], NDArray[Any]]


def draw(rows: int, vocab: int, seed: int, dtype: str = "float32") -> Logits:
    """Two correlated arrays of normal logits, (rows, vocab), of the size real models have (deviation 3)."""
    rng = np.random.default_rng(seed)
    a = 3 * rng.standard_normal((rows, vocab), dtype=np.float32)
    b = a + rng.standard_normal((rows, vocab), dtype=np.float32)
    return a.astype(dtype, copy=False), b.astype(dtype, copy=False)


def expected(data: Logits) -> NDArray[np.float64]:
    """The distances in float64, some rows at a time."""
    return np.concatenate([reference.tv_from_logits(a, b) for a, b in _blocks(data, -(-len(data[0]) // 16))])


def _case(rows: int, vocab: int, dtype: str, seed: int, repeats: int) -> Done:
    def prepare() -> Any:
        data = draw(rows, vocab, seed, dtype)
        return data, expected(data), TOLERANCE

    title = f"{rows} x {vocab:,} {dtype}"
    results = timed(title, candidates(dtype), repeats, prepare)
    return judged({"rows": rows, "vocab": vocab, "dtype": dtype}, results, table(title, results, OURS, MEMORY))


def candidates(dtype: str = "float32") -> list[Peer]:
    """Ours first, then the peers, then the memory yardstick."""
    counts = harness.thread_counts()
    return [
        Peer(OURS, _simspec, counts),
        *([Peer(COPIES, _copies, counts)] if dtype == "float16" else []),
        Peer("SciPy softmax + NumPy", _scipy, counts),
        Peer("PyTorch", partial(_torch_call, torch_rows), counts),
        Peer("PyTorch, 8 rows at a time", _torch_blocks, counts),
        Peer("JAX jit", _jax, counts[-1:]),
        Peer(MEMORY, _read, counts, checked=False),
    ]


def _blocks(data: Logits, parts: int) -> list[Logits]:
    a, b = data
    return list(zip(np.array_split(a, parts), np.array_split(b, parts), strict=True))


def _simspec(data: Logits, threads: int) -> harness.Call:
    from simspec.kernels.softmax import loops

    return lambda: loops.tv_from_logits(*data, threads=threads)


def _copies(data: Logits, threads: int) -> harness.Call:
    from simspec.kernels.softmax import loops

    def share(rows: Logits) -> Any:
        a, b = (x.astype(np.float32) for x in rows)
        return loops.tv_from_logits(a, b, threads=1)

    call = harness.threaded(share, _blocks(data, threads))
    return lambda: np.concatenate(call())


def _read(data: Logits, threads: int) -> harness.Call:
    """Halves four at a time and by their bits, as adding them up one by one would cost more than to read them."""
    if data[0].itemsize > 2:
        return harness.read_once(threads, *data)
    words = [x.view(np.uint64) for x in data]
    parts = list(zip(*(np.array_split(x, threads) for x in words), strict=True))
    return harness.threaded(lambda part: [np.bitwise_xor.reduce(x, axis=None) for x in part], parts)


def _scipy(data: Logits, threads: int) -> harness.Call:
    from scipy.special import softmax

    def distances(part: Logits) -> Any:
        a, b = (softmax(z.astype(np.float32, copy=False), axis=-1) for z in part)
        return np.abs(a - b).sum(axis=-1) / 2

    call = harness.threaded(distances, _blocks(data, threads))
    return lambda: np.concatenate(call())


def _torch_call(function: Callable[[Any, Any], Any], data: Logits, threads: int) -> harness.Call:
    import torch

    a, b = (torch.from_numpy(x) for x in data)

    def call() -> Any:
        torch.set_num_threads(threads)
        return function(a, b)

    return call


def torch_rows(a: Any, b: Any) -> Any:
    """The distances in PyTorch, in place; of halves in float32, widened as they are read."""
    wide = {"dtype": a.float().dtype} if a.element_size() == 2 else {}
    return a.softmax(-1, **wide).sub_(b.softmax(-1, **wide)).abs_().sum(-1) / 2


def _torch_blocks(data: Logits, threads: int) -> harness.Call:
    import torch

    def call(a: Any, b: Any) -> Any:
        pairs = zip(a.split(_BLOCK), b.split(_BLOCK), strict=True)
        return torch.cat([torch_rows(x, y) for x, y in pairs])

    return _torch_call(call, data, threads)


def _jax(data: Logits, threads: int) -> harness.Call:
    import jax
    import jax.numpy as jnp

    @jax.jit
    def tv(a: Any, b: Any) -> Any:
        x, y = (jax.nn.softmax(z.astype(jnp.float32), -1) for z in (a, b))
        return jnp.abs(x - y).sum(-1) / 2

    a, b = (jax.device_put(x, jax.devices("cpu")[0]) for x in data)
    return lambda: tv(a, b).block_until_ready()


BENCH = Bench(
    name="tv",
    summary="total variation of stored logit pairs, against SciPy, PyTorch and JAX",
    repeats=21,
    quick="two small cases",
    cases=lambda args, repeats: [
        partial(_case, *size, args.seed, repeats) for size in (QUICK if args.quick else CASES)
    ],
    seed="the logits",
)
