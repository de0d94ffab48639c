"""Monte Carlo acceptance of synthetic pairs, generation included: the fused kernel against NumPy, PyTorch and JAX.

Every candidate draws target and draft logits (normal or Student-t, V = 128,256, the draft a correlated copy), takes both
softmax laws and returns the mean acceptance over its rows.  Peers draw with their library's sampler, and by the closed
form that the kernel uses, in float32 and row by row, so that a row stays in the cache; where a library lets them, rows
are spread over threads with a generator each.  Streams differ, so what is checked is statistical: a mean must lie within
six standard errors of the exact path's (false alarm 2e-9 a candidate); our rows must also equal the reference's within
1e-6.  The closed form gives two normal draws from one radius, to the peers as to us.

Two rows are no peers.  One is a kernel that only draws: Philox words and their logarithms, powers, roots and waves.  The
other, the yardstick, is `benchmarks.roofline`: as many vector operations as our kernel needs, with nothing to wait for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness, roofline
from benchmarks.cases import Bench, Done, judged, table, timed
from benchmarks.harness import Peer
from simspec.kernels.synthetic import Draws, Model, synthetic_overlap

__all__ = ["BENCH", "CASES", "Case", "candidates", "closed_form", "expectation", "torch_closed_form"]

OURS = "simspec"
DRAWS = "draws alone"
ROOFLINE = "its vector operations (roofline)"
OPERATIONS = {"normal": (31.5, 14, 11.5, 4, 15.75, 1, 2), "Student-t": (63, 43, 14, 4, 15.75, 1, 2)}
"""Operations on 32-bit lanes for one logit: words, radii, waves, logits, exponentials, maxima, the second pass.

Counted in the AVX-512 code of the inner loops; `benchmarks.roofline` says how."""
EXACT = 1e-6
_STANDARD_ERRORS = 6


class Case(NamedTuple):
    """Rows and tokens; degrees of freedom (infinity: normal), scale and correlation of the logits; the seed."""

    name: str
    rows: int
    vocab: int
    df: float
    scale: float
    rho: float = 0.9
    seed: int = 0

    def facts(self) -> dict[str, Any]:
        """The same as JSON values."""
        return self._asdict() | {"df": None if self.df == math.inf else self.df}

    @property
    def model(self) -> Model:
        return Model(self.df, scale=self.scale, rho=self.rho)

    def radii(self, rows: int = 1) -> int:
        """How many radii the closed form needs for so many rows: each gives two normal draws, or one of Student's."""
        return -(-rows * self.vocab // 2) if self.df == math.inf else rows * self.vocab


CASES = (
    Case("Gaussian pairs", 32, 128_256, math.inf, 3.0),
    Case("Student-t pairs, 5 degrees of freedom", 32, 128_256, 5.0, 0.5),
)
QUICK = (Case("Gaussian pairs", 16, 2_000, math.inf, 2.0), Case("Student-t pairs", 16, 2_000, 5.0, 0.5))


def _measure(case: Case, repeats: int) -> Done:
    """Timed candidates, beside the largest error of our rows against the exact path."""
    error, expected, tolerance = _expectation(case)
    results = timed(case.name, candidates(), repeats, lambda: (case, expected, tolerance))
    result_table = table(f"{case.name}: {case.rows} x {case.vocab:,} float32", results, OURS, ROOFLINE)
    result_table.columns[-1].header = "to roofline"
    result_table.columns[3].header = "mean's error"
    return judged(case.facts() | {"row_error": error}, results, result_table, right=error <= EXACT)


def expectation(case: Case, our_rows: NDArray[Any], others: NDArray[Any]) -> tuple[float, NDArray[np.float64], float]:
    """Error of our first rows against the exact path, the mean of other rows, and six standard errors of a difference."""
    from simspec.kernels.synthetic import reference as synthetic_reference

    draws = Draws(case.seed, range(len(our_rows)), (0, 1), np.dtype(np.float64))
    exact = synthetic_reference.overlap(draws, case.vocab, case.model)
    spread = float(others.std(ddof=1)) * math.sqrt(1 / case.rows + 1 / len(others))
    return float(np.abs(our_rows - exact).max()), others.mean(keepdims=True), _STANDARD_ERRORS * spread


def _expectation(case: Case) -> tuple[float, NDArray[np.float64], float]:
    others = _rows(case, range(case.rows, 5 * case.rows), dtype=np.float64)
    return expectation(case, _rows(case, range(min(case.rows, 4))), others)


def _rows(case: Case, rows: range, dtype: Any = np.float32, threads: int | None = None) -> NDArray[np.float64]:
    return synthetic_overlap(Draws(case.seed, rows, dtype=dtype), case.vocab, case.model, threads=threads)


def candidates() -> list[Peer]:
    """Ours first, then the peers, then the kernel that only draws and the roofline."""
    counts = harness.thread_counts()
    return [
        Peer(OURS, lambda case, n: lambda: _rows(case, range(case.rows), threads=n).mean(keepdims=True), counts),
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
    shares = [len(row_numbers) for row_numbers in np.array_split(np.arange(case.rows), threads)]
    call = harness.threaded(lambda share: work(*share), list(enumerate(shares)))
    return lambda: np.sum(call(), keepdims=True) / case.rows


# ---- NumPy ----


def _numpy(case: Case, threads: int, sampler: Callable[[Any, Case], Any]) -> harness.Call:
    """The call that returns the mean acceptance with NumPy, row by row, with one generator a thread."""
    generators = np.random.default_rng(case.seed).spawn(threads)
    scale = np.float32(case.scale)
    rho = np.float32(case.rho)
    noise = np.float32(case.scale * math.sqrt(1 - case.rho**2))

    def work(thread: int, rows: int) -> float:
        total = 0.0
        for _ in range(rows):
            p = sampler(generators[thread], case)
            q = sampler(generators[thread], case)
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
    u, v = rng.random((2, case.radii()), dtype=np.float32)
    return closed_form(np, u, v, case.df)[: case.vocab]


def closed_form(xp: Any, u: Any, v: Any, df: float) -> Any:
    """Draws from uniforms, which it overwrites, in NumPy or CuPy: two normal draws from a radius, or one of Student's."""
    xp.subtract(1, u, out=u)  # never 0
    xp.log(u, out=u)
    u *= np.float32(-2 if df == math.inf else -2 / df)
    if df < math.inf:
        xp.expm1(u, out=u)
        u *= np.float32(df)
    xp.sqrt(u, out=u)
    v *= np.float32(2 * math.pi)
    if df < math.inf:
        u *= xp.cos(v, out=v)
        return u
    draws = xp.empty((2, u.size), dtype=np.float32)
    xp.cos(v, out=draws[0])
    xp.sin(v, out=draws[1])
    draws *= u
    return draws.ravel()


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
    torch.manual_seed(case.seed)
    law = torch.distributions.StudentT(torch.tensor(case.df))

    def call() -> Any:
        torch.set_num_threads(threads)
        return np.mean([_torch_row(case, lambda: law.sample((case.vocab,))) for _ in range(case.rows)], keepdims=True)

    return call


def _torch_closed(case: Case, threads: int) -> harness.Call:
    import torch

    def draw(g: Any) -> Any:
        u, v = torch.rand(2, case.radii(), generator=g)
        return torch_closed_form(u, v, case.df)[: case.vocab]

    return _torch_threads(case, threads, draw)


def torch_closed_form(u: Any, v: Any, df: float) -> Any:
    """`closed_form` in PyTorch."""
    import torch

    v.mul_(2 * math.pi)
    if df < math.inf:
        return u.neg_().log1p_().mul_(-2 / df).expm1_().mul_(df).sqrt_().mul_(v.cos_())
    draws = torch.empty((2, len(u)), device=u.device)
    torch.cos(v, out=draws[0])
    torch.sin(v, out=draws[1])
    return draws.mul_(u.neg_().log1p_().mul_(-2).sqrt_()).view(-1)


def _torch_threads(case: Case, threads: int, draw: Callable[[Any], Any]) -> harness.Call:
    import torch

    generators = [torch.Generator().manual_seed(case.seed + n) for n in range(threads)]

    def work(thread: int, rows: int) -> float:
        torch.set_num_threads(1)
        return math.fsum(_torch_row(case, lambda: draw(generators[thread])) for _ in range(rows))

    return _spread(case, threads, work)


# ---- JAX ----


def _jax(case: Case, library: bool) -> harness.Call:
    """The call that returns the mean acceptance with JAX, with its sampler or with the closed form."""
    import jax
    import jax.numpy as jnp

    def draw(key: Any) -> Any:
        if library:
            normal = case.df == math.inf
            return jax.random.normal(key, (case.vocab,)) if normal else jax.random.t(key, case.df, (case.vocab,))
        u, v = jax.random.uniform(key, (2, case.radii()))
        t = -2 * jnp.log1p(-u)
        angle = 2 * math.pi * v
        if case.df < math.inf:
            return jnp.sqrt(case.df * jnp.expm1(t / case.df)) * jnp.cos(angle)
        return (jnp.sqrt(t) * jnp.stack((jnp.cos(angle), jnp.sin(angle)))).ravel()[: case.vocab]

    def row(key: Any) -> Any:
        first_key, two = jax.random.split(key)
        x = case.scale * draw(first_key)
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
    """The timed call: the random draws of all rows, for both purposes."""
    from simspec.kernels.synthetic import numba_synthetic as synthetic_loops

    low = np.uint64(case.seed & 0xFFFFFFFF)
    high = np.uint64(case.seed >> 32)
    size = -(-case.vocab // synthetic_loops.CHUNK) * synthetic_loops.CHUNK
    rows = [np.empty(size, dtype=np.float32) for _ in range(threads)]
    turns = np.array_split(np.arange(case.rows, dtype=np.uint64), threads)

    def work(thread: int, count: int) -> float:
        for row in turns[thread]:
            for purpose in (np.uint32(0), np.uint32(1)):
                synthetic_loops.draws(low, high, row, purpose, case.df, rows[thread])
        return float(count)

    return _spread(case, threads, work)


BENCH = Bench(
    name="synthetic",
    summary="acceptance of synthetic pairs, drawn and used at once, against NumPy, PyTorch and JAX",
    repeats=7,
    quick="small cases",
    cases=lambda args, repeats: [
        partial(_measure, case._replace(seed=args.seed), repeats) for case in (QUICK if args.quick else CASES)
    ],
    seed="every generator",
    seeds=2**31,
)
