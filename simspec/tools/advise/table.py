"""What is advised: a row for each rule and setting, and the sentence that follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from simspec.engine.estimates.intervals import Interval
from simspec.html.results import Tabular
from simspec.methods.speed import step_time
from simspec.tools.advise.batches import BatchAdvice, batch_advice
from simspec.tools.advise.one_hot import OneHot
from simspec.tools.advise.plan import is_free
from simspec.tools.advise.policies import POLICIES, Costs, PolicyRow, compared_policies
from simspec.tools.advise.steps import StepTimes

__all__ = ["COLUMNS", "COUNTED", "Advice", "Place", "Row", "break_even"]

LOSSLESS = 1e-9
"""Total variation of a rule that changes nothing: what rounding leaves of 64 bits."""

CONTROLS = ("unigram", "unigram-mixture", "uniform")
"""Rules that are shown beside others and never advised."""

COUNTED = "Counted, on an engine that memory limits"
"""What the cost is that no clock of this machine has measured."""

COLUMNS = {
    "rule": "how a token is drafted and accepted; `simspec rates --rules` describes each rule",
    "T": "temperature of both models",
    "top_p": "top-p of both models",
    "tv": ("total variation between the distribution of an emitted token and the target's; lossless if it is 0"),
    "gamma": (
        "number of draft tokens per target step with the highest speed-up of those tried; for several "
        "drafts: levels, for a tree: nodes"
    ),
    "drafted": "tokens drafted and verified per target step, if there are several per level",
    "levels": "levels of these drafts: runs of the draft model per target step",
    "acceptance": "probability that a draft token is accepted",
    "tokens": "mean acceptance length, if the contexts of the source are read as one text",
    "independent": "the same, if every step accepted independently at the mean rate",
    "lasting": "the same, if every distribution lasted for many target steps",
    "speedup": "speed-up over the target alone",
    "pays from": "break-even acceptance rate for this number of draft tokens",
    "bits": "bits per draft token on the link",
}
"""What each column means."""


class Row(NamedTuple):
    """One rule at one setting, at its best number of drafts."""

    rule: str
    temperature: float
    top_p: float
    tv: Interval
    gamma: int
    acceptance: Interval
    tokens: Interval
    independent: float | None
    lasting: float | None
    """None for a rule that judges several drafts together"""
    speedup: Interval
    pays_from: float | None
    """acceptance at which the drafts of this row pay, None where they never do; NaN of several drafts a level"""
    bits: Interval | None
    speeds: tuple[float, ...] = ()
    """speed at each number of drafts tried"""
    drafted: int | None = None
    levels: int | None = None
    """tokens and levels of a call, where there are several tokens a level"""
    lengths: tuple[Interval, ...] = ()
    """mean acceptance length at each number of drafts tried; empty where there are several tokens a level"""

    @property
    def lossless(self) -> bool:
        """Whether the text has the target's law."""
        return self.tv.estimate <= LOSSLESS


class Place(NamedTuple):
    """Acceptance at positions of the text from `first` to `last`."""

    first: int
    last: int
    acceptance: Interval


def break_even(gamma: int, cost: float) -> float | None:
    r"""Acceptance of independent steps at which drafting costs as much as it saves, :math:`\sum_{i=1}^\gamma\alpha^i = \gamma c`.

    None where even certain acceptance does not pay, c > 1.  At one draft it is the cost itself, and more drafts need
    more: :math:`\sum \alpha^i \le \gamma\alpha`.

    >>> break_even(1, 0.25), break_even(4, 0.0), break_even(1, 2.0)
    (0.25, 0.0, None)
    """
    if not cost <= 1:
        return None
    low = cost if gamma <= 1 else 0.0
    high = 1.0
    if gamma <= 1 or cost == 0:
        return low
    for _ in range(60):
        middle = (low + high) / 2
        total = sum(middle**i for i in range(1, gamma + 1))
        low, high = (middle, high) if total < gamma * cost else (low, middle)
    return high


class Advice(Tabular, list[Row]):
    """A list of rows that knows what it was measured on; a notebook shows it as a table.

    Attributes
    ----------
    source : str
    kind : str or None; the kind of text that was read of a source with both
    contexts, documents : int
    adjacent : float
        share of the contexts that follow their neighbour in the text: only between these is correlation seen in full.
    cost : float; draft time / target time, and what verifying one more draft adds
    verify_cost : float; the second of the two
    link : float; bits that the wire carries during one target call, infinite without a wire
    gammas : tuple of int; numbers of drafts that were tried
    apart : bool; whether the drafter lacks some of the target's tokens
    pruned : float; share of the vocabulary that the drafter keeps
    cost_range : (float, float) or None; lowest and highest cost by the spread of timed steps, which the speeds' intervals carry
    places : list of Place; acceptance by position of the first row's rule, empty where the source tells none
    rates : acceptance at each position in the order of the text, by rule, of those that judge one token at a time
    confidence : probability of the drafter's most likely token at each position
    one_hot : OneHot or None; drafts drawn from the draft's law against its most likely token, for one vocabulary
    policies, policy_rule : list of PolicyRow, and the rule; numbers of drafts that adapt, where they were asked for
    batches : BatchAdvice or None; the advice by batch size and load, where times of steps are given (`by_batch`)
    counted_cost : float or None; bytes of weights that a draft reads over those of the target, where the draft is made of the
        target and its steps are timed in float32, whatever its bits
    """

    def __init__(self, rows: Iterable[Row], **facts: Any) -> None:
        """Take the rows, and of the attributes those that are known."""
        super().__init__(rows)
        self.source: str = facts.get("source", "?")
        self.kind: str | None = facts.get("kind")
        self.contexts: int = facts.get("contexts", 0)
        self.documents: int = facts.get("documents", 0)
        self.adjacent: float = facts.get("adjacent", 0.0)
        self.cost: float = facts.get("cost", 0.0)
        self.verify_cost: float = facts.get("verify_cost", 0.0)
        self.link: float = facts.get("link", math.inf)
        self.gammas: tuple[int, ...] = facts.get("gammas", ())
        self.apart: bool = facts.get("apart", False)
        self.pruned: float = facts.get("pruned", 1.0)
        self.rates: dict[str, Any] = facts.get("rates", {})
        self.confidence: Any = facts.get("confidence")
        self.one_hot: OneHot | None = facts.get("one_hot")
        self.policies: list[PolicyRow] = []
        self.policy_rule: str = ""
        self.batches: BatchAdvice | None = None
        self.cost_range: tuple[float, float] | None = facts.get("cost_range")
        self.places: list[Place] = facts.get("places", [])
        self.counted_cost: float | None = None

    @property
    def best(self) -> Row:
        """The fastest rule that changes no text and is no control, at the first setting."""
        able = (row for row in self.first if row.lossless and row.rule not in CONTROLS)
        return max(able, key=lambda row: row.speedup.estimate, default=self[0])

    def by_batch(self, times: StepTimes, *, cost: float | None = None, loads: Sequence[float] = ()) -> BatchAdvice:
        """The best number of drafts by batch size and load, of the fastest lossless rule that drafts one token a level.

        Parameters
        ----------
        times : of steps by batch size
        cost, loads : as `simspec.tools.advise.batches.batch_advice` takes them

        Raises ValueError where no such rule was measured, or the times do not fit.
        """
        self._refuse_link("--steps")
        rows = [row for row in self.first if row.lossless and row.rule not in CONTROLS and row.lengths]
        if not rows:
            raise ValueError(
                "--steps: no lossless rule with one token a level was measured; expected one, such as --rule sd"
            )
        row = max(rows, key=lambda row: row.speedup.estimate)
        lengths = dict(zip(self.gammas, row.lengths, strict=True))
        if is_free(row.rule):  # it drafts without a draft model
            times = times._replace(draft={})
            cost = 0.0
        return batch_advice(row.rule, row.acceptance.estimate, lengths, times, cost=cost, loads=loads)

    def by_policy(self, names: Sequence[str] = POLICIES) -> tuple[str, list[PolicyRow]]:
        """The rule that policies for the number of drafts are compared with, and the comparison, along the text of the source.

        The rule is the fastest lossless one that judges one token at a time.

        Raises ValueError where no such rule was measured, or for a policy that is none.
        """
        self._refuse_link("--policy")
        rows = [row for row in self.first if row.lossless and row.rule in self.rates and row.rule not in CONTROLS]
        if not rows:
            raise ValueError(
                "--policy: no lossless rule that judges one token at a time was measured; expected --rule sd"
            )
        row = max(rows, key=lambda row: row.speedup.estimate)
        costs = Costs(self.draft_cost(row.rule), self.verify_cost)
        confidence = None if self.confidence is None or is_free(row.rule) else self.confidence.tolist()
        return row.rule, compared_policies(self.rates[row.rule].tolist(), confidence, costs, max(self.gammas), names)

    def at_cost(self, cost: float) -> Advice:
        """The advice of the first setting if a draft step took `cost` target steps and verifying nothing.

        Rules that draft several tokens a level are left out.  On an engine that memory limits, a step on a few tokens takes as
        long as on one.
        """
        rows = [_at_cost(row, self.gammas, 0.0 if is_free(row.rule) else cost) for row in self.first if row.lengths]
        facts = {"source": self.source, "kind": self.kind, "contexts": self.contexts, "documents": self.documents}
        return Advice(rows, **facts, cost=cost, gammas=self.gammas, apart=self.apart, pruned=self.pruned)

    def counted_sentence(self) -> str:
        """The advice at the counted cost; "" where there is none, or no rule that drafts one token a level."""
        if self.counted_cost is None or math.isfinite(self.link):
            return ""
        counted = self.at_cost(self.counted_cost)
        return f"{COUNTED}: {counted.sentence()}" if counted else ""

    def _refuse_link(self, option: str) -> None:
        if math.isfinite(self.link):
            raise ValueError(f"{option}: the time that drafts take on a link is not in it; expected it without --link")

    def draft_cost(self, rule: str) -> float:
        """Time of a draft step of a rule over that of a target step."""
        return 0.0 if is_free(rule) else self.cost - self.verify_cost

    @property
    def first(self) -> list[Row]:
        """Rows of the first setting."""
        return [row for row in self if (row.temperature, row.top_p) == (self[0].temperature, self[0].top_p)]

    @property
    def columns(self) -> list[str]:
        """Columns of the table that is shown: bits only where there is a wire, levels only where they differ from drafts."""
        hidden = set() if math.isfinite(self.link) else {"bits"}
        hidden |= set() if any(row.drafted is not None for row in self) else {"drafted", "levels"}
        return [name for name in COLUMNS if name not in hidden]

    def sentence(self) -> str:
        """The advice: whether to draft, how, how many, what it gains, and what it would take where it does not pay."""
        best = self.best
        cost = f"a cost of {self.cost:.3g} target steps per draft token"
        low = best.speedup.low
        high = best.speedup.high
        between = "" if math.isnan(low) else f" (95 % interval {low:.2f} to {high:.2f})".replace("95", _level(best))
        if best.speedup.estimate <= 1:
            needed = break_even(1, self.cost)
            unless = (
                "no acceptance rate pays"
                if needed is None
                else f"drafting pays from an acceptance rate of {needed:.2f}"
            )
            return (
                f"Do not draft: {best.rule} accepts {best.acceptance.estimate:.2f} of its drafts; at {cost} {unless}."
            )
        count = best.gamma if best.drafted is None else best.drafted
        drafts = f"{count} token{'s' if count != 1 else ''}"
        if best.levels is not None:
            drafts += f" in {best.levels} level{'s' if best.levels != 1 else ''}"
        text = f"Draft {drafts} per target step with {best.rule}: mean acceptance length {best.tokens.estimate:.2f}, "
        text += f"{best.speedup.estimate:.2f} times the target's speed{between} at {cost}."
        if not best.lossless:
            text += f" It changes the distribution of a token by {best.tv.estimate:.3f} (TV); no rule that does not was measured."
        if low < 1:
            text += " The interval contains 1: measure more contexts to be sure that drafting pays."
        return text + self._beside(best)

    def _beside(self, best: Row) -> str:
        """What is faster than the rule that is advised, and why it is not advised."""
        text = ""
        lossy = max((r for r in self.first if not r.lossless), key=lambda row: row.speedup.estimate, default=best)
        if lossy.speedup.estimate > best.speedup.estimate:
            tv = lossy.tv.estimate
            text += (
                f" {lossy.rule} reaches {lossy.speedup.estimate:.2f} but changes the distribution of a token by "
                f"{tv:.3f} (TV)."
            )
        plain = max((r for r in self.first if r.rule in CONTROLS), key=lambda row: row.speedup.estimate, default=best)
        if plain.speedup.estimate > best.speedup.estimate:
            text += f" The control {plain.rule} reaches {plain.speedup.estimate:.2f}: the draft model adds little."
        return text

    def records(self) -> list[dict[str, Any]]:
        """Rows of plain numbers: estimates with .low and .high; missing where there is none."""
        return [_record(row) for row in self]

    def __repr__(self) -> str:
        rules = ", ".join(dict.fromkeys(row.rule for row in self))
        return f"Advice({self.source}: {self.contexts:,} contexts; {rules}; {self.sentence()})"


def _at_cost(row: Row, gammas: Sequence[int], cost: float) -> Row:
    """A row at the number of drafts that is fastest at a cost, from its mean acceptance length at each number of drafts."""
    speeds = []
    for gamma, length in zip(gammas, row.lengths, strict=True):
        time = step_time(gamma, cost)
        speeds.append(Interval(length.estimate / time, length.low / time, length.high / time, length.level))
    best = max(range(len(speeds)), key=lambda place: speeds[place].estimate)
    return row._replace(
        gamma=gammas[best],
        tokens=row.lengths[best],
        independent=None,
        lasting=None,
        speedup=speeds[best],
        pays_from=break_even(gammas[best], cost),
        speeds=tuple(speed.estimate for speed in speeds),
    )


def _level(row: Row) -> str:
    return f"{100 * row.speedup.level:g}"


def _record(row: Row) -> dict[str, Any]:
    fields: dict[str, Any] = {"rule": row.rule, "temperature": row.temperature, "top_p": row.top_p}
    fields |= {"lossless": row.lossless, "gamma": row.gamma}
    for name in ("acceptance", "tv", "tokens", "speedup", "bits"):
        value = getattr(row, name)
        ends = (None, None, None) if value is None else (value.estimate, _number(value.low), _number(value.high))
        fields |= dict(zip((name, f"{name}.low", f"{name}.high"), ends, strict=True))
    paid = None if row.pays_from is None else _number(row.pays_from)
    fields |= {"independent": row.independent, "lasting": row.lasting, "pays_from": paid}
    return fields | {"drafted": row.drafted, "levels": row.levels}


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None
