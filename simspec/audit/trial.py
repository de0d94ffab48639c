"""Calls of a black box on one pair of laws, and what they say so far."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simspec.audit.beside.seen import Seen
from simspec.audit.calling import Broken, Sampler, Watch, called, completed, ended, ways_to_end
from simspec.audit.evidence import Evidence, gather, log_repeat, log_repeat_of_any
from simspec.audit.pairs import Pair
from simspec.audit.report import Finding
from simspec.laws import Array

__all__ = ["Plan", "Trial"]

FIRST = 250
"""Calls of the first look on each pair; each further look doubles them."""


class Plan(NamedTuple):
    """What is the same for all trials of an audit.

    Attributes
    ----------
    sampler : the black box
    watch : how it is called
    calls : int; most calls on each pair
    error : float; false alarm, over all pairs
    max_tv : float; a bias up to this was declared
    seed : int
    """

    sampler: Sampler
    watch: Watch
    calls: int
    error: float
    max_tv: float
    seed: int


class Trial:
    """Calls on one pair so far; the j-th pair that is ever tried has the share 1/(j (j + 1)) of the false alarm."""

    def __init__(self, plan: Plan, pair: Pair, number: int) -> None:
        self.plan, self.pair = plan, pair
        self.error = plan.error / (number * (number + 1))
        self.random = [np.random.default_rng([plan.seed, number, purpose]) for purpose in range(2)]
        self.counts = np.zeros((pair.vocab,) * (pair.gamma + 1), dtype=np.int64)
        self.ends = np.zeros((pair.vocab + 1,) * (pair.gamma + 1), dtype=np.int64)
        self.evidence = Evidence()
        self.before: Array | None = None
        self.fault = ""
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
        """Whether calls are left."""
        return self.evidence.calls < self.plan.calls

    def look(self) -> None:
        """Call as often as before once more, as far as calls are left, and look."""
        n = min(max(FIRST, self.evidence.calls), self.plan.calls - self.evidence.calls)
        tokens = called(self.plan.sampler, self.pair.p, self.pair.q, n, self.random[0], self.plan.watch)
        if self.evidence.looks == 1 and self.before is not None:
            self.repeated = log_repeat(self.before, tokens, self.pair.p)
            self.repeated_any = log_repeat_of_any(self.before, tokens)
        self.before = tokens if self.evidence.looks == 0 else None
        ends = ended(tokens, self.pair.vocab)
        self.ends += ends
        self.counts += completed(ends, self.pair.p, self.random[1])
        self.evidence = gather(self.evidence, self.counts, self.pair.p, self.error, self.repeated)

    def exhaust(self) -> int:
        """Look until all calls are made or one breaks, so that the interval for TV is as short as it can be; the calls made."""
        before = self.evidence.calls
        try:
            while self.open:
                self.look()
        except Broken as fault:
            self.fault = f"later {fault}"
        return self.evidence.calls - before

    def finding(self, fault: str = "") -> Finding:
        """What is known so far."""
        evidence = self.evidence
        fault = fault or self.fault
        if self.frozen:
            fault = fault or "returns the same tokens again when it is given other random numbers"
        return Finding(self.pair, evidence.calls, evidence.log_wealth, (evidence.low, evidence.high), fault)

    def lengths(self) -> Array:
        """How many calls emitted 1, ..., gamma + 1 tokens."""
        ways = ways_to_end(self.ends)
        return np.bincount([len(x) - 1 for x in ways], weights=[*ways.values()], minlength=self.pair.gamma + 1)

    def seen(self) -> Seen:
        """Shares of the ways to end."""
        calls = self.evidence.calls
        return Seen(self.pair, {tokens: n / calls for tokens, n in ways_to_end(self.ends).items()}, calls)
