"""The affinity of redistributing drafters at V = 200,000: exact rows against NumPy and PyTorch.

r = M^T v for the softmax affinity M of a rank-8 Omega, of which the rows with v_i != 0 count.  A peer forms some
rows at a time (a matrix product, then softmax, then a product with v), in as many rows as suit it best on the spot.
NumPy has a share of the rows for each thread; PyTorch runs on its own threads, and once more with a share for each.
Libraries are kept to the number of threads that is stated: NumPy's products by threadpoolctl, one to a share.
The yardstick is arithmetic: each exponent and its power once, from factors that stay in the cache.

simspec stands there twice: applied for the first time, which sums the rows, and applied again to the same affinity, whose row
sums are kept.  What an affinity does to notice a changed array is part of both.

All is float32, and right within 1e-6 of the largest entry of a float64 result.  Peak memory is what a candidate holds
besides its input while it is set up, on as many threads as there are, and called once.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness
from benchmarks.cases import Bench, Done, judged, shown, table
from benchmarks.harness import Peer
from simspec.kernels.affinity import RowSums
from simspec.kernels.threads import split

__all__ = ["BENCH", "Case", "Data", "candidates", "draw", "exact", "peak_memory"]

TOLERANCE = 1e-6
OURS = "simspec"
LATER = "simspec, later applications"
ROOF = "powers once, in the cache"
_BLOCKS = (2, 4, 8, 16, 32, 64)

Floats = NDArray[np.float32]


class Case(NamedTuple):
    """Kept rows, tokens, rank, and temperature in units of Omega."""

    rows: int
    vocab: int
    rank: int = 8
    temperature: float = 2.0


class Data(NamedTuple):
    """The arguments of `kernels.affinity_apply`, and the tokens of mass."""

    v: Floats
    U: Floats
    lam: Floats
    diag: Floats
    temperature: float
    kept: NDArray[np.intp]


CASES = (Case(500, 200_000), Case(20_000, 200_000))
QUICK = (Case(40, 3_000),)


def draw(case: Case, seed: int) -> Data:
    """Normal loadings, scales and own affinities below 1, and a law on `rows` tokens."""
    rng = np.random.default_rng(seed)
    U = rng.standard_normal((case.vocab, case.rank), dtype=np.float32)
    lam = rng.uniform(0.2, 1, case.rank).astype(np.float32)
    diag = rng.random(case.vocab, dtype=np.float32)
    support = np.sort(rng.choice(case.vocab, case.rows, replace=False))
    v = np.zeros(case.vocab, np.float32)
    v[support] = rng.dirichlet(np.ones(len(support)))
    return Data(v, U, lam, diag, case.temperature, support)


def exact(data: Data) -> NDArray[np.float64]:
    """M^T v in float64, eight rows at a time."""
    v, U, lam, diag = (x.astype(np.float64) for x in data[:4])
    parts = np.array_split(data.kept, 16)
    return np.sum([_numpy_rows(v, U, lam, diag, data.temperature, rows, 8) for rows in parts], axis=0)


def _measure(case: Case, seed: int, repeats: int) -> Done:
    """Check and time the candidates on one case, and record the peak memory of each."""
    peers = candidates()
    memory = {}
    title = f"{case.rows:,} rows"
    with shown(title, harness.steps(peers, repeats) + len(peers) + 1) as tick:
        data = draw(case, seed)
        expected = exact(data)
        tick("reference")
        for peer in peers:
            memory[peer.name] = _memory(peer, data)
            tick(f"{peer.name}, memory")
        results = harness.compare(peers, data, expected, TOLERANCE * float(expected.max()), repeats, tick)
    result_table = table(f"{title}, V = {case.vocab:,}, rank {case.rank}, float32", results, OURS, peers[-1].name)
    result_table.columns[-1].header = "to roofline"
    sizes = ", ".join(f"{name} {size / 2**20:.0f} MiB" for name, size in memory.items() if size is not None)
    result_table.caption += f"\npeak memory beyond the input: {sizes or 'unknown here'}"
    return judged(case._asdict() | {"memory": memory}, results, result_table)


def _memory(peer: Peer, data: Data) -> int | None:
    """Peak memory of a candidate on most threads; what it loads and compiles is not counted."""
    small = draw(Case(4, 600, len(data.lam)), seed=0)
    try:
        peer.bind(small, peer.threads[-1])()
    except ImportError:
        return None
    return peak_memory(lambda: peer.bind(data, peer.threads[-1])())


def peak_memory(call: Callable[[], Any]) -> int:
    """Bytes that `call` held at most: the larger of what NumPy took and of what the process grew by, where Linux says it.

    Growth alone would miss what fits into memory that was freed before, and NumPy's count all that PyTorch takes.
    """
    before = None
    tracemalloc.start()
    try:
        with suppress(OSError):  # no /proc
            Path("/proc/self/clear_refs").write_text("5")  # the highest mark begins again at what is held now
            before = _held("VmHWM")
        call()
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return peak_bytes if before is None else max(peak_bytes, _held("VmHWM") - before)


def _held(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def candidates() -> list[Peer]:
    """Ours first, then the peers, then the yardstick."""
    counts = harness.thread_counts()
    return [
        Peer(OURS, _first, counts),
        Peer(LATER, _later, counts),
        Peer("NumPy", partial(_shared, _numpy_rows), counts),
        Peer("PyTorch", _torch, counts),
        Peer("PyTorch, shares of rows", partial(_shared, _torch_rows), counts),
        Peer(ROOF, _powers, counts, checked=False),
    ]


def _first(data: Data, threads: int) -> harness.Call:
    """An affinity that is applied once: each power is formed twice."""
    return lambda: _applied(data, threads, RowSums())


def _later(data: Data, threads: int) -> harness.Call:
    """An affinity that was applied before: each power is formed once."""
    sums = RowSums()
    _applied(data, threads, sums)
    return lambda: _applied(data, threads, sums)


def _applied(data: Data, threads: int, sums: RowSums) -> Floats:
    from simspec.kernels.affinity import numba_affinity

    rows = sums.of(data.U, data.lam, data.diag, data.temperature)
    return numba_affinity.affinity_apply(*data[:5], threads=threads, rows_so_far=rows).astype(np.float32)


def _numpy_rows(v, U, lam, diag, temperature, support, block):
    """M^T v from the rows `support`, `block` at a time, in the type of the arrays."""
    scales = lam / v.dtype.type(temperature)
    loadings = U[support] * scales
    columns = np.ascontiguousarray(U.T)
    own_affinities = diag[support] / v.dtype.type(temperature)
    x = np.empty((block, len(v)), v.dtype)
    out = np.zeros_like(v)
    for start in range(0, len(support), block):
        some = slice(start, start + block)
        rows = x[: len(loadings[some])]
        np.matmul(loadings[some], columns, out=rows)
        rows[np.arange(len(rows)), support[some]] += own_affinities[some]
        rows -= rows.max(axis=1, keepdims=True)
        np.exp(rows, out=rows)
        out += (v[support[some]] / rows.sum(axis=1)) @ rows
    return out


def _torch_rows(v, U, lam, diag, temperature, support, block):
    """The same in PyTorch."""
    import torch

    v, U, lam, diag = (torch.from_numpy(x) for x in (v, U, lam, diag))
    index = torch.from_numpy(support)
    loadings = U[index] * (lam / temperature)
    columns = U.T.contiguous()
    own_affinities = diag[index] / temperature
    out = torch.zeros_like(v)
    with torch.inference_mode():
        for start in range(0, len(support), block):
            some = slice(start, start + block)
            rows = loadings[some] @ columns
            rows[torch.arange(len(rows)), index[some]] += own_affinities[some]
            out += v[index[some]] @ rows.softmax(-1)
    return out.numpy()


def _shared(rows: Callable[..., Any], data: Data, threads: int) -> harness.Call:
    """`rows` on a share of the kept rows for each thread, in blocks of the size that is fastest here."""
    share = data.kept[: -(-len(data.kept) // threads)]
    limited = _limiter()
    with limited(1):
        _one_thread()
        block = _best(lambda n: rows(*data[:5], share[:64], n))
    pool = ThreadPoolExecutor(threads, initializer=_one_thread)
    parts = np.array_split(data.kept, threads)

    def call() -> Any:
        with limited(1):  # a share's products stay in its thread
            if threads == 1:
                _one_thread()
                return rows(*data[:5], data.kept, block)
            return np.sum(list(pool.map(lambda rows_of_thread: rows(*data[:5], rows_of_thread, block), parts)), axis=0)

    return call


def _limiter() -> Callable[[int], AbstractContextManager[Any]]:
    """A context for a number of threads: while it lasts, NumPy's products have no more. It takes a while to find."""
    from threadpoolctl import ThreadpoolController

    controller = ThreadpoolController().select(user_api="blas")
    return lambda threads: controller.limit(limits=threads)


def _one_thread() -> None:
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def _torch(data: Data, threads: int) -> harness.Call:
    import torch

    torch.set_num_threads(threads)
    block = _best(lambda n: _torch_rows(*data[:5], data.kept[:64], n))

    def call() -> Any:
        torch.set_num_threads(threads)
        return _torch_rows(*data[:5], data.kept, block)

    return call


def _best(call: Callable[[int], Any]) -> int:
    """The block size of the shortest of two runs each."""

    def seconds(block: int) -> float:
        start = time.perf_counter()
        call(block)
        return time.perf_counter() - start

    return min(_BLOCKS, key=lambda block: min(seconds(block), seconds(block)))


def _powers(data: Data, threads: int) -> harness.Call:
    """As many powers as the rows have columns, from factors of eight chunks that stay in the cache."""
    from simspec.kernels.affinity import numba_affinity

    vocab = 8 * numba_affinity.CHUNK
    rank = -(-len(data.lam) // 4) * 4
    rows = -(-len(data.kept) // 4) * 4
    turns = -(-len(data.v) // vocab)
    row_factors = np.zeros((rows, rank), np.float32)
    right = np.zeros((8, rank * numba_affinity.CHUNK), np.float32)
    support = np.full(rows, -1)
    total = np.empty(rows)

    def normalise(first: int, last: int) -> None:
        for _ in range(turns):  # within a thread: to start threads for each turn would be most of it where rows are few
            numba_affinity.normalise(
                left=row_factors,
                right=right,
                support=support,
                vocab=vocab,
                shift=np.empty(0),
                total=total,
                first=first,
                last=last,
            )

    return lambda: split(normalise, rows, rows * vocab * turns, threads, 4)


BENCH = Bench(
    name="rdk",
    summary="mass moved along an affinity over 200,000 tokens, against NumPy and PyTorch",
    repeats=5,
    quick="small cases",
    cases=lambda args, repeats: [
        partial(_measure, case, args.seed, repeats) for case in (QUICK if args.quick else CASES)
    ],
    seed="factors and masses",
)
