"""How often a lossless sampler is called biased, counted on many runs: at most the level is promised, at all looks together."""

from __future__ import annotations

import math

import numpy as np

from simspec.audit.evidence import log_wealth, text_law
from simspec.audit.pairs import Pair

__all__ = ["false_alarms"]

BATCH = 5000


def false_alarms(pair: Pair, level: float, runs: int = 10**5, looks: int = 9, first: int = 16, seed: int = 0) -> int:
    """Of so many lossless runs, those whose wealth ever reaches 1/level, as an audit would compute it.

    Parameters
    ----------
    pair : laws of one pair; texts are drawn from the target
    level : float; false alarm asked for
    looks, first : int; how often each run is looked at, and after how many calls first; each further look doubles them

    >>> from simspec.audit.pairs import revealing
    >>> false_alarms(revealing(1, 2)[0], 0.05, runs=200) <= 200 * 0.05 + 5 * (200 * 0.05 * 0.95) ** 0.5
    True
    """
    rng = np.random.default_rng(seed)
    law = text_law(pair.p)
    alarms = 0
    for start in range(0, runs, BATCH):
        counts = np.zeros((min(BATCH, runs - start), *law.shape), dtype=np.int64)
        alarm = np.zeros(len(counts), dtype=bool)
        for look in range(looks):
            calls = first * 2 ** max(look - 1, 0)
            counts += rng.multinomial(calls, law.ravel(), len(counts)).reshape(counts.shape)
            alarm |= log_wealth(counts, pair.p) - math.log(2) >= -math.log(level)
        alarms += int(alarm.sum())
    return alarms
