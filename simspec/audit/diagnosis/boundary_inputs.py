"""What is tried beside the laws: the same seed twice, rows that are no laws.  It is noted, and changes no verdict."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simspec.audit.calling import Broken, CallMonitor, Sampler, called
from simspec.audit.handing import handed
from simspec.audit.levels import is_tree
from simspec.audit.pairs import Pair
from simspec.laws import Array

__all__ = ["notice"]

CALLS = 64
NO_LAWS = {"rows of NaN": np.nan, "rows without mass (logits of -inf)": 0.0}
"""Rows that are no laws, and the value of all their masses."""


def notice(sampler: Sampler, pair: Pair, monitor: CallMonitor, seed: int) -> None:
    """Note whether the same seed gives other tokens, and which rows that are no laws are taken for laws.

    A row of NaN, and one without mass (logits of -inf), have one right answer: an error.

    >>> from simspec.audit.reference import speculative
    >>> from simspec.audit.pairs import revealing
    >>> monitor = CallMonitor()
    >>> notice(speculative, revealing(1, 2)[0], monitor, 0)
    >>> print(*monitor.notes.values())
    accepts target rows of NaN, draft rows of NaN, and returns tokens; expected an error
    """
    on_pair = handed(sampler, pair)
    try:
        first, second = (called(on_pair, pair.p, pair.q, CALLS, np.random.default_rng(seed), monitor) for _ in range(2))
    except Broken:
        return
    if not np.array_equal(first, second):
        monitor.note("seed", "returns different tokens when it is given the same random numbers again")
    if is_tree(pair.p):
        return
    accepted = []
    for name, p, q in _spoiled(pair):
        spare = CallMonitor(monitor.call_timeout, monitor.prefixes, monitor.deadline)
        try:
            with np.errstate(all="ignore"):
                called(on_pair, p, q, CALLS, np.random.default_rng(seed), spare)
        except Broken:
            continue
        accepted.append(name)
    if accepted:
        monitor.note("rows", f"accepts {', '.join(accepted)}, and returns tokens; expected an error")


def _spoiled(pair: Pair) -> Iterator[tuple[str, Array, Array]]:
    """Laws of which the first row of the target, or of the draft, is no law, and what it is."""
    for row, value in NO_LAWS.items():
        spoiled = pair.p.copy()
        spoiled[0] = value
        yield f"target {row}", spoiled, pair.q
    if pair.gamma:
        for row, value in NO_LAWS.items():
            spoiled = pair.q.copy()
            spoiled[0] = value
            yield f"draft {row}", pair.p, spoiled
