"""The yardstick of kernels that arithmetic limits: as many vector operations, with nothing to wait for.

How many operations a kernel needs is counted in its machine code: vector instructions of the inner loops other than loads,
stores and copies, times the 32-bit lanes of a vector.  Here so many additions and exclusive-ors run on numbers in
registers, in as many independent chains as a processor can keep busy.  No code with these operations can be faster; left
out are latencies, memory, and instructions of which a processor issues fewer at a time (products, roots, quotients).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from benchmarks.harness import threaded

__all__ = ["operations"]

# numbers, and pairs of operations on each before it is stored
_WIDTH = 512
_DEPTH = 3


def operations(count: float, threads: int) -> Callable[[], float]:
    """A call that does about `count` operations on numbers of 32 bits, spread over threads.

    >>> operations(1e5, threads=1)()
    101376.0
    """
    turns = -(-round(count) // (2 * _WIDTH * _DEPTH * threads))
    spin = _spin()
    numbers = [np.arange(_WIDTH, dtype=np.uint32) for _ in range(threads)]

    def work(x: Any) -> float:
        spin(turns, x, np.uint32(0x9E3779B9), np.uint32(0xBB67AE85))
        return 2.0 * _WIDTH * _DEPTH * turns

    call = threaded(work, numbers)
    return lambda: sum(call())


@cache
def _spin() -> Any:
    from simspec.kernels.compiled import compiled

    def spin(turns, x, a, b):
        for _ in range(turns):
            for j in range(_WIDTH):
                v = x[j]
                for _ in range(_DEPTH):
                    v = np.uint32(np.uint32(v ^ a) + b)
                x[j] = v

    return compiled(spin, nogil=True)
