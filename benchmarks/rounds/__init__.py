"""Rounds of speculative decoding on paths: replications in S states, against NumPy vectorised over replications.

NumPy has its own random numbers and all cores.  The kernel is compared with its reference integer by integer, the peer by
its mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness
from benchmarks.cases import Bench, Done, judged, tabulated, timed
from benchmarks.harness import Peer, Result
from benchmarks.rounds import joint
from simspec.kernels import rounds
from simspec.kernels.rounds import reference
from simspec.laws import softmax
from simspec.methods import SD

__all__ = ["BENCH", "CASES", "chain", "drawn_from", "peers", "vectorised"]

CASES = ((1, 32_000, 2_000, 100), (1_000, 1_000, 2_000, 100))
"""States, vocabulary, replications, rounds."""
QUICK = ((3, 3, 200, 20),)
JOINT_QUICK = ("block", "rrs:2", "rrsw:3", "kseq:2", "tree:2", "treew:2")
GAMMA = 5
NOISE = 0.51
OURS = "simspec"
KEY = 1

Array = NDArray[Any]


def chain(states: int, vocab: int, seed: int) -> tuple[Array, Array, Array, Array]:
    """d, k, r, p of speculative decoding, (states, vocab): softmax of normal logits; the target has noise."""
    rng = np.random.default_rng([seed, states, vocab])
    b = 3 * rng.standard_normal((states, vocab))
    q, p = (softmax(z) for z in (b, b + NOISE * rng.standard_normal(b.shape)))
    return q, SD.accept(p, q), SD.residual(p, q), p


def peers(rows: int, number: int) -> list[Peer]:
    """Ours, and NumPy vectorised over replications; each returns the mean number of accepted drafts."""
    counts = harness.thread_counts()

    def ours(data: Any, threads: int) -> harness.Call:
        return lambda: rounds.run_rounds(
            data[1], rounds.Draws(KEY, range(rows)), gamma=GAMMA, rounds=number, tokens=True, threads=threads
        ).accepted.mean()

    def plain(data: Any, threads: int) -> harness.Call:
        laws, share = drawn_from(*data[0])
        parts = [len(x) for x in np.array_split(np.empty(rows), threads)]
        pool = ThreadPoolExecutor(threads)

        def call() -> Array:
            rngs = np.random.default_rng(KEY).spawn(threads)
            return np.concatenate(
                list(pool.map(lambda n, rng: vectorised(np, laws, share, n, number, rng), parts, rngs))
            ).mean()

        return call

    return [Peer(OURS, ours, counts), Peer("NumPy", plain, counts)]


def drawn_from(d: Array, k: Array, r: Array, p: Array) -> tuple[list[Array], Array]:
    """For `vectorised`: cumulative sums of d, r, p, those of state s from s on, and the share of each draft that is kept."""
    ends = np.arange(len(d))[:, None]
    share = np.divide(k, d, out=np.zeros(d.shape), where=d > 0)
    return [(ends + reference.cdf(x)).ravel() for x in (d, r, p)], share


def vectorised(xp: Any, laws: list[Array], share: Array, rows: int, number: int, rng: Any) -> Array:
    """Rounds of all rows together, a position at a time, by NumPy or CuPy; all states in one sorted table."""
    states, vocab = share.shape
    state = xp.zeros(rows, dtype=np.int64)
    length = xp.zeros(rows, dtype=np.int64)
    accepted = xp.zeros((rows, number), dtype=np.int32)
    tokens = xp.full((rows, number * (GAMMA + 1)), -1, dtype=np.int32)

    def drawn(law: Array, who: Array) -> Array:
        s = state[who]
        return xp.minimum(xp.searchsorted(law, s + rng.random(who.size), side="right") - s * vocab, vocab - 1)

    def emit(who: Array, x: Array) -> None:
        tokens[who, length[who]] = x
        length[who] += 1
        if states > 1:
            state[who] = x

    for t in range(number):
        going = xp.arange(rows)
        for _ in range(GAMMA):
            x = drawn(laws[0], going)
            is_accepted = rng.random(going.size) < share[state[going], x]
            stopped = going[~is_accepted]
            emit(stopped, drawn(laws[1], stopped))
            going = going[is_accepted]
            emit(going, x[is_accepted])
            accepted[going, t] += 1
        emit(going, drawn(laws[2], going))
    return accepted


def _case(case: tuple[int, int, int, int], seed: int, repeats: int) -> Done:
    """Check the kernel against its reference, time it beside NumPy, and return the record of one case."""
    states, vocab, rows, number = case
    title = f"{rows:,} x {number} rounds of {GAMMA} drafts, S = {states:,}, V = {vocab:,}"
    laws = chain(states, vocab, seed)
    round_tables = rounds.tables(*laws)
    some = rounds.run_rounds(round_tables, rounds.Draws(KEY, range(rows)), gamma=GAMMA, rounds=number, tokens=True)
    checked_rows = min(rows, 100)
    same = reference.run(round_tables.laws, GAMMA, number, KEY, np.arange(checked_rows, dtype=np.uint64))
    equal = all(np.array_equal(x[:checked_rows], y) for x, y in zip(some, same, strict=False) if x is not None)
    mean = some.accepted.mean() if equal else math.nan
    tolerance = 20 / math.sqrt(rows * number)  # seven standard errors of a difference: a round deviates by less than 2
    results = timed(title, peers(rows, number), repeats, lambda: ((laws, round_tables), np.array(mean), tolerance))
    our_time = harness.medians(results).get(OURS, math.nan)

    def cells(r: Result) -> tuple[str, ...]:
        return (
            str(r.threads),
            f"{r.median * 1e3:.1f}",
            f"{rows * number / r.median / 1e6:.2f}",
            f"{r.median / our_time:.2f}",
        )

    caption = "medians of interleaved runs; tokens and accepted drafts kept"
    result_table = tabulated(title, caption, ("threads", "ms", "million rounds/s", "ratio"), results, cells)
    about = {"work": "paths", "states": states, "vocab": vocab, "gamma": GAMMA, "replications": rows, "rounds": number}
    return judged(about | {"mean_accepted": float(mean)}, results, result_table)


def _joint(name: str, size: tuple[int, int, int], seed: int, repeats: int) -> Done:
    vocab, rows, number = size
    q, _, _, p = chain(1, vocab, seed)
    return joint.case(name, (p[0], q[0]), rows, number, repeats)


def _cases(quick: bool, seed: int, repeats: int) -> list[Callable[[], Done]]:
    token = [partial(_case, case, seed, repeats) for case in (QUICK if quick else CASES)]
    rules, sizes = (JOINT_QUICK, ((8, 200, 20),)) if quick else (joint.RULES, joint.SIZES)
    return [*token, *(partial(_joint, name, size, seed, repeats) for size in sizes for name in rules)]


BENCH = Bench(
    name="rounds",
    summary="rounds by token, by block, with several drafts and of trees, many replications at once, against NumPy",
    repeats=21,
    quick="small cases",
    cases=lambda args, repeats: _cases(args.quick, args.seed, repeats),
    seed="the logits",
)
