r"""The best number of drafts by batch size and by load, from acceptance lengths and the times of steps.

With γ drafts a step of b sequences emits b τ(γ) tokens in T(b, γ + 1) + γ D(b) milliseconds, where τ is the mean acceptance
length, T the target's time on γ + 1 tokens of each sequence and D that of a draft step.  So

.. math::
    \text{goodput} = \frac{b\,\tau(\gamma)}{T(b, \gamma + 1) + \gamma D(b)}, \qquad
    \text{speed-up} = \frac{\tau(\gamma)\,T(b, 1)}{T(b, \gamma + 1) + \gamma D(b)},

and with γ = 0 the target decodes alone.  τ does not depend on b: acceptance is a property of the two models and the text.  What
turns drafting from a gain to a loss is the time of a step, which is free of its tokens while weights are read from memory, and
proportional to them once arithmetic limits it.

At a load, tokens a second that requests ask for, the batch settles where the goodput meets the load.  With drafts it settles at
a smaller batch.  The best γ is the one with the shortest time a token there; between two batches that were timed the time of a
step is interpolated.

What is not here: prompts that are read between the steps, queues that form while arrivals vary, and drafts that adapt to the
acceptance (`simspec.tools.advise.policies`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from simspec.engine.estimates.intervals import Interval
from simspec.tools.advise.costs import quotient, speed_with_time
from simspec.tools.advise.steps import StepTimes

__all__ = [
    "BatchAdvice",
    "BatchRow",
    "LoadRow",
    "batch_advice",
    "break_even_length",
    "numbers_of",
    "settled",
    "step_ratio",
]

ROUNDED_LOAD = 1e-12
"""Share of a load by which rounding may put it above what a batch carries."""


class BatchRow(NamedTuple):
    """What is best at one batch size.

    Attributes
    ----------
    batch : int; sequences of a step
    gamma : int; drafts with the highest speed-up, 0 where none pays
    tokens : Interval; mean acceptance length at that number of drafts
    speedup : Interval; over the target alone at this batch
    fixed_gamma : int; number of drafts that is best at the smallest batch
    fixed : Interval; speed-up with that number of drafts
    goodput, alone : float; tokens a second, with the best number of drafts and of the target alone
    pays_from : float or None; least share of accepted drafts from which some number of drafts pays; None where not even all of
        them suffice
    """

    batch: int
    gamma: int
    tokens: Interval
    speedup: Interval
    fixed_gamma: int
    fixed: Interval
    goodput: float
    alone: float
    pays_from: float | None


class LoadRow(NamedTuple):
    """What is best at one load.

    Attributes
    ----------
    load : float; tokens a second
    gamma : int or None; drafts with the shortest time a token, None where no number of drafts carries the load
    batch : float; sequences that decode together then
    milliseconds : float; a token of a sequence
    alone_batch, alone_milliseconds : float; of the target alone, infinite where it does not carry the load
    """

    load: float
    gamma: int | None
    batch: float
    milliseconds: float
    alone_batch: float
    alone_milliseconds: float


class BatchAdvice(NamedTuple):
    """Advice by batch size and by load, of one rule.

    Attributes
    ----------
    rule : name of the rule
    acceptance : float; the same at every batch size
    rows : by batch size, smallest first
    loads : by load, in the order asked for
    has_spread : whether every time has repetitions enough for an interval
    """

    rule: str
    acceptance: float
    rows: tuple[BatchRow, ...]
    loads: tuple[LoadRow, ...]
    has_spread: bool

    @property
    def last_that_pays(self) -> int | None:
        """Largest batch up to which drafting pays at every batch that was timed; None where it pays at none."""
        last = None
        for row in self.rows:
            if row.gamma == 0:
                break
            last = row.batch
        return last

    def sentence(self) -> str:
        """Where drafting pays, with how many drafts, and what one number of drafts for all batches would do."""
        first = self.rows[0]
        last = self.rows[-1]
        if self.last_that_pays is None:
            return f"Do not draft with {self.rule}: at batch {first.batch} and above no number of drafts pays."
        parts = []
        for gamma, batches in _runs(self.rows):
            span = f"batch {batches[0]}" if len(batches) == 1 else f"batches {batches[0]} to {batches[-1]}"
            action = f"draft {gamma} token{'s' if gamma != 1 else ''}" if gamma else "do not draft"
            parts.append(f"{action} at {span}")
        text = f"With {self.rule}: {', '.join(parts)}."
        if len(self.rows) == 1:
            return text
        drafts = f"{first.fixed_gamma} token{'s' if first.fixed_gamma != 1 else ''}"
        changes = [f"{round(100 * (row.fixed.estimate - 1)):+d} % at batch {row.batch}" for row in (first, last)]
        return (
            f"{text} Acceptance is {self.acceptance:.2f} at every batch, and drafting {drafts} everywhere changes the speed by "
            f"{' and '.join(changes)}."
        )

    def plain(self) -> dict[str, Any]:
        """All numbers, as JSON has them: intervals as estimate, low and high end."""
        rows = [numbers_of(row) for row in self.rows]
        loads = [numbers_of(row) for row in self.loads]
        facts = {"rule": self.rule, "acceptance": self.acceptance, "advice": self.sentence()}
        return facts | {"last_that_pays": self.last_that_pays, "rows": rows, "loads": loads}


def step_ratio(alone: Any, verifying: Any, gamma: int, draft: Any) -> Any:
    """Time of a step with drafts over that of the target alone; numbers of any kind.

    >>> step_ratio(10.0, 12.0, 4, 1.0)
    1.6
    """
    return (verifying + gamma * draft) / alone


def settled(load: Any, tokens: Any, batches: Sequence[int], times: Sequence[Any]) -> tuple[Any, Any] | None:
    """Smallest batch that carries a load, and the time of its step; None where none that was timed does.

    Parameters
    ----------
    load : number > 0; tokens that are asked for in a unit of time
    tokens : number >= 1; that a sequence emits in a step
    batches : integers, smallest first
    times : of a step at each of them, in the same unit

    Numbers of any kind.  At batches 2 and 4 steps take 1 and 1.5; a load of 2.4 tokens is carried by 3 sequences, whose steps
    take 1.25, for 3 / 1.25 = 2.4.

    >>> from fractions import Fraction
    >>> settled(Fraction(12, 5), 1, [2, 4], [1, Fraction(3, 2)])
    (Fraction(3, 1), Fraction(5, 4))
    >>> settled(3, 1, [2, 4], [1.0, 1.5]) is None
    True
    """
    if batches[0] * tokens >= load * times[0]:
        return batches[0], times[0]
    points = zip(batches, times, strict=True)
    for (batch, time), (next_batch, next_time) in pairwise(points):
        if next_batch * tokens < load * next_time:
            continue
        slope = (next_time - time) / (next_batch - batch)
        size = load * (time - slope * batch) / (tokens - load * slope)
        return size, time + slope * (size - batch)
    return None


def break_even_length(gamma: int, ratio: float) -> float:
    """Share of γ drafts that must be accepted for a step that takes `ratio` target steps: the length is then the ratio.

    >>> break_even_length(4, 2.0)
    0.25
    """
    return (ratio - 1) / gamma


def batch_advice(
    rule: str,
    acceptance: float,
    lengths: Mapping[int, Interval],
    times: StepTimes,
    *,
    cost: float | None = None,
    loads: Sequence[float] = (),
) -> BatchAdvice:
    """The best number of drafts at every batch size that was timed, and at loads.

    Parameters
    ----------
    rule : name, for the sentence
    acceptance : probability that a draft is accepted
    lengths : mean acceptance length by number of drafts
    times : StepTimes
    cost : draft time / target time at every batch, where the times have no draft steps
    loads : tokens a second; by default those that the target alone emits at each batch

    Raises ValueError where the drafts have no time, or two, or no number of drafts lies in what was timed.

    Half of the drafts accepted, one draft: 1.5 tokens.  At batch 1 a step takes 12 ms with its draft and 10 alone, at batch 8
    it takes 20.

    >>> from simspec.tools.advise.steps import read_steps
    >>> rows = "1,1,10,1\\n1,2,11,1\\n8,1,10,2\\n8,2,18,2"
    >>> times = read_steps(f"batch,tokens,milliseconds,draft\\n{rows}\\n")
    >>> advice = batch_advice("sd", 0.5, {1: Interval(1.5, 1.5, 1.5, 0.95)}, times)
    >>> [(row.batch, row.gamma, row.speedup.estimate, row.fixed.estimate) for row in advice.rows]
    [(1, 1, 1.25, 1.25), (8, 0, 1.0, 0.75)]
    >>> print(advice.sentence().partition(". ")[0])
    With sd: draft 1 token at batch 1, do not draft at batch 8
    """
    if (cost is None) == (not times.draft):
        problem = "the times have draft steps, and a cost is given" if times.draft else "no time of a draft step"
        raise ValueError(f"--cost: {problem}; expected a column draft in --steps, or --cost, but not both")
    gammas = [gamma for gamma in lengths if gamma <= times.most_drafts]
    if not gammas:
        raise ValueError(
            f"--steps: steps on at most {times.most_drafts + 1} tokens were timed at every batch; expected {min(lengths) + 1} or "
            "more, γ drafts and one token"
        )
    ratios = {batch: {gamma: _ratio(times, batch, gamma, cost) for gamma in gammas} for batch in times.batches}
    speeds = {
        batch: {gamma: speed_with_time(lengths[gamma], ratio) for gamma, ratio in of_batch.items()}
        for batch, of_batch in ratios.items()
    }
    first = times.batches[0]
    fixed = max(gammas, key=lambda gamma: speeds[first][gamma].estimate)
    rows = tuple(_row(batch, times, lengths, speeds[batch], ratios[batch], fixed) for batch in times.batches)
    load_rows = tuple(_load_row(load, times, lengths, ratios) for load in loads or [row.alone for row in rows])
    intervals = [times.alone(batch) for batch in times.batches]
    intervals += [times.verifying(batch, gamma + 1) for batch in times.batches for gamma in gammas]
    has_spread = not any(math.isnan(interval.low) for interval in [*intervals, *times.draft.values()])
    return BatchAdvice(rule, acceptance, rows, load_rows, has_spread)


def _ratio(times: StepTimes, batch: int, gamma: int, cost: float | None) -> Interval:
    """Time of a step with γ drafts over that of the target alone, with the spread of all times."""
    alone = times.alone(batch)
    verifying = times.verifying(batch, gamma + 1)
    if cost is not None:
        ratio = quotient(verifying, alone)
        estimate, low, high = (end + gamma * cost for end in ratio[:3])
        return Interval(estimate, low, high, ratio.level)
    draft = times.draft[batch]
    total = verifying.estimate + gamma * draft.estimate
    down = math.hypot(verifying.estimate - verifying.low, gamma * (draft.estimate - draft.low))
    up = math.hypot(verifying.high - verifying.estimate, gamma * (draft.high - draft.estimate))
    return quotient(Interval(total, total - down, total + up, alone.level), alone)


def _row(
    batch: int,
    times: StepTimes,
    lengths: Mapping[int, Interval],
    speeds: Mapping[int, Interval],
    ratios: Mapping[int, Interval],
    fixed: int,
) -> BatchRow:
    """The best number of drafts at a batch size, none among them."""
    none = Interval(1.0, 1.0, 1.0, speeds[fixed].level)
    best = max(speeds, key=lambda gamma: speeds[gamma].estimate)
    gamma = best if speeds[best].estimate > 1 else 0
    speedup = speeds[gamma] if gamma else none
    alone = 1000 * batch / times.alone(batch).estimate
    needed = min(break_even_length(drafts, ratio.estimate) for drafts, ratio in ratios.items())
    return BatchRow(
        batch=batch,
        gamma=gamma,
        tokens=lengths[gamma] if gamma else none,
        speedup=speedup,
        fixed_gamma=fixed,
        fixed=speeds[fixed],
        goodput=alone * speedup.estimate,
        alone=alone,
        pays_from=None if needed > 1 else max(0.0, needed),
    )


def _load_row(
    load: float, times: StepTimes, lengths: Mapping[int, Interval], ratios: Mapping[int, Mapping[int, Interval]]
) -> LoadRow:
    """The number of drafts with the shortest time a token at a load."""
    batches = times.batches
    # a load that is the goodput of a batch may be rounded up, beyond what the batch carries
    carried = load * (1 - ROUNDED_LOAD) / 1000
    alone_times = [times.alone(batch).estimate for batch in batches]
    points = {0: settled(carried, 1.0, batches, alone_times)}
    emitted = {0: 1.0}
    for gamma in ratios[batches[0]]:
        step = [ratios[batch][gamma].estimate * time for batch, time in zip(batches, alone_times, strict=True)]
        emitted[gamma] = lengths[gamma].estimate
        points[gamma] = settled(carried, emitted[gamma], batches, step)
    latency = {gamma: point[1] / emitted[gamma] for gamma, point in points.items() if point is not None}
    best = min(latency, key=lambda gamma: latency[gamma], default=None)
    alone = points[0] or (math.inf, math.inf)
    batch = math.inf if best is None else (points[best] or alone)[0]
    return LoadRow(
        load=load,
        gamma=best,
        batch=float(batch),
        milliseconds=math.inf if best is None else float(latency[best]),
        alone_batch=float(alone[0]),
        alone_milliseconds=float(alone[1]),
    )


def numbers_of(row: NamedTuple) -> dict[str, Any]:
    """Fields of a record as JSON has them: intervals as estimate, low and high end; what is not finite is none.

    >>> numbers_of(LoadRow(1.0, None, math.inf, math.inf, 2.0, 3.0))["batch"] is None
    True
    """
    return {name: _plain(value) for name, value in row._asdict().items()}


def _runs(rows: Sequence[BatchRow]) -> list[tuple[int, list[int]]]:
    """Neighbouring batches with the same number of drafts."""
    runs: list[tuple[int, list[int]]] = []
    for row in rows:
        if runs and runs[-1][0] == row.gamma:
            runs[-1][1].append(row.batch)
        else:
            runs.append((row.gamma, [row.batch]))
    return runs


def _plain(value: Any) -> Any:
    """A value as JSON has it; what is not finite is none."""
    if isinstance(value, Interval):
        return [_plain(end) for end in value[:3]]
    return None if isinstance(value, float) and not math.isfinite(value) else value
