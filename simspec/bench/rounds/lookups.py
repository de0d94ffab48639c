"""What limits rounds: tokens drawn from a table and looked up in another, one after another, and nothing decided.

A round reads few numbers of tables that are large, each at a place that only the draw before tells, so that neither bytes over
bandwidth nor operations over rate bound it, but how long a number takes to come.  The yardstick makes as many random words,
finds as many tokens and reads p/q at each of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.bench.harness import Call
from simspec.kernels.compiled import kernel
from simspec.kernels.random import core
from simspec.kernels.rounds import Tables
from simspec.kernels.rounds.loops import WORDS, _find
from simspec.kernels.threads import split

__all__ = ["lookups"]

_philox, _narrow = core.rounds, core.narrow


@kernel
def _looked_up(law, share, count, rows, out, first, last):
    """Sums of what stands at tokens that are drawn, for rows first .. last - 1."""
    shift = np.int64(32)
    while (law[1].shape[1] - 1) >> (32 - shift) > 1:
        shift -= 1
    none, draws = np.uint32(0), np.empty(WORDS, np.uint32)
    for i in range(first, last):
        total, low = 0.0, _narrow(rows[i])
        for start in range(0, count, WORDS):
            for j in range(WORDS):  # words first, as the loops of rounds make them
                draws[j] = _philox(_narrow(np.uint32(start + j)), low, none, none, none, none)[0]
            for j in range(min(WORDS, count - start)):
                total += share[0, _find(law, 0, draws[j], shift)]
        out[i] = total


def lookups(tables: Tables, rows: int, each: float) -> Any:
    """A yardstick for `simspec.bench.harness.Peer`: so many tokens drawn in each row, on so many threads.

    >>> import numpy as np
    >>> from simspec.kernels.rounds import tables
    >>> one = np.ones((1, 1))
    >>> out = lookups(tables(one, one, one, one), 2, 3)(None, 1)()
    >>> out.tolist()
    [3.0, 3.0]
    """
    count, numbers = math.ceil(each), np.arange(rows, dtype=np.uint64)
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
