"""Rounds of block verification and of several drafts a position: ours beside NumPy, token rounds, and the memory read once.

NumPy has the same tables in the order of q/p and is vectorised over replications, with its own random numbers and all cores.
It is compared by its mean, ours with the reference integer by integer.  Token rounds are the control: the same laws, drafts
and threads.  The last row reads our tables and tokens once, which no implementation avoids.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.bench import harness
from simspec.bench.cases import Done, judged, tabulated, timed
from simspec.bench.harness import Peer, Result
from simspec.kernels import rounds
from simspec.kernels.random import Draws
from simspec.kernels.rounds.block import block_tables, run_block_rounds
from simspec.kernels.rounds.block import reference as block_reference
from simspec.kernels.rounds.block.reference import BlockLaws
from simspec.kernels.rounds.several import reference as several_reference
from simspec.kernels.rounds.several import run_several_rounds, several_tables
from simspec.methods import SD
from simspec.methods.multi import kseq_rho

__all__ = ["GAMMA", "RULES", "SIZES", "Rule", "case", "made", "peers"]

RULES = ("block", "rrs:2", "rrs:8", "rrsw:2", "rrsw:8", "kseq:8")
"""Block verification; recursive rejection with and without replacement, and K-SEQ, with their drafts a position."""
SIZES = ((128_256, 2_000, 100),)
"""Vocabulary, replications, rounds."""
GAMMA = 5
OURS, CONTROL, MEMORY, KEY = "simspec", "token rounds", "memory read once", 1

Array = NDArray[Any]
Path = Callable[[int, np.random.Generator], Array]
"""Replications and where their draws come from -> drafts accepted in one round of each."""


class Rule(NamedTuple):
    """A rule on one pair of laws: what runs it, on what, its reference, and one round of it in NumPy."""

    run: Callable[..., rounds.Rounds]
    tables: Any
    reference: Callable[..., Any]
    plain: Path


def made(name: str, p: Array, q: Array) -> Rule:
    """A rule by name on laws (V,)."""
    laws = block_reference.block_laws(p[None], q[None], np.zeros(len(p), dtype=np.int64))
    kind, _, number = name.partition(":")
    if kind == "block":
        return Rule(run_block_rounds, block_tables(p[None], q[None]), block_reference.run, _block(laws))
    k, replace = int(number), kind != "rrsw"
    rho = float(kseq_rho(p, q, k)[1]) if kind == "kseq" else None
    tables = several_tables(p[None], q[None], k, replace=replace, rho=rho)
    plain = _independent(tables.laws) if replace else _distinct(laws, k)
    return Rule(run_several_rounds, tables, several_reference.run, plain)


def _draw(table: Array, u: Array) -> Array:
    return np.minimum(np.searchsorted(table, u, side="right"), len(table) - 1)


def _beyond(laws: BlockLaws, r: Array) -> tuple[Array, Array]:
    """How many tokens have r p > q, and their mass of r p - q."""
    many = np.searchsorted(laws.rising[0], r, side="left")
    last = np.maximum(many - 1, 0)
    return many, np.where(many > 0, np.maximum(r * laws.above_p[0, last] - laws.above_q[0, last], 0), 0)


def _left(laws: BlockLaws, r: Array, u: Array) -> Array:
    """A token of (r p - q)_+ in each row, by bisections of all rows at once."""
    many, mass = _beyond(laws, r)
    low, high = np.zeros_like(many), np.maximum(many - 1, 0)
    while (going := low < high).any():
        middle = (low + high) >> 1
        above = r * laws.above_p[0, middle] - laws.above_q[0, middle] > u * mass
        high = np.where(going & above, middle, high)
        low = np.where(going & ~above, middle + 1, low)
    return np.where(mass > 0, laws.order[0, low], _draw(laws.target[0], u))


def _block(laws: BlockLaws) -> Path:
    def path(rows: int, rng: np.random.Generator) -> Array:
        x = _draw(laws.draft[0], rng.random((GAMMA, rows)))
        r = np.ones((GAMMA + 1, rows))
        for i in range(GAMMA):
            r[i + 1] = np.minimum(1, r[i] * laws.ratio[0, x[i]])
        kept = np.zeros(rows, dtype=np.int64)
        for i in range(1, GAMMA + 1):
            mass = _beyond(laws, r[i])[1]
            rest = mass + 1 - r[i]
            h = r[i] if i == GAMMA else np.divide(mass, rest, out=np.ones(rows), where=rest > 0)
            kept[rng.random(rows) < h] = i
        some, u = kept < GAMMA, rng.random(rows)
        _left(laws, r[kept[some], np.flatnonzero(some)], u[some])
        _draw(laws.target[0], u[~some])
        return kept

    return path


def _independent(laws: several_reference.SeveralLaws) -> Path:
    def path(rows: int, rng: np.random.Generator) -> Array:
        accepted, going = np.zeros(rows, dtype=np.int64), np.arange(rows)
        for _ in range(GAMMA):
            kept, trying = np.zeros(going.size, dtype=bool), np.arange(going.size)
            for shift, scale in zip(laws.shift[0], laws.scale[0], strict=True):
                x = _draw(laws.draft[0], rng.random(trying.size))
                passed = rng.random(trying.size) * scale < laws.ratio[0, x] - shift
                kept[trying[passed]] = True
                trying = trying[~passed]
            _draw(laws.residual[0], rng.random(trying.size))
            going = going[kept]
            accepted[going] += 1
        _draw(laws.target[0], rng.random(going.size))
        return accepted

    return path


def _distinct(laws: BlockLaws, k: int) -> Path:
    q = np.diff(laws.draft[0], prepend=0)

    def path(rows: int, rng: np.random.Generator) -> Array:
        accepted, going = np.zeros(rows, dtype=np.int64), np.arange(rows)
        for _ in range(GAMMA):
            kept, trying = np.zeros(going.size, dtype=bool), np.arange(going.size)
            u, left, rest = np.zeros(going.size), np.ones(going.size), np.ones(going.size)
            tried = np.full((going.size, k), -1)
            for j in range(k):
                x = _draw(laws.draft[0], rng.random(trying.size))
                while (again := (tried[:, :j] == x[:, None]).any(axis=1)).any():
                    x[again] = _draw(laws.draft[0], rng.random(again.sum()))
                passed = rng.random(trying.size) * left < (laws.ratio[0, x] - u) * rest
                kept[trying[passed]] = True
                tried[:, j] = x
                trying, u, left, rest, tried, x = (a[~passed] for a in (trying, u, left, rest, tried, x))
                u, rest = u + left / rest, rest - q[x]
                left = u * _beyond(laws, 1 / u)[1]
            _left(laws, 1 / u, rng.random(trying.size))
            going = going[kept]
            accepted[going] += 1
        _draw(laws.target[0], rng.random(going.size))
        return accepted

    return path


def peers(rule: Rule, token: rounds.Tables, rows: int, number: int) -> list[Peer]:
    """Ours, NumPy, token rounds and the yardstick; the first two return the mean number of accepted drafts."""
    counts = harness.thread_counts()

    def kernel(run: Callable[..., rounds.Rounds], tables: Any, threads: int) -> harness.Call:
        given = {"gamma": GAMMA, "rounds": number, "tokens": True, "threads": threads}
        return lambda: run(tables, Draws(KEY, range(rows)), **given).accepted.mean()

    def plain(data: Any, threads: int) -> harness.Call:
        parts = [len(x) for x in np.array_split(np.empty(rows), threads)]
        pool = ThreadPoolExecutor(threads)

        def work(size: int, rng: np.random.Generator) -> Array:
            return np.stack([rule.plain(size, rng) for _ in range(number)], axis=1)

        return lambda: np.concatenate(list(pool.map(work, parts, np.random.default_rng(KEY).spawn(threads)))).mean()

    read = np.empty(rows * number * (GAMMA + 1), dtype=np.int32)
    tables = [x for x in rule.tables.laws if isinstance(x, np.ndarray) and x.size]
    return [
        Peer(OURS, lambda data, threads: kernel(rule.run, rule.tables, threads), counts),
        Peer("NumPy", plain, counts),
        Peer(CONTROL, lambda data, threads: kernel(rounds.run_rounds, token, threads), counts, checked=False),
        Peer(
            MEMORY, lambda data, threads: harness.read_once(threads, *(x.ravel() for x in tables), read), counts, False
        ),
    ]


def case(name: str, laws: tuple[Array, Array], rows: int, number: int, repeats: int) -> Done:
    """One rule on laws p and q (V,): checked against its reference, then timed."""
    p, q = laws
    rule = made(name, p, q)
    token = rounds.tables(*(x[None] for x in (q, SD.keep(p, q), SD.residual(p, q), p)))
    title = f"{name}: {rows:,} x {number} rounds of {GAMMA} positions, V = {len(p):,}"
    some = rule.run(rule.tables, Draws(KEY, range(rows)), gamma=GAMMA, rounds=number, tokens=True)
    few = min(rows, 20)
    same = rule.reference(rule.tables.laws, GAMMA, number, KEY, np.arange(few, dtype=np.uint64))
    equal = all(np.array_equal(x[:few], y) for x, y in zip(some, same, strict=False) if x is not None)
    mean = some.accepted.mean() if equal else math.nan
    tolerance = 20 / math.sqrt(rows * number)  # seven standard errors of a difference: a round deviates by at most 2.5
    results = timed(title, peers(rule, token, rows, number), repeats, lambda: (None, np.array(mean), tolerance))
    control = harness.medians(results).get(CONTROL, math.nan)

    def cells(r: Result) -> tuple[str, ...]:
        return (
            str(r.threads),
            f"{r.median * 1e3:.1f}",
            f"{rows * number / r.median / 1e6:.2f}",
            f"{r.median / control:.2f}",
        )

    caption = "medians of interleaved runs; the ratio is to token rounds, which draw fewer tokens"
    shown = tabulated(title, caption, ("threads", "ms", "million rounds/s", "ratio"), results, cells)
    about = {"work": "paths", "rule": name, "vocab": len(p), "gamma": GAMMA, "replications": rows, "rounds": number}
    return judged(about | {"mean_accepted": float(mean)}, results, shown)
