r"""Acceptance rates of a cascade on recorded laws, and the schedule with the highest speed, beside drafts without a cascade.

The rates are means of :math:`\sum \min` over the rows: of q's drafts by m, of m's tokens by p, and of q's drafts by p.  Speeds
are those of `simspec.methods.cascade` and `simspec.methods.speed` for independent steps at these rates.  Schedules are chosen on
one half of the documents and judged on the other.  What is not here: reading laws (`simspec.tools.drafters.load`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.estimates.clusters import bounded_statistic, means
from simspec.engine.estimates.halves import choosing_rows, halvable
from simspec.engine.estimates.intervals import Interval, bonferroni
from simspec.laws import Array, overlap
from simspec.methods.block import mean_acceptance_length
from simspec.methods.cascade import cascade_time, cascade_tokens, verified_tokens
from simspec.methods.speed import step_time
from simspec.tools.reading import Pairs

__all__ = ["KINDS", "RATES", "RIVALS", "Cascade", "CascadePlan", "Schedule", "compute"]

RATES = ("draft by middle", "middle by target", "draft by target")
"""Whose tokens are verified by whom."""
EXTREMES = np.array([*zip(*product((0, 1), repeat=len(RATES)), strict=True), [1] * 2 ** len(RATES)])
"""All rates 0 or 1 of a document, and its number of rows, in columns as `_sums` has them."""
KINDS = ("cascade", "draft alone", "middle alone")
"""What drafts for the target: the middle model with its drafts, the draft model, or the middle model."""
RIVALS = (*KINDS[1:], "target alone")
"""What a cascade is compared with."""


@dataclass(frozen=True)
class CascadePlan:
    """Costs, and the schedules that are compared.

    Attributes
    ----------
    cost : time of a draft step / time of a target step
    middle_cost : time of a pass of the middle model, which verifies a block or drafts a token / time of a target step
    verify : time of verifying one more token in a pass of the target / time of a target step
    gammas : numbers of draft tokens of a round; without a cascade all from the least of them to the tokens of all rounds
    rounds : numbers of rounds of the middle model for a target step
    level : of the intervals, in (0, 1)
    """

    cost: float = 0.1
    middle_cost: float = 0.3
    verify: float = 0.0
    gammas: tuple[int, ...] = tuple(range(1, 17))
    rounds: tuple[int, ...] = tuple(range(1, 9))
    level: float = 0.95


class Schedule(NamedTuple):
    """The fastest schedule of a kind on the half that chooses, and its values on the half that judges.

    Attributes
    ----------
    kind : of `KINDS`
    gamma, rounds : draft tokens, and rounds of the middle model (0 without a cascade)
    tokens, speedup : mean tokens of a target step, and speed against the target alone
    """

    kind: str
    gamma: int
    rounds: int
    tokens: float
    speedup: Interval


@dataclass(frozen=True)
class Cascade:
    """What a comparison says.

    Attributes
    ----------
    acceptance : mean acceptance by the names of `RATES`, over all documents
    schedules : the fastest of each of `KINDS`
    gains : speed-up of the cascade minus that of each of `RIVALS`, with intervals that hold together
    is_judged : whether other documents chose the schedules; without, they were chosen and valued on all, and have no intervals
    pairs : target and draft
    plan : costs and schedules
    """

    acceptance: dict[str, Interval]
    schedules: list[Schedule]
    gains: dict[str, Interval]
    is_judged: bool
    pairs: Pairs
    plan: CascadePlan

    @property
    def pays(self) -> bool | None:
        """Whether the cascade is faster than every rival, False if some is faster; None where the intervals do not decide."""
        if all(gain.low > 0 for gain in self.gains.values()):
            return True
        return False if any(gain.high < 0 for gain in self.gains.values()) else None

    @property
    def rival(self) -> str:
        """The fastest rival."""
        return min(self.gains, key=lambda name: self.gains[name].estimate)


def compute(pairs: Pairs, middle: Array, plan: CascadePlan) -> Cascade:
    """Rates, and the fastest schedule of each kind.

    The best of hundreds of schedules looks better than it is on the rows that choose it.  So one half of the documents chooses
    the schedules, and the other judges them: an interval holds its level for the schedule that was chosen, and those of the
    gains hold together (Bonferroni).  With fewer documents than that needs, all choose, and there are none.

    Parameters
    ----------
    pairs : laws of target and draft
    middle : laws (n, V) of the middle model
    plan : costs and schedules

    Raises ValueError for costs that are negative or no number, and without a number of drafts or of rounds.

    >>> even = np.array([[0.5, 0.5]])
    >>> pairs = Pairs(even, even, np.array([0]), "by hand")
    >>> plan = CascadePlan(cost=0.125, middle_cost=0.25, gammas=(2,), rounds=(2,))
    >>> [schedule.speedup.estimate for schedule in compute(pairs, even, plan).schedules]
    [3.5, 4.0, 2.8]
    """
    _check_plan(plan)
    values = np.stack([overlap(pairs.q, middle), overlap(middle, pairs.p), overlap(pairs.q, pairs.p)], axis=1)
    values = np.clip(values, 0, 1)  # laws sum to 1 but for rounding
    unit = (np.zeros(len(RATES)), np.ones(len(RATES)))
    acceptance = dict(zip(RATES, means(values, pairs.document, plan.level, unit), strict=True))
    is_judged = halvable(pairs.document)
    chooses = choosing_rows(pairs.document) if is_judged else np.ones(len(values), dtype=bool)
    judges = ~chooses if is_judged else chooses
    chosen = _chosen(values[chooses].mean(axis=0), plan)
    columns, sizes = _sums(values[judges], pairs.document[judges])

    def interval_of(function: Callable[[Array], Any], possible: tuple[float, float], level: float) -> Interval:
        interval = bounded_statistic(columns, _of_sums(function), sizes, EXTREMES, level)
        low = max(interval.low, possible[0]) if is_judged else math.nan
        high = min(interval.high, possible[1]) if is_judged else math.nan
        return interval._replace(low=low, high=high, level=plan.level)

    rates = values[judges].mean(axis=0)
    speeds = [partial(_speed, plan, *schedule) for schedule in chosen]
    schedules = []
    for (kind, gamma, rounds), speed in zip(chosen, speeds, strict=True):
        speedup = interval_of(speed, _reach(speed), plan.level)
        schedules.append(Schedule(kind, gamma, rounds, float(_tokens(kind, gamma, rounds, rates)), speedup))
    of_cascade = speeds[0]
    of_rivals: list[Callable[[Array], Any]] = [*speeds[1:], _target_alone]
    lowest, highest = _reach(of_cascade)
    gains = {}
    for name, of_rival in zip(RIVALS, of_rivals, strict=True):
        lowest_rival, highest_rival = _reach(of_rival)
        gains[name] = interval_of(
            partial(_difference, of_cascade, of_rival),
            (lowest - highest_rival, highest - lowest_rival),
            bonferroni(plan.level, len(RIVALS)),
        )
    return Cascade(acceptance, schedules, gains, is_judged, pairs, plan)


def _target_alone(rates: Array) -> Any:
    """Its own speed, at any rates."""
    return 1 + 0 * rates[0]


def _difference(first: Callable[[Array], Any], second: Callable[[Array], Any], rates: Array) -> Any:
    return first(rates) - second(rates)


def _reach(speed: Callable[[Array], Any]) -> tuple[float, float]:
    """Lowest and highest speed that any rates give.

    Both are at rates of 0 or 1: a speed rises with the target's acceptance; where that is 0 one token is emitted, in a time that
    the other rate moves one way, and where it is 1 all N that are verified and one more, and (N + 1)/(t + vN) moves one way too.
    """
    speeds = speed(EXTREMES[:-1])
    return float(speeds.min()), float(speeds.max())


def _chosen(rates: Array, plan: CascadePlan) -> list[tuple[str, int, int]]:
    """Kind, drafts and rounds of the fastest schedule of each kind at some rates."""
    chosen = []
    for kind in KINDS:
        speed_of = {pair: float(_speed(plan, kind, *pair, rates)) for pair in _grid(kind, plan)}
        chosen.append((kind, *max(speed_of, key=speed_of.__getitem__)))
    return chosen


def _check_plan(plan: CascadePlan) -> None:
    for name, value in (("cost", plan.cost), ("middle_cost", plan.middle_cost), ("verify", plan.verify)):
        if not 0 <= value < math.inf:
            raise ValueError(f"{name}: {value}; expected time / time of a target step, finite and 0 or more")
    for name, numbers in (("gammas", plan.gammas), ("rounds", plan.rounds)):
        if not numbers or min(numbers) < 1:
            raise ValueError(f"{name}: {list(numbers)}; expected numbers from 1 on, such as (1, 2, 4)")


def _sums(values: Array, document: Array) -> tuple[Array, Array]:
    """Sums of the rates and numbers of rows by document (4, documents), and the latter alone."""
    _, index = np.unique(document, return_inverse=True)
    sizes = np.bincount(index).astype(np.float64)
    return np.stack([*(np.bincount(index, column) for column in values.T), sizes]), sizes


def _of_sums(function: Callable[[Array], Any]) -> Callable[..., Any]:
    """A function of mean rates as one of sums over documents."""

    def of_sums(*sums: Array) -> Any:
        *accepted, rows = sums
        # what leaves out one document of the further ones stays a mean of rates, in [0, 1] but for rounding
        return function(np.clip(np.stack([column / rows for column in accepted]), 0, 1))

    return of_sums


def _grid(kind: str, plan: CascadePlan) -> list[tuple[int, int]]:
    """Numbers of drafts and rounds that are tried.

    A draft alone is tried with as many tokens as a cascade hands to the target, k (γ + 1): it would lose by its limit otherwise.
    """
    if kind == "cascade":
        return list(product(plan.gammas, plan.rounds))
    most = (max(plan.gammas) + 1) * max(plan.rounds)
    return [(gamma, 0) for gamma in range(min(plan.gammas), most + 1)]


def _tokens(kind: str, gamma: int, rounds: int, rates: Array) -> Any:
    """Mean tokens of a target step."""
    if kind == "cascade":
        return cascade_tokens(rates[0], rates[1], gamma, rounds)
    return mean_acceptance_length(rates[2] if kind == "draft alone" else rates[1], gamma)


def _speed(plan: CascadePlan, kind: str, gamma: int, rounds: int, rates: Array) -> Any:
    """Speed against the target alone, of independent steps."""
    if kind == "cascade":
        verifying = plan.verify * verified_tokens(rates[0], gamma, rounds)
        time = cascade_time(plan.cost, plan.middle_cost, gamma, rounds) + verifying
    else:
        time = step_time(gamma, plan.cost if kind == "draft alone" else plan.middle_cost, gamma, plan.verify)
    return _tokens(kind, gamma, rounds, rates) / time
