"""Total variation of two softmax laws from stored logits: the fused kernel against SciPy, PyTorch and JAX.

Every peer computes 1/2 sum |softmax(a) - softmax(b)| for each row.  The tolerance is 1e-6 from float64 NumPy; PyTorch
misses it on long rows, whose float32 terms it adds in few lanes, and is timed and marked all the same.  PyTorch is listed
twice: as one writes it (in place, so no needless copy), and in blocks of eight rows that stay in the cache, as an expert would.

Two rows are limits.  Memory: a plain sum over both arrays, which reads each number once.  Arithmetic: the kernel's vector
operations with nothing to wait for (`benchmarks.roofline`).  The longer of the two bounds any code with these operations.

Logits are float32, or halves: float16 as banks store them, or bfloat16, which NumPy lacks, as int16 arrays of their bits.
Then every peer widens them to float32 (PyTorch and JAX as they go), and so do we with copies of our own in one more row.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness, roofline
from benchmarks.cases import Bench, Done, judged, table, timed
from benchmarks.harness import Peer
from simspec.kernels.threads import as_rows
from simspec.kernels.tv import reference

__all__ = ["BENCH", "candidates", "draw", "expected", "torch_rows", "widened"]

TOLERANCE = 1e-6
DTYPES = ("float32", "float16", "bfloat16")
CASES = tuple((*size, dtype) for dtype in DTYPES for size in ((1024, 32_000), (256, 128_256)))
"""Rows, vocabulary (a multiple of 4), type."""
QUICK = tuple((16, 2_000, dtype) for dtype in DTYPES)
OURS = "simspec"
COPIES = "simspec, widened first"
MEMORY = "memory read once"
ROOFLINE = "its vector operations (roofline)"
OPERATIONS = {
    "float32": (0, 13, 1, 0.9, 2.4, 0.4),
    "float16": (1, 13, 1, 0.9, 2.4, 0.4),
    "bfloat16": (2, 13, 1, 0.9, 2.4, 0.4),
}
"""Operations on 32-bit lanes for one logit: widening, exponentials, maxima, sums, half a difference, lanes of a chunk.

Counted in the AVX-512 code of the inner loops; `benchmarks.roofline` says how."""
_BLOCK = 8

Logits = tuple[NDArray[Any], NDArray[Any]]


def draw(rows: int, vocab: int, seed: int, dtype: str = "float32") -> Logits:
    """Two correlated arrays of normal logits, (rows, vocab), of the size real models have (deviation 3)."""
    rng = np.random.default_rng(seed)
    a = 3 * rng.standard_normal((rows, vocab), dtype=np.float32)
    b = a + rng.standard_normal((rows, vocab), dtype=np.float32)
    if dtype == "bfloat16":
        return _bfloat16(a), _bfloat16(b)
    return a.astype(dtype, copy=False), b.astype(dtype, copy=False)


def _bfloat16(x: NDArray[np.float32]) -> NDArray[np.int16]:
    """The nearest bfloat16 of finite numbers, of two the even one, by its bits."""
    bits = x.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16).view(np.int16)


def widened(x: NDArray[Any]) -> NDArray[Any]:
    """Logits in float32, whatever they came in; float32 ones are not copied.

    >>> widened(np.array([0x3F80, -0x4080], np.int16)).tolist()
    [1.0, -1.0]
    """
    if x.dtype == np.int16:
        return (x.astype(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return x.astype(np.float32, copy=False)


def expected(data: Logits) -> NDArray[np.float64]:
    """The distances in float64, some rows at a time."""
    parts = _blocks(data, -(-len(data[0]) // 16))
    return np.concatenate([reference.tv_from_logits(widened(a), widened(b)) for a, b in parts])


def _case(rows: int, vocab: int, dtype: str, seed: int, repeats: int) -> Done:
    def prepare() -> Any:
        data = draw(rows, vocab, seed, dtype)
        return data, expected(data), TOLERANCE

    title = f"{rows} x {vocab:,} {dtype}"
    results = timed(title, candidates(dtype), repeats, prepare)
    return judged({"rows": rows, "vocab": vocab, "dtype": dtype}, results, table(title, results, OURS, MEMORY))


def candidates(dtype: str = "float32") -> list[Peer]:
    """Ours first, then the peers, then the two limits."""
    counts = harness.thread_counts()
    return [
        Peer(OURS, _simspec, counts),
        *([Peer(COPIES, _copies, counts)] if dtype != "float32" else []),
        Peer("SciPy softmax + NumPy", _scipy, counts),
        Peer("PyTorch", partial(_torch_call, torch_rows), counts),
        Peer("PyTorch, 8 rows at a time", _torch_blocks, counts),
        Peer("JAX jit", _jax, counts[-1:]),
        Peer(MEMORY, _read, counts, checked=False),
        Peer(ROOFLINE, partial(_operations, sum(OPERATIONS[dtype])), counts, checked=False),
    ]


def _blocks(data: Logits, parts: int) -> list[Logits]:
    a, b = data
    return list(zip(np.array_split(a, parts), np.array_split(b, parts), strict=True))


def _simspec(data: Logits, threads: int) -> harness.Call:
    from simspec.kernels.tv import numba_tv

    if data[0].dtype == np.int16:
        a, b = (as_rows(x) for x in data)
        return lambda: numba_tv.tv_rows(a, b, threads)
    return lambda: numba_tv.tv_from_logits(*data, threads=threads)


def _operations(per_logit: float, data: Logits, threads: int) -> harness.Call:
    return roofline.operations(2 * data[0].size * per_logit, threads)


def _copies(data: Logits, threads: int) -> harness.Call:
    from simspec.kernels.tv import numba_tv

    def share(rows: Logits) -> Any:
        a, b = (widened(x) for x in rows)
        return numba_tv.tv_from_logits(a, b, threads=1)

    call = harness.threaded(share, _blocks(data, threads))
    return lambda: np.concatenate(call())


def _read(data: Logits, threads: int) -> harness.Call:
    """Halves four at a time and by their bits, as adding them up one by one would cost more than to read them."""
    if data[0].itemsize > 2:
        return harness.read_once(threads, *data)
    words = [x.view(np.uint64) for x in data]
    parts = list(zip(*(np.array_split(x, threads) for x in words), strict=True))
    return harness.threaded(
        lambda words_of_thread: [np.bitwise_xor.reduce(x, axis=None) for x in words_of_thread], parts
    )


def _scipy(data: Logits, threads: int) -> harness.Call:
    from scipy.special import softmax

    def distances(block: Logits) -> Any:
        a, b = (softmax(widened(z), axis=-1) for z in block)
        return np.abs(a - b).sum(axis=-1) / 2

    call = harness.threaded(distances, _blocks(data, threads))
    return lambda: np.concatenate(call())


def _torch_call(function: Callable[[Any, Any], Any], data: Logits, threads: int) -> harness.Call:
    import torch

    a, b = (torch.from_numpy(x) for x in data)
    if data[0].dtype == np.int16:
        a, b = (x.view(torch.bfloat16) for x in (a, b))

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
    if data[0].dtype == np.int16:
        a, b = (jax.lax.bitcast_convert_type(x, jnp.bfloat16) for x in (a, b))
    return lambda: tv(a, b).block_until_ready()


BENCH = Bench(
    name="tv",
    summary="total variation of stored logit pairs, against SciPy, PyTorch and JAX",
    repeats=21,
    quick="small cases",
    cases=lambda args, repeats: [
        partial(_case, *size, args.seed, repeats) for size in (QUICK if args.quick else CASES)
    ],
    seed="the logits",
)
