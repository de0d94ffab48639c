"""A campaign on very many workers, simulated: the engine's own rule for bundles, one driver, and a clock that is only counted.

Workers take bundles as the engine cuts them (`simspec.engine.batching`) and work on each as long as its blocks last.  The
driver does one thing at a time: it takes a bundle that came back, counts its blocks, and hands out the next one.  What a
message and a block cost it was measured (`benchmarks.scaling.campaign`); time in networks and what workers need to start is
left out, and so are stopping rules.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

from simspec.engine.batching import AHEAD, Pace, Worked

__all__ = ["Costs", "Crowd", "crowd"]


class Costs(NamedTuple):
    """Seconds that a block takes its worker, and that a message and a block take the driver."""

    work: float
    message: float
    block: float


class Crowd(NamedTuple):
    """What became of a campaign.

    Attributes
    ----------
    workers, blocks, messages : int
        bundles, whose answers are not counted apart.
    seconds : float
    efficiency : float
        share of the workers' time that is work.
    busy : float
        share of the time in which the driver is at work.
    """

    workers: int
    blocks: int
    messages: int
    seconds: float
    efficiency: float
    busy: float

    @property
    def rate(self) -> float:
        """Messages a second of each worker."""
        return self.messages / self.seconds / self.workers


def crowd(workers: int, blocks_per_worker: int, costs: Costs, bundled: bool = True) -> Crowd:
    """Simulate a campaign of `blocks_per_worker` blocks for every worker; without bundles each block is a message.

    Examples
    --------
    >>> costs = Costs(work=1.0, message=0.0, block=0.0)
    >>> crowd(10, 20, costs).efficiency  # a driver that costs nothing
    1.0
    >>> one = crowd(1000, 50, Costs(work=0.2, message=0.002, block=0.0), bundled=False)
    >>> round(one.seconds), round(one.busy, 2)  # 50,000 messages of 2 ms, whatever the workers do
    (100, 1.0)
    """
    blocks = waiting = workers * blocks_per_worker
    pace = Pace()
    clock = 0.0
    driven = 0.0
    messages = 0
    free = [0.0] * workers  # when each worker has done all that it has
    under_way: list[tuple[float, int, int]] = []  # (done at, worker, blocks)
    idle = [*range(workers)] * AHEAD  # places for bundles
    while waiting or under_way:
        limit = pace.most(workers) if bundled else AHEAD * workers
        while waiting and idle and len(under_way) < limit:
            size = pace.size(waiting, workers) if bundled else 1
            clock = clock + costs.message
            driven = driven + costs.message
            waiting = waiting - size
            messages = messages + 1
            worker = idle.pop()
            free[worker] = max(free[worker], clock) + size * costs.work
            heapq.heappush(under_way, (free[worker], worker, size))
            if under_way[0][0] <= clock:
                break  # an answer is there: it comes first
        finished_at, worker, size = heapq.heappop(under_way)
        pace.learn(Worked([None] * size, size * costs.work))
        clock = max(clock, finished_at) + size * costs.block
        driven = driven + size * costs.block
        idle.append(worker)
    return Crowd(workers, blocks, messages, clock, blocks * costs.work / (workers * clock), driven / clock)
