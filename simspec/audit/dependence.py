r"""Evidence that the rows of one launch depend on each other, or that launches differ, whatever law a row has.

If rows are independent and have one law, be it the right one or not, then all orders of the rows of all launches are
equally likely.  Reveal them one after the other: the next row is x with probability R(x)/R, where R(x) of the R rows that
are left are x.  A bet at these odds is fair, so that its wealth, which began at 1, has a mean of at most 1 and ever reaches
1/a with probability at most a (Markov).  The wealth here is the mean of the wealths of several bets:

- that a row repeats another row of its launch: its neighbour, the one half a launch away, or its mirror image; and that it
  does not repeat it;
- that a row is one of those that its launch has had already, more than the other launches: a Polya urn.  That is seen in
  whatever order copies stand, and where rows share a random number without being alike.

Nothing is known of the law, so a sampler that always emits the same row is not called dependent, and no test of the order
sees rows that are dealt like cards so that each launch has the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["BETS", "Dependence", "RowTest", "bets_of", "dependence_of"]

Codes = NDArray[np.int64]
STAKES = (0.02, 0.3)
"""Shares of the wealth that are staked on one row: for copies that are rare, and for those that are the rule."""
URNS = tuple(4.0**k for k in range(-4, 2))
"""How many rows of a launch an urn begins with, over the rows of the launch: few where all rows are alike."""


class RowTest:
    """Tests of independence, as many as one likes: together they alarm with probability at most `error`.

    The m-th has the share 1/(m (m + 1)) of it.
    """

    def __init__(self, error: float) -> None:
        self.error, self.made = error, 0

    def shown(self, groups: Sequence[Sequence[Codes]]) -> Dependence | None:
        """The dependence of the rows in the launches on each pair of laws, where it is shown.

        >>> alike = [np.full(100, row) for row in (0, 1, 0, 2)]
        >>> RowTest(1e-6).shown([alike]).pattern, RowTest(1e-6).shown([alike[:1]])
        ('batches differ', None)
        """
        self.made += 1
        evidence = dependence_of(groups)
        return evidence if evidence.log_wealth >= math.log(self.made * (self.made + 1) / self.error) else None


class Dependence(NamedTuple):
    """What shows that rows depend on each other.

    Attributes
    ----------
    log_wealth : float; logarithm of the evidence, at any law of a row; infinite where the dependence is certain
    pattern : str; the bet that won most, in words
    seen, expected : float; share of rows that repeat the row of the pattern, and what independence predicts; for launches
        the variance of their counts, over what independence predicts (1)
    """

    log_wealth: float = -math.inf
    pattern: str = ""
    seen: float = 0.0
    expected: float = 0.0

    def words(self) -> str:
        """In one line.

        >>> Dependence(99.0, "rows repeat the row before them", 0.5, 0.25).words()
        'rows repeat the row before them in 0.500 of the cases; independent rows do so in 0.250'
        """
        if self.pattern == LAUNCHES:
            return f"the counts of rows vary between batches {self.seen:.1f} times as much as those of independent rows"
        return f"{self.pattern} in {self.seen:.3f} of the cases; independent rows do so in {self.expected:.3f}"

    def plain(self) -> dict[str, Any]:
        """For JSON, which has no infinity: certain evidence is "inf".

        >>> Dependence(math.inf, "rows change with the uniforms of other rows", 0.5, 0.0).plain()["log_wealth"]
        'inf'
        """
        return self._asdict() | ({} if math.isfinite(self.log_wealth) else {"log_wealth": str(self.log_wealth)})


def _previous(n: int) -> Codes:
    """Row i - 1, none for the first."""
    return np.arange(n) - 1


def _half(n: int) -> Codes:
    """The row half a launch before, for the second half."""
    return np.where(np.arange(n) < (n + 1) // 2, -1, np.arange(n) - (n + 1) // 2)


def _mirror(n: int) -> Codes:
    """Row n - 1 - i, for the second half."""
    i = np.arange(n)
    return np.where(i > n - 1 - i, n - 1 - i, -1)


PATTERNS: dict[str, Callable[[int], Codes]] = {
    "rows repeat the row before them": _previous,
    "rows repeat the row half a batch before them": _half,
    "rows repeat their mirror image in the batch": _mirror,
}
"""Which earlier row of its launch a row may repeat: for n rows the number of each, or -1."""
LAUNCHES = "batches differ"
BETS = tuple(pattern for pattern in PATTERNS for _ in range(2 * len(STAKES))) + (LAUNCHES,) * len(URNS)
"""The pattern of each bet."""


def dependence_of(groups: Sequence[Sequence[Codes]]) -> Dependence:
    """The evidence in the rows of several launches, each row a number that stands for what it emitted.

    Parameters
    ----------
    groups : the launches on each pair of laws, arrays (n,) of integers >= 0 in the order of the launches.  Wealths of one
        bet on several pairs multiply, since their rows are independent under the hypothesis

    >>> rng = np.random.default_rng(0)
    >>> alike = [np.full(100, rng.integers(4)) for _ in range(20)]
    >>> free = [rng.integers(4, size=100) for _ in range(20)]
    >>> dependence_of([alike]).log_wealth > 100, dependence_of([free]).log_wealth < 5
    (True, True)
    """
    groups = [_numbered(launches) for launches in groups]
    wealths = np.sum([bets_of(launches) for launches in groups], axis=0) if groups else np.zeros(len(BETS))
    log_wealth = float(np.logaddexp.reduce(wealths)) - math.log(len(BETS))
    pattern = BETS[int(wealths.argmax())]
    return Dependence(log_wealth, pattern, *_figures(pattern, groups))


def _numbered(launches: Sequence[Codes]) -> list[Codes]:
    """Launches with their different rows numbered from 0 on.

    >>> [rows.tolist() for rows in _numbered([np.array([700, 3]), np.array([3])])]
    [[1, 0], [0]]
    """
    rows = np.concatenate([np.zeros(0, dtype=np.int64), *launches])
    numbers = np.unique(rows, return_inverse=True)[1].reshape(-1)
    return np.split(numbers, np.cumsum([len(x) for x in launches])[:-1])


def bets_of(launches: Sequence[Codes]) -> NDArray[np.float64]:
    """Logarithms of the wealths of the bets in `BETS` on the launches on one pair of laws.

    >>> np.allclose(bets_of([np.zeros(100, dtype=int)]), 0)
    True
    """
    launches = [rows for rows in launches if len(rows)]
    if not launches:
        return np.zeros(len(BETS))
    rows = np.concatenate(launches)
    lengths = [len(x) for x in launches]
    starts = np.repeat(np.cumsum([0, *lengths[:-1]]), lengths)
    remaining = len(rows) - np.arange(len(rows))  # R before each row is revealed
    totals = np.bincount(rows)
    wealths: list[float] = []
    for place in PATTERNS.values():
        earlier = np.concatenate([place(n) for n in lengths])
        some = np.flatnonzero(earlier >= 0)
        wealths += _copies(rows, some, rows[starts[some] + earlier[some]], remaining, totals)
    return np.array([*wealths, *_urns(launches, totals[rows] - _earlier(rows), remaining)])


def _earlier(rows: Codes) -> Codes:
    """How many earlier rows are the same, for each row.

    >>> _earlier(np.array([5, 3, 5, 5, 3])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    firsts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    ranks = np.arange(len(rows)) - np.repeat(firsts, np.diff([*firsts, len(rows)]))
    earlier = np.empty(len(rows), dtype=np.int64)
    earlier[order] = ranks
    return earlier


def _copies(rows: Codes, some: Codes, copied: Codes, remaining: Codes, totals: Codes) -> list[float]:
    """Logarithms of the wealths of bets that the rows at `some` repeat those that they may copy, and that they do not."""
    odds = _left_of(rows, some, copied, totals) / remaining[some]
    hits = rows[some] == copied
    wealths = []
    for stake in STAKES:
        with np.errstate(divide="ignore", invalid="ignore"):
            paid = np.where(hits, 1 / odds, 0.0)
            missed = np.where(hits, 0.0, 1 / (1 - odds))
        # where a copy is impossible, or certain, nothing is staked
        open_ = (odds > 0) & (odds < 1)
        wealths.append(float(np.log1p(stake * (paid - 1)[open_]).sum()))
        wealths.append(float(np.log1p(stake * (missed - 1)[open_]).sum()))
    return wealths


def _left_of(rows: Codes, some: Codes, codes: Codes, totals: Codes) -> Codes:
    """How many of the rows from number some[i] on are wanted[i]."""
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(totals)])
    keys = rows[order] * (len(rows) + 1) + order  # ascending: by row, then by number
    gone = np.searchsorted(keys, codes * (len(rows) + 1) + some) - starts[codes]
    remaining_count: Codes = totals[codes] - gone
    return remaining_count


def _urns(launches: Sequence[Codes], own_left: Codes, remaining: Codes) -> list[float]:
    """Logarithms of the wealths of bets that a launch has again what it had."""
    had = np.concatenate([_earlier(x) for x in launches])
    sizes = np.repeat([len(x) for x in launches], [len(x) for x in launches])
    numbers = np.concatenate([np.arange(len(x)) for x in launches])
    odds = own_left / remaining
    return [float(np.log((urn * sizes + had / odds) / (urn * sizes + numbers)).sum()) for urn in URNS]


def _figures(pattern: str, groups: Sequence[Sequence[Codes]]) -> tuple[float, float]:
    """What was seen of a pattern, and what independence predicts."""
    observed = 0.0
    expected = 0.0
    weight = 0.0
    for launches in groups:
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *launches])
        counts = np.bincount(rows)
        shares = counts[counts > 0] / max(len(rows), 1)
        if pattern == LAUNCHES:
            for launch in launches:
                launch_counts = np.bincount(launch, minlength=len(counts))[counts > 0]
                observed += float(((launch_counts - len(launch) * shares) ** 2 / (len(launch) * shares)).sum())
            weight += (len(launches) - 1) * (len(shares) - 1)
            continue
        for launch in launches:
            place = PATTERNS[pattern](len(launch))
            some = np.flatnonzero(place >= 0)
            observed += float((launch[some] == launch[place[some]]).sum())
            expected += len(some) * float((shares**2).sum())
            weight += len(some)
    if not weight:
        return 0.0, 0.0
    return observed / weight, 1.0 if pattern == LAUNCHES else expected / weight
