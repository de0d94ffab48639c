"""Compiled loops over rows, in plain Python threads around code that releases the interpreter lock.

So concurrent callers are safe and nothing has to be set up; NUMBA_NUM_THREADS sets the default number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import whole_number

__all__ = ["as_rows", "split"]

_SERIAL = 1 << 17  # elements below which a second thread costs more than it saves
_TASKS = 4  # tasks a thread, so that a disturbed thread can hand work on
_MOST = 256  # threads, whatever is asked for


def as_rows(x: NDArray[Any]) -> NDArray[Any]:
    """A read-only (rows, V) view, or a copy: read-only always, as Numba would compile once more for either kind.

    >>> as_rows(np.zeros((2, 3, 4))).shape
    (6, 4)
    """
    rows = np.ascontiguousarray(x).reshape(math.prod(x.shape[:-1]), x.shape[-1]).view()
    rows.flags.writeable = False
    return rows


def split(task: Callable[[int, int], None], n: int, work: int, threads: int | None, step: int = 1) -> None:
    """Run task(first, last), which releases the interpreter lock, over ranges that cover 0 .. n - 1.

    Ranges start at multiples of `step`; below 2^17 elements of `work` there is one, else some for each of `threads`.

    >>> split(print, n=5, work=5, threads=8)
    0 5
    """
    from numba import config

    usual = int(vars(config)["NUMBA_NUM_THREADS"])  # asked for here: a constant would be another on each machine
    threads = usual if threads is None else min(whole_number("threads", threads, 1, 2**63 - 1), _MOST)
    steps = -(-n // step)
    workers = min(threads, steps) if work >= _SERIAL else 1
    if workers <= 1:
        task(0, n)
        return
    parts = min(steps, workers * _TASKS)
    ends = [min(n, steps * k // parts * step) for k in range(parts + 1)]
    task(0, 0)  # compile once, not once a thread
    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(task, i, j) for i, j in itertools.pairwise(ends)]:
            future.result()
