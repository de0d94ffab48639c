"""Several tasks in one message: so that a scheduler hears from each worker less often, the more workers there are.

What a scheduler and its client compute for a message costs milliseconds, whatever the message says.  With one message for
each task their time would bound the number of workers.  Tasks therefore travel in bundles that last the longer, the
wider the cluster is.  Block by block a result keeps its integers, since a result is the shortest prefix of blocks on
which its rule fires: sums over a bundle would lose that place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any, NamedTuple

__all__ = ["AHEAD", "Pace", "Worked", "blocks_ahead", "bundle_seconds", "work_through"]

LEAST_SECONDS = 0.25
MOST_SECONDS = 60.0
"""Between these a bundle lasts: what is short is not worth a message, what is long is lost with its worker."""
DRIVER_SECONDS = 0.004
"""Processor time that the driver, scheduler and client in one, needs for a bundle."""
MESSAGE_SECONDS = 10 * DRIVER_SECONDS
"""Between two messages of the whole cluster: the driver is idle nine tenths of the time."""
AHEAD = 2
"""Bundles under way for each place where tasks run: one is worked on, one waits there."""
FILL = 3 * AHEAD
"""Bundles that a cell's blocks fill for each place where there is no rule to stop it: with half of them back, when it is
given more, as many still wait as keep bundles full.  With only as many as are under way, bundles are cut too small."""
HELD = 2 * 10**6
"""Blocks that the driver holds where no more are under way: each is a number in a set."""
SCOUTS = 100
"""Bundles, of one task each, that are sent before anything is known of how long tasks take."""
_FORGET = 0.8


def bundle_seconds(width: int) -> float:
    """How long a bundle is to last where so many tasks run at the same time.

    >>> [bundle_seconds(width) for width in (1, 64, 1000, 10_000)]
    [0.25, 2.56, 40.0, 60.0]
    """
    return min(max(LEAST_SECONDS, MESSAGE_SECONDS * width), MOST_SECONDS)


def blocks_ahead(width: int, cells: int, count: int, seconds: float, stops: bool = True) -> int:
    """How many blocks a cell is given at least: one for each of its workers, and as many more as keep these at work.

    So that nobody waits for the last block of a batch it is twice its share of the workers, and where bundles are long as
    many as fill `FILL` of them, but where a rule may stop the cell no more than there are, so that it is at most doubled.

    Parameters
    ----------
    width, cells : int
        places where tasks run, and cells of the study.
    count, seconds : int, float
        blocks of the cell that are there, and the time they took.
    stops : bool
        whether a rule may stop the cell before its limit.

    Examples
    --------
    >>> blocks_ahead(width=8, cells=1, count=0, seconds=0.0), blocks_ahead(width=8, cells=1, count=9, seconds=0.9)
    (8, 16)
    >>> blocks_ahead(width=1000, cells=10_000, count=4, seconds=0.8)  # 120 of them would fill six bundles of 40 s each
    4
    >>> blocks_ahead(width=1000, cells=10_000, count=4, seconds=0.8, stops=False)
    120
    """
    share = -(-width // cells)
    minimum = share if share == 1 or not count else 2 * share
    if not seconds or bundle_seconds(width) <= LEAST_SECONDS:
        return minimum
    bundle_blocks = width * bundle_seconds(width) * count / seconds  # blocks of one bundle for every place
    filling = bundle_blocks * min(FILL, max(AHEAD, HELD / bundle_blocks)) / cells
    return max(minimum, min(count, int(filling)) if stops else int(filling))


class Worked(NamedTuple):
    """What became of a bundle: results of its first tasks, and the seconds that they took."""

    results: list[Any]
    seconds: float


def work_through(work: Callable[[Any], Any], tasks: Sequence[Any], seconds: float) -> Worked:
    """Work on tasks in order until all are done or the time is up: what a worker does with a bundle.

    A task that has begun is finished, and the first one always begins; the others are for whoever is free.

    >>> work_through(abs, [-1, -2, -3], 60.0).results
    [1, 2, 3]
    >>> work_through(abs, [-1, -2, -3], 0.0).results
    [1]
    """
    begin = time.monotonic()
    results = []
    for task in tasks:
        results.append(work(task))
        if time.monotonic() - begin >= seconds:
            break
    return Worked(results, time.monotonic() - begin)


class Pace:
    """How many tasks make a bundle, learned from those that are done.

    >>> pace = Pace()
    >>> pace.size(waiting=1000, width=64)  # nothing is known yet
    1
    >>> pace.learn(Worked([None] * 4, 0.04))
    >>> pace.size(waiting=100_000, width=64)  # 2.56 s at 10 ms a task
    256
    >>> pace.size(waiting=3000, width=64)  # few are left: each place gets some, and some more
    35
    >>> pace.size(waiting=100, width=64)  # but not less than is worth a message: sixteen of these take 64 ms of the driver
    6
    """

    def __init__(self) -> None:
        self._seconds = 0.0  # of a task; 0 before the first

    def learn(self, worked: Worked) -> None:
        """Take note of a bundle that came back."""
        seconds_per_block = max(worked.seconds / len(worked.results), 1e-9)
        self._seconds = (
            _FORGET * self._seconds + (1 - _FORGET) * seconds_per_block if self._seconds else seconds_per_block
        )

    def most(self, width: int) -> int:
        """How many bundles may be under way.

        >>> Pace().most(1000)
        100
        """
        return AHEAD * width if self._seconds else min(AHEAD * width, SCOUTS)

    def size(self, waiting: int, width: int) -> int:
        r"""Tasks of the next bundle: as many as its time allows, while there are some for every place or none is worth it.

        Whoever hands out n tasks of t seconds, s at a time, each time for c seconds, and then waits for the last, needs
        :math:`c n / s + s t`: least where :math:`s = \sqrt{c n / t}`.
        """
        if not self._seconds:
            return 1
        timed = round(bundle_seconds(width) / self._seconds)
        worth = round(sqrt(DRIVER_SECONDS * waiting / self._seconds))
        return max(1, min(timed, waiting, max(worth, -(-waiting // (AHEAD * width)))))
