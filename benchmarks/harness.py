"""How candidates are compared: validation, then interleaved timing on several numbers of threads.

A peer is a name and a function that binds the data and a number of threads to a call without arguments.  A peer that
is not installed or wrong is listed with the reason, never left out; one that misses the tolerance, but not by a factor
of a hundred, is timed and marked as inexact, which can only flatter it.  Timed runs are interleaved (every candidate
once a round, the order turning), so that a slow minute of the machine hits all alike; each peer counts at its best
number of threads, by the median.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Peer", "Result", "compare", "medians", "read_once", "steps", "thread_counts", "threaded"]

Call = Callable[[], Any]


@dataclass(frozen=True)
class Peer:
    """`bind(data, threads)` gives the call to time; it raises ImportError where the peer is not installed."""

    name: str
    bind: Callable[[Any, int], Call]
    threads: tuple[int, ...]
    checked: bool = True
    """False for a yardstick that computes something else, such as reading the memory once."""


@dataclass(frozen=True)
class Result:
    """One peer on one case; `seconds` are the timed runs at its best number of threads."""

    name: str
    status: str
    threads: int | None = None
    error: float | None = None
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def thread_counts() -> tuple[int, ...]:
    """One, the powers of two between, and all cores this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return tuple(sorted({1, cores, *(2**k for k in range(cores.bit_length()) if 2**k < cores)}))


def compare(
    peers: Sequence[Peer],
    data: Any,
    expected: NDArray[np.float64],
    tolerance: float,
    repeats: int,
    tick: Callable[[str], None] = lambda name: None,
) -> list[Result]:
    """Validate every peer against `expected`, then time all that are not wrong; `tick` is told of each step.

    Raises
    ------
    ValueError
        for fewer than one repeat.
    """
    if repeats < 1:
        raise ValueError(f"repeats: {repeats}; expected at least 1")
    results: dict[str, Result] = {}
    calls: dict[tuple[str, int], Call] = {}
    for peer in peers:
        tick(peer.name)
        try:
            bound = {n: peer.bind(data, n) for n in peer.threads}
        except ImportError as missing:
            results[peer.name] = Result(peer.name, f"not installed ({missing.name})")
            continue
        outputs = [call() for call in bound.values()]
        error = float(np.max([_error(out, expected) for out in outputs])) if peer.checked else None
        if error is not None and not error <= 100 * tolerance:
            results[peer.name] = Result(peer.name, f"wrong by {error:.1e}", error=error)
            continue
        results[peer.name] = Result(peer.name, "ok" if error is None or error <= tolerance else "inexact", error=error)
        calls.update({(peer.name, n): call for n, call in bound.items()})
    times = _interleaved(calls, repeats, tick)
    for name, result in results.items():
        runs = {n: seconds for (who, n), seconds in times.items() if who == name}
        if runs:
            best = min(runs, key=lambda n: statistics.median(runs[n]))
            results[name] = Result(name, result.status, best, result.error, runs[best])
    return list(results.values())


def _error(out: Any, expected: NDArray[np.float64]) -> float:
    return float(np.abs(np.asarray(out, dtype=np.float64) - expected).max())


def _interleaved(
    calls: dict[tuple[str, int], Call], repeats: int, tick: Callable[[str], None]
) -> dict[tuple[str, int], list[float]]:
    times: dict[tuple[str, int], list[float]] = {key: [] for key in calls}
    order = list(calls)
    for _ in range(repeats):
        for key in order:
            time.sleep(0.01)  # let the threads of the one before go to sleep
            start = time.perf_counter()
            calls[key]()
            times[key].append(time.perf_counter() - start)
            tick(key[0])
        order = order[1:] + order[:1]
    return times


def steps(peers: Sequence[Peer], repeats: int) -> int:
    """How often `compare` calls `tick` when every peer is installed and right."""
    return len(peers) + repeats * sum(len(peer.threads) for peer in peers)


def threaded(work: Callable[[Any], Any], parts: Sequence[Any]) -> Callable[[], list[Any]]:
    """A call of `work` on every part, each in a thread of its own: NumPy and its like release the interpreter lock.

    >>> threaded(sum, [(1, 2), (3, 4)])()
    [3, 7]
    """
    if len(parts) == 1:
        return lambda: [work(parts[0])]
    pool = ThreadPoolExecutor(len(parts))
    return lambda: list(pool.map(work, parts))


def read_once(threads: int, *arrays: NDArray[Any]) -> Call:
    """The yardstick of what memory limits: a plain sum over some arrays, a share of the rows of each to a thread.

    >>> read_once(1, np.ones(3), np.ones(2))()
    [5.0]
    """
    parts = zip(*(np.array_split(x, threads) for x in arrays), strict=True)
    return threaded(lambda array_parts: float(sum(x.sum() for x in array_parts)), list(parts))


def medians(results: Sequence[Result]) -> dict[str, float]:
    """Median seconds of the candidates that were timed, by name."""
    return {r.name: r.median for r in results if r.seconds}
