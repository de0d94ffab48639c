"""What limits rounds: tokens drawn from a table and looked up in another, one after another, and nothing decided.

A round reads few numbers of tables that are large, each at a place that only the draw before tells, so that neither bytes over
bandwidth nor operations over rate bound it, but how long a number takes to come.  The yardstick makes as many random words,
finds as many tokens and reads p/q at each of them.

Rules that judge drafts together also have to know masses of (r p - q)_+ and to find last tokens of them, each by a search in sums
that are as large.  The second yardstick does as many, at the r that a sample of rounds meets, and again decides nothing.  What a
token tried holds of q stands beside its p/q and takes no search of its own.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Call
from benchmarks.rounds.sampler import Noted
from simspec.kernels.compiled import kernel
from simspec.kernels.random import core
from simspec.kernels.rounds import Tables
from simspec.kernels.rounds.block.packed import _many, _mass, _places
from simspec.kernels.rounds.numba_rounds import WORDS, _find
from simspec.kernels.threads import split

__all__ = ["lookups", "searches"]

_philox = core.rounds
_narrow = core.narrow


@kernel
def _looked_up(law, share, count, rows, out, first, last):
    """Sums of what stands at tokens that are drawn, for rows first .. last - 1."""
    shift = np.int64(32)
    while (law[1].shape[1] - 1) >> (32 - shift) > 1:
        shift -= 1
    none = np.uint32(0)
    draws = np.empty(WORDS, np.uint32)
    for i in range(first, last):
        total = 0.0
        low = _narrow(rows[i])
        for start in range(0, count, WORDS):
            for j in range(WORDS):  # words first, as the loops of rounds make them
                draws[j] = _philox(_narrow(np.uint32(start + j)), low, none, none, none, none)[0]
            for j in range(min(WORDS, count - start)):
                total += share[0, _find(law, 0, draws[j], shift)]
        out[i] = total


def lookups(tables: Tables, rows: int, tokens_per_row: float) -> Any:
    """A yardstick for `benchmarks.harness.Peer`: so many tokens drawn in each row, on so many threads.

    >>> import numpy as np
    >>> from simspec.kernels.rounds import tables
    >>> one = np.ones((1, 1))
    >>> out = lookups(tables(one, one, one, one), 2, 3)(None, 1)()
    >>> out.tolist()
    [3.0, 3.0]
    """
    count = math.ceil(tokens_per_row)
    numbers = np.arange(rows, dtype=np.uint64)
    packed: Any = tables.packed
    out: NDArray[np.float64] = np.empty(rows)

    def call(data: Any, threads: int) -> Call:
        def task(first: int, last: int) -> None:
            _looked_up(packed.draft, packed.share, count, numbers, out, first, last)

        def run() -> NDArray[np.float64]:
            split(task, rows, rows * count, threads)
            return out

        return run

    return call


@kernel
def _searched(sums, masses, places, numbers, out, first, last):
    """Sums of masses and of last tokens that are searched for, so many for each of rows first .. last - 1."""
    r = np.empty(WORDS)
    want = np.empty(WORDS)
    (s, group_sizes, pending, largest, low) = np.zeros((5, WORDS), np.int32)
    for i in range(first, last):
        for start in range(0, numbers[0], WORDS):
            m = min(WORDS, numbers[0] - start)
            for c in range(m):
                r[c] = masses[(i * numbers[0] + start + c) % len(masses)]
            _many(sums, s, r, m, group_sizes, pending, largest)
            for c in range(m):
                out[i] += _mass(sums[5], s[c], r[c], group_sizes[c])
        for start in range(0, numbers[1], WORDS):
            m = min(WORDS, numbers[1] - start)
            for c in range(m):
                at = (i * numbers[1] + start + c) % places.shape[1]
                r[c] = places[0, at]
                group_sizes[c] = np.int32(places[1, at])
                want[c] = places[2, at]
            _places(above=sums[5], s=s, r=r, want=want, first=0, m=m, low=low, high=group_sizes)
            for c in range(m):
                out[i] += sums[3][0, low[c]]


def searches(tables: Tables, sums: Any, rows: int, number: int, noted: Noted) -> Any:
    """A yardstick as `lookups`: in each row the tokens, masses and last tokens of so many rounds, on so many threads.

    A last token that is searched for is no token that is looked up.

    >>> import numpy as np
    >>> from simspec.kernels.rounds import tables
    >>> from simspec.kernels.rounds.block import block_tables
    >>> one, noted = np.ones((1, 1)), Noted(1, 3.0, np.zeros(0), np.zeros((3, 0)))
    >>> searches(tables(one, one, one, one), block_tables(one, one).packed, 2, 1, noted)(None, 1)().tolist()
    [3.0, 3.0]
    """
    searches_per_round = noted.searched()
    counts = math.ceil(number * searches_per_round["masses"]), math.ceil(number * searches_per_round["places"])
    plain = lookups(tables, rows, number * (noted.drawn - searches_per_round["places"]))

    def call(data: Any, threads: int) -> Call:
        draw_call = plain(data, threads)

        def run() -> NDArray[np.float64]:
            out: NDArray[np.float64] = np.asarray(draw_call())

            def task(first: int, last: int) -> None:
                _searched(sums, noted.masses, noted.places, counts, out, first, last)

            split(task, rows, rows * sum(counts), threads)
            return out

        return run

    return call
