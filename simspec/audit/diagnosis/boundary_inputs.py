"""What is tried beside the laws: the same seed twice, rows that are no laws.  It is noted, and changes no verdict."""

from __future__ import annotations

import numpy as np

from simspec.audit.calling import Broken, Sampler, Watch, called
from simspec.audit.levels import is_tree
from simspec.audit.pairs import Pair

__all__ = ["notice"]

CALLS = 64


def notice(sampler: Sampler, pair: Pair, watch: Watch, seed: int) -> None:
    """Note whether the same seed gives other tokens, and whether rows of NaN are taken for laws.

    >>> from simspec.audit.reference import speculative
    >>> from simspec.audit.pairs import revealing
    >>> watch = Watch()
    >>> notice(speculative, revealing(1, 2)[0], watch, 0)
    >>> print(*watch.notes.values())
    accepts rows of NaN as distributions and returns tokens
    """
    try:
        first, second = (called(sampler, pair.p, pair.q, CALLS, np.random.default_rng(seed), watch) for _ in range(2))
    except Broken:
        return
    if not np.array_equal(first, second):
        watch.note("seed", "returns different tokens when it is given the same random numbers again")
    if is_tree(pair.p):
        return
    spoiled = pair.p.copy()
    spoiled[0] = np.nan
    try:
        with np.errstate(invalid="ignore"):
            called(sampler, spoiled, pair.q, CALLS, np.random.default_rng(seed), Watch(watch.seconds, watch.prefixes))
    except Broken:
        return
    watch.note("nan", "accepts rows of NaN as distributions and returns tokens")
