"""Monte Carlo acceptance of synthetic pairs, generation included: the fused kernel against NumPy, PyTorch and JAX.

Every candidate draws target and draft logits (normal or Student-t, V = 128,256, the draft a correlated copy), takes both
softmax laws and returns the mean acceptance over its rows.  Peers draw with their library's sampler, and by the closed
form that the kernel uses, in float32 and row by row, so that a row stays in the cache; where a library lets them, rows
are spread over threads with a generator each.  Streams differ, so what is checked is statistical: a mean must lie within
six standard errors of the exact path's (false alarm 2e-9 a candidate); our rows must also equal the reference's within
1e-6.  The closed form gives two normal draws from one radius, to the peers as to us.

Two rows are no peers.  One is a kernel that only draws: Philox words and their logarithms, powers, roots and waves.  The
other, the yardstick, is `simspec.bench.roofline`: as many vector operations as our kernel needs, with nothing to wait for.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.bench import harness, roofline
from simspec.bench.harness import Peer
from simspec.kernels.synthetic import synthetic_overlap

__all__ = ["CASES", "Case", "add_arguments", "candidates", "main", "run"]

OURS, DRAWS, ROOFLINE = "simspec", "draws alone", "its vector operations (roofline)"
OPERATIONS = {"normal": (31.5, 14, 11.5, 4, 15.75, 1, 2), "Student-t": (63, 43, 14, 4, 15.75, 1, 2)}
"""Operations on 32-bit lanes for one logit: words, radii, waves, logits, exponentials, maxima, the second pass.

Counted in the AVX-512 code of the inner loops; `simspec.bench.roofline` says how."""
EXACT = 1e-6
_PACKAGES = ("numpy", "numba", "torch", "jax")
_STANDARD_ERRORS = 6
REPEATS = 7


class Case(NamedTuple):
    """Rows and tokens; degrees of freedom (infinity: normal), scale and correlation of the logits; the seed."""

    name: str
    rows: int
    vocab: int
    df: float
    scale: float
    rho: float = 0.9
    seed: int = 0


CASES = (
    Case("Gaussian pairs", 32, 128_256, math.inf, 3.0),
    Case("Student-t pairs, 5 degrees of freedom", 32, 128_256, 5.0, 0.5),
)
QUICK = (Case("Gaussian pairs", 16, 2_000, math.inf, 2.0), Case("Student-t pairs", 16, 2_000, 5.0, 0.5))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `simspec bench synthetic`."""
    harness.add_arguments(parser, REPEATS, quick="small cases", seed="every generator")


def run(args: argparse.Namespace) -> int:
    """Validate, time and print; 0, or 1 when our own result is wrong, or 2 for bad usage."""
    try:
        repeats = harness.repeats_of(args, REPEATS, seeds=2**31)
    except ValueError as error:
        return harness.fail(str(error))
    works = [partial(_measure, case._replace(seed=args.seed), repeats) for case in (QUICK if args.quick else CASES)]
    return harness.run_cases("synthetic", _PACKAGES, args, works)


def _measure(case: Case, repeats: int) -> harness.Done:
    """Timed candidates, beside the largest error of our rows against the exact path."""
    peers = candidates()
    with harness.shown(case.name, harness.steps(peers, repeats) + 1) as tick:
        error, expected, tolerance = _expectation(case)
        tick("reference")
        results = harness.compare(peers, case, expected, tolerance, repeats, tick)
    table = harness.table(f"{case.name}: {case.rows} x {case.vocab:,} float32", results, OURS, ROOFLINE)
    table.columns[-1].header = "to roofline"
    table.columns[3].header = "mean's error"
    about = case._asdict() | {"df": None if case.df == math.inf else case.df, "row_error": error}
    return harness.judged(about, results, table, right=error <= EXACT)


def _expectation(case: Case) -> tuple[float, NDArray[np.float64], float]:
    """Error of our rows, mean acceptance of four times as many others in float64, and six standard errors."""
    from simspec.kernels.synthetic import reference as synthetic_reference

    few = range(min(case.rows, 4))
    numbers = (np.asarray(0.0), np.asarray(case.scale), (0, 1), np.dtype(np.float64))
    exact = synthetic_reference.overlap(few, case.vocab, case.seed, case.rho, case.df, *numbers)
    error = float(np.abs(_rows(case, len(few)) - exact).max())
    others = _rows(case, 4 * case.rows, first_row=case.rows, dtype=np.float64)
    spread = float(others.std(ddof=1)) * math.sqrt(1 / case.rows + 1 / len(others))
    return error, others.mean(keepdims=True), _STANDARD_ERRORS * spread


def _rows(case: Case, rows: int, **options: Any) -> NDArray[np.float64]:
    return synthetic_overlap(rows, case.vocab, key=case.seed, rho=case.rho, df=case.df, scale=case.scale, **options)


def candidates() -> list[Peer]:
    """Ours first, then the peers, then the kernel that only draws and the roofline."""
    counts = harness.thread_counts()
    return [
        Peer(OURS, lambda case, n: lambda: _rows(case, case.rows, threads=n).mean(keepdims=True), counts),
        Peer("NumPy sampler", lambda case, n: _numpy(case, n, _numpy_library), counts),
        Peer("NumPy closed form", lambda case, n: _numpy(case, n, _numpy_closed), counts),
        Peer("PyTorch sampler", _torch_library, counts),
        Peer("PyTorch closed form", _torch_closed, counts),
        Peer("JAX sampler", lambda case, n: _jax(case, library=True), counts[-1:]),
        Peer("JAX closed form", lambda case, n: _jax(case, library=False), counts[-1:]),
        Peer(DRAWS, _draws, counts, checked=False),
        Peer(ROOFLINE, _operations, counts, checked=False),
    ]


def _spread(case: Case, threads: int, work: Callable[[int, int], Any]) -> harness.Call:
    """The mean of work(thread, rows), the rows shared out over threads; all these libraries release the lock."""
    shares = [len(part) for part in np.array_split(np.arange(case.rows), threads)]
    if threads == 1:
        return lambda: np.mean([work(0, case.rows)], keepdims=True) / case.rows
    pool = ThreadPoolExecutor(threads)
    return lambda: np.sum(list(pool.map(work, range(threads), shares)), keepdims=True) / case.rows


# ---- NumPy ----


def _numpy(case: Case, threads: int, sampler: Callable[[Any, Case], Any]) -> harness.Call:
    generators = np.random.default_rng(case.seed).spawn(threads)
    scale, rho = np.float32(case.scale), np.float32(case.rho)
    noise = np.float32(case.scale * math.sqrt(1 - case.rho**2))

    def work(thread: int, rows: int) -> float:
        total = 0.0
        for _ in range(rows):
            p, q = sampler(generators[thread], case), sampler(generators[thread], case)
            p *= scale
            q *= noise
            q += rho * p
            for z in (p, q):
                z -= z.max()
                np.exp(z, out=z)
                z /= z.sum()
            total += float(np.minimum(p, q, out=p).sum())
        return total

    return _spread(case, threads, work)


def _numpy_library(rng: np.random.Generator, case: Case) -> NDArray[np.float32]:
    if case.df == math.inf:
        return rng.standard_normal(case.vocab, dtype=np.float32)
    return rng.standard_t(case.df, case.vocab).astype(np.float32)


def _numpy_closed(rng: np.random.Generator, case: Case) -> NDArray[np.float32]:
    normal = case.df == math.inf
    u, v = rng.random((2, -(-case.vocab // 2) if normal else case.vocab), dtype=np.float32)
    np.subtract(1, u, out=u)  # never 0
    np.log(u, out=u)
    u *= np.float32(-2 if normal else -2 / case.df)
    if not normal:
        np.expm1(u, out=u)
        u *= np.float32(case.df)
    np.sqrt(u, out=u)
    v *= np.float32(2 * math.pi)
    if not normal:
        u *= np.cos(v, out=v)
        return u
    both = np.empty((2, u.size), dtype=np.float32)
    np.cos(v, out=both[0])
    np.sin(v, out=both[1])
    both *= u
    return both.ravel()[: case.vocab]


# ---- PyTorch ----


def _torch_row(case: Case, draw: Callable[[], Any]) -> float:
    import torch

    p = draw().mul_(case.scale)
    q = draw().mul_(case.scale * math.sqrt(1 - case.rho**2)).add_(p, alpha=case.rho)
    return float(torch.minimum(p.softmax(-1), q.softmax(-1)).sum())


def _torch_library(case: Case, threads: int) -> harness.Call:
    """Normal draws with a generator a thread; the Student-t sampler takes none and runs on the library's threads."""
    import torch

    if case.df == math.inf:
        return _torch_threads(case, threads, lambda g: torch.randn(case.vocab, generator=g))
    law = torch.distributions.StudentT(torch.tensor(case.df))

    def call() -> Any:
        torch.set_num_threads(threads)
        return np.mean([_torch_row(case, lambda: law.sample((case.vocab,))) for _ in range(case.rows)], keepdims=True)

    return call


def _torch_closed(case: Case, threads: int) -> harness.Call:
    import torch

    def draw(g: Any) -> Any:
        if case.df == math.inf:
            u, v = torch.rand(2, -(-case.vocab // 2), generator=g)
            u.neg_().log1p_().mul_(-2).sqrt_()
            v.mul_(2 * math.pi)
            both = torch.empty(2, len(u))
            torch.cos(v, out=both[0])
            torch.sin(v, out=both[1])
            return both.mul_(u).view(-1)[: case.vocab]
        u, v = torch.rand(2, case.vocab, generator=g)
        u = u.neg_().log1p_().mul_(-2 / case.df).expm1_().mul_(case.df)
        return u.sqrt_().mul_(v.mul_(2 * math.pi).cos_())

    return _torch_threads(case, threads, draw)


def _torch_threads(case: Case, threads: int, draw: Callable[[Any], Any]) -> harness.Call:
    import torch

    generators = [torch.Generator().manual_seed(case.seed + n) for n in range(threads)]

    def work(thread: int, rows: int) -> float:
        torch.set_num_threads(1)
        return math.fsum(_torch_row(case, lambda: draw(generators[thread])) for _ in range(rows))

    return _spread(case, threads, work)


# ---- JAX ----


def _jax(case: Case, library: bool) -> harness.Call:
    import jax
    import jax.numpy as jnp

    def draw(key: Any) -> Any:
        if library:
            if case.df == math.inf:
                return jax.random.normal(key, (case.vocab,))
            return jax.random.t(key, case.df, (case.vocab,))
        normal = case.df == math.inf
        u, v = jax.random.uniform(key, (2, -(-case.vocab // 2) if normal else case.vocab))
        t, angle = -2 * jnp.log1p(-u), 2 * math.pi * v
        if not normal:
            return jnp.sqrt(case.df * jnp.expm1(t / case.df)) * jnp.cos(angle)
        return (jnp.sqrt(t) * jnp.stack((jnp.cos(angle), jnp.sin(angle)))).ravel()[: case.vocab]

    def row(key: Any) -> Any:
        one, two = jax.random.split(key)
        x = case.scale * draw(one)
        y = case.rho * x + case.scale * math.sqrt(1 - case.rho**2) * draw(two)
        return jnp.minimum(jax.nn.softmax(x), jax.nn.softmax(y)).sum()

    @jax.jit
    def mean(key: Any) -> Any:
        return jax.lax.map(row, jax.random.split(key, case.rows)).mean(keepdims=True)

    with jax.default_device(jax.devices("cpu")[0]):
        key = jax.random.key(case.seed)
    return lambda: np.asarray(mean(key).block_until_ready())


# ---- no peers: the draws, and the operations ----


def _operations(case: Case, threads: int) -> harness.Call:
    per_logit = sum(OPERATIONS["normal" if case.df == math.inf else "Student-t"])
    return roofline.operations(2 * case.rows * case.vocab * per_logit, threads)


def _draws(case: Case, threads: int) -> harness.Call:
    from simspec.kernels.synthetic import loops as synthetic_loops

    low, high = np.uint64(case.seed & 0xFFFFFFFF), np.uint64(case.seed >> 32)
    size = -(-case.vocab // synthetic_loops.CHUNK) * synthetic_loops.CHUNK
    rows = [np.empty(size, dtype=np.float32) for _ in range(threads)]
    turns = np.array_split(np.arange(case.rows, dtype=np.uint64), threads)

    def work(thread: int, count: int) -> float:
        for row in turns[thread]:
            for purpose in (np.uint32(0), np.uint32(1)):
                synthetic_loops.draws(low, high, row, purpose, case.df, rows[thread])
        return float(count)

    return _spread(case, threads, work)


def main(argv: list[str] | None = None) -> int:
    """`python -m simspec.bench.synthetic --quick`."""
    parser = argparse.ArgumentParser(
        prog="simspec bench synthetic",
        description="Time Monte Carlo acceptance of synthetic pairs, generation included, after checking all peers.",
        epilog="example: simspec bench synthetic --json synthetic.json",
    )
    add_arguments(parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
