"""Calls of a black box on one pair of laws, and what they say so far."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import Broken, CallMonitor, Late, Sampler, called, completed, ended, ways_to_end
from simspec.audit.diagnosis.observations import Observation
from simspec.audit.evidence import (
    Evidence,
    calls_to_decide,
    gather,
    log_repeat,
    log_repeat_of_any,
    text_law,
    tv_radius,
)
from simspec.audit.handing import handed
from simspec.audit.pairs import Pair
from simspec.audit.report import Finding
from simspec.laws import Array

__all__ = ["FROZEN", "Plan", "Trial"]

FROZEN = "returns the same tokens for different random numbers"

FIRST = 250
"""Calls of the first look on each pair; each further look doubles them."""
EXHAUSTED = 50_000
"""Most calls by which the TV of a bias is measured where calls go on until all is decided."""
SMALL = 16
"""Rows of the launches of the third look: dependence within a launch shows best where launches are many and small."""
COMPARED = 2**12
"""Rows of the first launches on each pair that are kept, to test whether rows depend on each other."""


class Plan(NamedTuple):
    """What is the same for all trials of an audit.

    Attributes
    ----------
    sampler : the black box
    monitor : how it is called
    calls : int; most calls on each pair
    error : float; false alarm, over all pairs
    max_tv : float; a bias up to this was declared
    seed : int
    enough : float; a pair is called no more once its TV is known to be at most this; 0: all calls are made
    """

    sampler: Sampler
    monitor: CallMonitor
    calls: int
    error: float
    max_tv: float
    seed: int
    enough: float = 0.0


class Trial:
    """Calls on one pair so far; the j-th pair that is ever tried has the share 1/(j (j + 1)) of the false alarm."""

    def __init__(self, plan: Plan, pair: Pair, number: int) -> None:
        """Begin with no calls."""
        self.plan, self.pair = plan, pair
        self.sampler = handed(plan.sampler, pair)
        self.error = plan.error / (number * (number + 1))
        self.random = [np.random.default_rng([plan.seed, number, purpose]) for purpose in range(3)]
        self.counts = np.zeros((pair.vocab,) * (pair.gamma + 1), dtype=np.int64)
        self.ends = np.zeros((pair.vocab + 1,) * (pair.gamma + 1), dtype=np.int64)
        self.evidence = Evidence()
        self.before: Array | None = None
        self.fault = ""
        self.launches: list[NDArray[np.int64]] = []  # rows as numbers, of the first launches
        self.squares = 0  # sum of the squared numbers of rows of all launches
        self.repeated = (
            0.0  # logarithm of the stake on a second batch that repeats the first, if calls have the target's law
        )
        self.repeated_any = 0.0  # and if they have any law

    @property
    def frozen(self) -> bool:
        """Whether other random numbers gave the same tokens too often for independent calls of any law."""
        return self.repeated_any > -math.log(self.error)

    @property
    def shown(self) -> bool:
        """Whether a bias is shown that was not declared."""
        if self.plan.max_tv:
            return self.frozen or self.evidence.low > self.plan.max_tv
        return self.evidence.biased(self.error)

    @property
    def open(self) -> bool:
        """Whether calls are left, and needed, and time for them."""
        needed = self.evidence.calls < self.plan.calls and not self.evidence.high <= self.plan.enough
        return needed and not self.plan.monitor.is_over

    def look(self) -> None:
        """Call as often as before once more, as far as calls are left, and look."""
        n = min(max(FIRST, self.evidence.calls), self.plan.calls - self.evidence.calls)
        tokens = self._launched(n, SMALL if self.evidence.looks == 2 else n)
        if self.evidence.looks == 1 and self.before is not None:
            self.repeated = log_repeat(self.before, tokens, self.pair.p)
            self.repeated_any = log_repeat_of_any(self.before, tokens)
        self.before = tokens if self.evidence.looks == 0 else None
        ends = ended(tokens, self.pair.vocab)
        self.ends += ends
        self.counts += completed(ends, self.pair.p, self.random[1])
        self.evidence = gather(self.evidence, self.counts, self.pair.p, self.error, self.repeated)

    def _launched(self, n: int, rows: int) -> NDArray[np.int64]:
        """Tokens of n calls in launches of so many rows."""
        sizes = [rows] * (n // rows) + [n % rows] * (n % rows > 0)
        launched = [
            called(self.sampler, self.pair.p, self.pair.q, size, self.random[0], self.plan.monitor) for size in sizes
        ]
        for tokens in launched:
            self.squares += len(tokens) ** 2
            if (room_for := COMPARED - sum(map(len, self.launches))) > 0:
                self.launches.append(_numbers(tokens[:room_for], self.pair.vocab))
        return np.concatenate(launched)

    def exhaust(self) -> int:
        """Look until all calls are made or one breaks, so that the interval for TV is as short as it can be; the calls made."""
        before = self.evidence.calls
        limit = min(self.plan.calls, EXHAUSTED) if self.plan.enough else self.plan.calls
        try:
            while self.open and self.evidence.calls < limit:
                self.look()
        except Late:
            pass
        except Broken as fault:
            self.fault = f"later {fault}"
        return self.evidence.calls - before

    def small_launches(self, number: int, rows: int) -> int:
        """So many more launches, which only serve to test whether rows depend on each other; the calls made.

        Launches that all return the same rows are a frozen generator's, and are left out.
        """
        try:
            launched = [
                called(self.sampler, self.pair.p, self.pair.q, rows, self.random[2], self.plan.monitor)
                for _ in range(number)
            ]
        except Late:
            return 0
        except Broken as fault:
            self.fault = self.fault or f"later {fault}"
            return 0
        if not all(np.array_equal(tokens, launched[0]) for tokens in launched):
            self.launches += [_numbers(tokens, self.pair.vocab) for tokens in launched]
        return number * rows

    def look_by_launch(self, number: int, rows: int) -> None:
        """Launch so often so few rows, and look, where rows of a launch depend on each other.

        A row of each launch, chosen by lot, is independent of the others: the wealth is that of these rows.
        """
        tokens = self._launched(number * rows, rows)
        sampled_rows = tokens[np.arange(number) * rows + self.random[2].integers(rows, size=number)]
        of_chosen = completed(ended(sampled_rows, self.pair.vocab), self.pair.p, self.random[1])
        ends = ended(tokens, self.pair.vocab)
        self.ends += ends
        self.counts += completed(ends, self.pair.p, self.random[1])
        self.evidence = gather(Evidence(), of_chosen, self.pair.p, self.error)._replace(calls=len(tokens))
        low, high = self.tv_by_launch()
        self.evidence = self.evidence._replace(low=low, high=high)

    def finding(self, fault: str = "", by_launch: bool = False) -> Finding:
        """What is known so far; `by_launch` where the rows of a launch depend on each other."""
        evidence = self.evidence
        fault = fault or self.fault
        if self.frozen:
            fault = fault or FROZEN
        interval = self.tv_by_launch() if by_launch else (evidence.low, evidence.high)
        return Finding(self.pair, evidence.calls, evidence.log_wealth, interval, fault)

    def tv_by_launch(self) -> tuple[float, float]:
        """TV lies between, where launches are independent and the rows of a launch need not be.

        The share of a set of texts is then a mean of independent numbers in [0, 1], one for each launch, weighted by its
        rows: Hoeffding's inequality holds with calls^2 / (sum of the squared numbers of rows) in place of the calls.
        """
        calls = self.evidence.calls
        law = text_law(self.pair.p)
        tv = float(np.abs(self.counts / calls - law).sum()) / 2
        looks = max(self.evidence.looks, 1)
        radius = tv_radius(calls**2 / self.squares, law.size, self.error / (looks * (looks + 1)))
        return max(tv - radius, 0.0), min(tv + radius, 1.0)

    def calls_to_decide(self, limit: float) -> int | None:
        """Calls on this pair after which TV is known to be at most `limit`; None where it is not expected to be.

        Of a sampler of which a bias is declared, TV is supposed to be what was seen of it beyond chance.
        """
        excess = 0.0
        if self.plan.max_tv and self.evidence.calls:
            law = text_law(self.pair.p)
            tv = float(np.abs(self.counts / self.evidence.calls - law).sum()) / 2
            chance = float(np.sqrt(2 * law * (1 - law) / (math.pi * self.evidence.calls)).sum()) / 2
            excess = max(tv - chance, 0.0)
        return calls_to_decide(self.pair.p, limit, self.error, FIRST, excess)

    def lengths(self) -> Array:
        """How many calls emitted 1, ..., gamma + 1 tokens."""
        ways = ways_to_end(self.ends)
        return np.bincount([len(x) - 1 for x in ways], weights=[*ways.values()], minlength=self.pair.gamma + 1)

    def observation(self) -> Observation:
        """Shares of the ways to end."""
        calls = self.evidence.calls
        return Observation(self.pair, {tokens: n / calls for tokens, n in ways_to_end(self.ends).items()}, calls)


def _numbers(tokens: NDArray[np.int64], vocab: int) -> NDArray[np.int64]:
    """Each row of tokens as one number.

    >>> _numbers(np.array([[0, -1], [1, 1], [0, -1]]), 2).tolist()
    [3, 8, 3]
    """
    numbers: NDArray[np.int64] = np.ravel_multi_index(tuple((tokens + 1).T), (vocab + 1,) * tokens.shape[1])
    return numbers
