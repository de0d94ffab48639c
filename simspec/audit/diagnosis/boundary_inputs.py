"""What is tried beside the laws: the same seed twice, rows that are no laws.  It is noted, and changes no verdict."""

from __future__ import annotations

import numpy as np

from simspec.audit.calling import Broken, CallMonitor, Sampler, called
from simspec.audit.levels import is_tree
from simspec.audit.pairs import Pair

__all__ = ["notice"]

CALLS = 64


def notice(sampler: Sampler, pair: Pair, monitor: CallMonitor, seed: int) -> None:
    """Note whether the same seed gives other tokens, and whether rows of NaN are taken for laws.

    >>> from simspec.audit.reference import speculative
    >>> from simspec.audit.pairs import revealing
    >>> monitor = CallMonitor()
    >>> notice(speculative, revealing(1, 2)[0], monitor, 0)
    >>> print(*monitor.notes.values())
    accepts rows of NaN as distributions and returns tokens
    """
    try:
        first, second = (called(sampler, pair.p, pair.q, CALLS, np.random.default_rng(seed), monitor) for _ in range(2))
    except Broken:
        return
    if not np.array_equal(first, second):
        monitor.note("seed", "returns different tokens when it is given the same random numbers again")
    if is_tree(pair.p):
        return
    spoiled = pair.p.copy()
    spoiled[0] = np.nan
    try:
        with np.errstate(invalid="ignore"):
            called(
                sampler,
                spoiled,
                pair.q,
                CALLS,
                np.random.default_rng(seed),
                CallMonitor(monitor.call_timeout, monitor.prefixes, monitor.deadline),
            )
    except Broken:
        return
    monitor.note("nan", "accepts rows of NaN as distributions and returns tokens")
