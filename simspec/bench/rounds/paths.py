"""Rounds of speculative decoding in S states, for `simspec.bench.rounds`: the laws, and the candidates that run them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.bench import harness
from simspec.bench.harness import Peer
from simspec.kernels import rounds
from simspec.kernels.rounds import reference
from simspec.methods import SD

__all__ = ["GAMMA", "KEY", "NOISE", "OURS", "chain", "paths_peers"]

GAMMA = 5
NOISE = 0.51
OURS, KEY = "simspec", 1

Array = NDArray[Any]


def chain(states: int, vocab: int, seed: int) -> tuple[Array, Array, Array, Array]:
    """d, k, r, p of speculative decoding, (states, vocab): softmax of normal logits, noise as in the step."""
    rng = np.random.default_rng([seed, states, vocab])
    b = 3 * rng.standard_normal((states, vocab))
    q, p = (reference._softmax(z) for z in (b, b + NOISE * rng.standard_normal(b.shape)))
    return q, SD.keep(p, q), SD.residual(p, q), p


def paths_peers(rows: int, number: int) -> list[Peer]:
    """Ours, and NumPy vectorised over replications; each returns the mean number of accepted drafts."""
    counts = harness.thread_counts()

    def ours(data: Any, threads: int) -> harness.Call:
        return lambda: rounds.run_rounds(
            data[1], gamma=GAMMA, rounds=number, key=KEY, rows=range(rows), tokens=True, threads=threads
        ).accepted.mean()

    def plain(data: Any, threads: int) -> harness.Call:
        d, k, r, p = data[0]
        share = np.divide(k, d, out=np.zeros(d.shape), where=d > 0)
        ends = np.arange(len(d))[:, None]
        laws = [(ends + reference.cdf(x)).ravel() for x in (d, r, p)]
        parts = [len(x) for x in np.array_split(np.empty(rows), threads)]
        pool = ThreadPoolExecutor(threads)

        def call() -> Array:
            rngs = np.random.default_rng(KEY).spawn(threads)
            return np.concatenate(
                list(pool.map(lambda n, rng: _numpy(laws, share, n, number, rng), parts, rngs))
            ).mean()

        return call

    return [Peer(OURS, ours, counts), Peer("NumPy", plain, counts)]


def _numpy(laws: list[Array], share: Array, rows: int, number: int, rng: np.random.Generator) -> Array:
    """Rounds of all rows together, a position at a time; state s draws from s + cdf, all states in one sorted table."""
    states, vocab = share.shape
    state, length = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    accepted = np.zeros((rows, number), dtype=np.int32)
    tokens = np.full((rows, number * (GAMMA + 1)), -1, dtype=np.int32)

    def drawn(law: Array, who: Array) -> Array:
        s = state[who]
        return np.minimum(np.searchsorted(law, s + rng.random(who.size), side="right") - s * vocab, vocab - 1)

    def emit(who: Array, x: Array) -> None:
        tokens[who, length[who]] = x
        length[who] += 1
        if states > 1:
            state[who] = x

    for t in range(number):
        going = np.arange(rows)
        for _ in range(GAMMA):
            x = drawn(laws[0], going)
            kept = rng.random(going.size) < share[state[going], x]
            stopped = going[~kept]
            emit(stopped, drawn(laws[1], stopped))
            going = going[kept]
            emit(going, x[kept])
            accepted[going, t] += 1
        emit(going, drawn(laws[2], going))
    return accepted
