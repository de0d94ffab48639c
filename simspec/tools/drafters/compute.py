r"""Drafts compared on the same rows: each draft's rates, all paired differences, and how sure it is which draft is best.

A difference of two drafts is a mean over contexts of differences at the same context, so what makes a context hard for all
drafts cancels.  Intervals are over documents, as those of `simspec rates`, and hold for all pairs of drafts at once
(Bonferroni).  What is not here: reading laws (`simspec.tools.drafters.load`), and choosing while serving
(`simspec.tools.drafters.policies`).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from simspec.engine.estimates.clusters import FEWEST, ends, means
from simspec.engine.estimates.intervals import Interval, bonferroni
from simspec.laws import Array
from simspec.methods.method import Method
from simspec.methods.registry import Rule
from simspec.tools.drafters.table import Comparison, Difference, Draft, DraftsTable
from simspec.tools.rates.compute import Options, Progress, measured, rules_of, summary
from simspec.tools.reading import Pairs

__all__ = ["compare", "confidence_of", "difference_means"]

HALVINGS = 40
"""Steps in which the largest level is sought, to 2**-40."""


def compare(
    drafts: Mapping[str, Pairs],
    rule: Rule | Method | str,
    gamma: int,
    cost: float,
    level: float,
    progress: Progress | None = None,
) -> DraftsTable:
    """All drafts under one rule.

    Parameters
    ----------
    drafts : pairs of laws by name, with the same target rows (`simspec.tools.drafters.load.load_drafts`)
    rule : of one draft, or of several drafts of a step
    gamma, cost, level : as `simspec.rates` takes them

    Raises ValueError for a rule that judges a whole path of drafts.

    >>> p = np.array([[0.5, 0.5]])
    >>> laws = {"even": p, "sure": np.array([[1.0, 0.0]])}
    >>> table = compare({name: Pairs(p, q, np.array([0]), "by hand") for name, q in laws.items()}, "sd", 4, 0.1, 0.95)
    >>> table.best, table.differences[0].interval.estimate
    ('even', 0.5)
    """
    first = next(iter(drafts.values()))
    columns_of = {}
    rows = []
    for name, pairs in drafts.items():
        (rule_of_pair,) = rules_of(rule, pairs.known)
        if rule_of_pair.along is not None:
            raise ValueError(
                f"rule: {rule_of_pair.name!r} judges the drafts of a step together; expected a rule of single tokens, "
                "such as sd, by which drafts are compared context by context"
            )
        options = Options((rule_of_pair,), gamma, cost, level)
        columns = measured(pairs, options, progress)
        columns_of[name] = columns[rule_of_pair.name, "acceptance"]
        rows.append(Draft(name, summary(columns, pairs.document, options)[0].values))
    accepted = np.stack(list(columns_of.values()), axis=1)
    names = list(drafts)
    leader = int(accepted.mean(axis=0).argmax())
    comparison = Comparison(
        differences=_differences(names, accepted, first.document, level),
        best=names[leader],
        confidence=confidence_of(accepted, first.document, leader),
        accepted=accepted,
        pairs=first,
        rule=rule_of_pair.name,
    )
    return DraftsTable(rows, comparison)


def _differences(names: list[str], accepted: Array, document: Array, level: float) -> list[Difference]:
    """Every draft minus every draft after it, with intervals that hold together at `level`."""
    places = list(combinations(range(len(names)), 2))
    values = np.stack([accepted[:, i] - accepted[:, j] for i, j in places], axis=1)
    intervals = difference_means(values, document, bonferroni(level, len(places)))
    return [
        Difference(names[i], names[j], interval._replace(level=level))
        for (i, j), interval in zip(places, intervals, strict=True)
    ]


def difference_means(values: Array, document: Array, level: float) -> list[Interval]:
    """Intervals of mean differences (n, k) over documents.

    The further document of `simspec.engine.estimates.clusters` has the lowest difference of these contexts, or 0 where all are
    positive, and likewise at the high end: one that was not seen may be alike for both drafts.

    >>> interval = difference_means(np.full((5, 1), 0.5), np.arange(5), 0.95)[0]
    >>> interval.estimate, 0 < interval.low < 0.5
    (0.5, True)
    """
    return means(values, document, level, _bounds(values))


def _bounds(values: Array) -> tuple[Array, Array]:
    return np.minimum(values.min(axis=0), 0), np.maximum(values.max(axis=0), 0)


def confidence_of(accepted: Array, document: Array, leader: int) -> float | None:
    r"""The largest level at which the simultaneous intervals of all pairs put one draft above every other.

    Parameters
    ----------
    accepted : (n, K) acceptance of each draft at each context
    document : (n,) labels
    leader : number of the draft with the largest mean

    Returns
    -------
    A level in [0, 1), or None for fewer documents than have intervals.  A draft that is not the best in truth is put first at
    level :math:`1 - \epsilon` or above with probability :math:`\epsilon` at most, as far as the intervals hold their level.

    >>> confidence_of(np.array([[0.5, 0.25]] * 4), np.arange(4), 0) is None
    True
    >>> confidence_of(np.array([[0.5, 0.5]] * 5), np.arange(5), 0)
    0.0
    """
    labels, index = np.unique(document, return_inverse=True)
    if len(labels) < FEWEST:
        return None
    values = accepted[:, [leader]] - np.delete(accepted, leader, axis=1)
    sums = np.stack([np.bincount(index, column).astype(np.float64) for column in values.T], axis=1)
    sizes = np.broadcast_to(np.bincount(index).astype(np.float64)[:, None], sums.shape)
    mean_size = float(sizes.mean())
    bounds = _bounds(values)

    def is_first(tail: float) -> bool:
        return bool((ends(sums, sizes, 1 - tail, bounds, (mean_size, mean_size))[0] > 0).all())

    count = accepted.shape[1]
    pairs_of_drafts = count * (count - 1) // 2
    not_first = 0.0
    first = 1 / pairs_of_drafts  # intervals that hold together at level 0
    if not is_first(first):
        return 0.0
    for _ in range(HALVINGS):
        middle = (not_first + first) / 2
        if is_first(middle):
            first = middle
        else:
            not_first = middle
    return 1 - pairs_of_drafts * first
