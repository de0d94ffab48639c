"""Rounds on a device, one replication a thread, beside token rounds there and the same work on this machine's processors.

Ours is compared with the compiled loop integer by integer; CuPy, vectorised over replications, by its mean, for token rounds
alone.  Rules whose drafts are not independent run on processors only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import harness
from benchmarks.cases import Done, judged, tabulated, timed
from benchmarks.harness import Peer, Result
from benchmarks.rounds import chain, drawn_from, joint, vectorised
from simspec.kernels import rounds
from simspec.kernels.random import Draws

__all__ = ["QUICK", "RULES", "SIZE", "case"]

RULES = ("token", "block", "rrs:2", "rrs:8", "kseq:8", "tree:2")
SIZE = (128_256, 131_072, 10)
"""Vocabulary, replications, rounds."""
QUICK = (8, 200, 5)
OURS = "simspec"
CONTROL = "token rounds"
HOST = "simspec on processors"
AIM = 1.5
"""How many times as long as token rounds a rule may take."""


def _token(laws: list[Any], xp: Any) -> rounds.Tables:
    return rounds.tables(*(xp.asarray(x) for x in laws))


def case(cp: Any, name: str, size: tuple[int, int, int], seed: int, repeats: int) -> Done:
    """A rule on one pair of laws: ours on the device, the control there, ours on processors, and for token rounds CuPy."""
    vocab, rows, number = size
    laws = list(chain(1, vocab, seed))
    q, _, _, p = (x[0] for x in laws)

    def rule(xp: Any) -> tuple[Callable[..., rounds.Rounds], Any]:
        if name == "token":
            return rounds.run_rounds, _token(laws, xp)
        device_rule = joint.made(name, p, q, xp)
        return device_rule.run, device_rule.tables

    def work(run: Callable[..., rounds.Rounds], tables: Any, threads: int | None = None) -> rounds.Rounds:
        return run(
            tables, Draws(joint.KEY, range(rows)), gamma=joint.GAMMA, rounds=number, tokens=True, threads=threads
        )

    def mean(run: Callable[..., rounds.Rounds], tables: Any, threads: int | None = None) -> harness.Call:
        return lambda: float(work(run, tables, threads).accepted.mean())

    def cupy(data: Any, threads: int) -> harness.Call:
        table, share = drawn_from(*laws)
        arrays = [cp.asarray(x) for x in table], cp.asarray(share), rows, number
        return lambda: float(vectorised(cp, *arrays, cp.random.default_rng(seed)).mean())

    our_run = rule(cp)
    same = rule(np)
    got = work(*our_run)
    expected = work(*same)
    equal = all(
        np.array_equal(cp.asnumpy(x), y) for x, y in zip(got, expected, strict=True) if x is not None and y is not None
    )
    cores = harness.thread_counts()[-1]
    if name == "token":
        beside = Peer("CuPy", cupy, (1,))
    else:
        beside = Peer(CONTROL, lambda data, n: mean(rounds.run_rounds, _token(laws, cp)), (1,), checked=False)
    processors = Peer(HOST, lambda data, n: mean(*same, n), (cores,))
    peers = [Peer(OURS, lambda data, n: mean(*our_run), (1,)), beside, processors]
    about = float(expected.accepted.mean()) if equal else math.nan
    tolerance = 20 / math.sqrt(rows * number)  # seven standard errors of a difference: a round deviates by at most 2.5
    title = f"rounds, {name}: {rows:,} x {number} of {joint.GAMMA} positions, V = {vocab:,}"
    results = timed(title, peers, repeats, lambda: (None, np.array(about), tolerance))
    medians = harness.medians(results)
    our_time = medians.get(OURS, math.nan)
    times_token = our_time / medians[CONTROL] if CONTROL in medians else None
    remark = "" if times_token is None else f"{times_token:.2f} times token rounds (aim: at most {AIM}); "

    def cells(r: Result) -> tuple[str, ...]:
        return f"{r.median * 1e3:.2f}", f"{rows * number / r.median / 1e6:.1f}", f"{r.median / our_time:.2f}"

    caption = f"{remark}medians of interleaved runs; ratio above 1: slower than {OURS}; processors: {cores}"
    result_table = tabulated(title, caption, ("ms", "million rounds/s", "ratio"), results, cells)
    facts = {"rule": name, "vocab": vocab, "gamma": joint.GAMMA, "replications": rows, "rounds": number, "cores": cores}
    return judged(facts | {"mean_accepted": about, "times_token_rounds": times_token}, results, result_table)
