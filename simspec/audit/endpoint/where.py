"""Where a difference sits: evidence by region of the tokens, and which of them come too often.

Whether a token belongs to a region is known before the token is: its place in a step or in an answer, what else was asked in its
batch, how long its prompt is, how sure the reference is there.  So the wealth of bets on a region's tokens alone is evidence on
that region.  Of n regions, none of which differs, any has an e-value above n/LEVEL with probability at most `LEVEL`.  The verdict
does not rest on it: it says where to look.

What is not here: the bets (`bets`); whether the engine differs at all (`verdict`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simspec.audit.endpoint.categories import Judged
from simspec.audit.endpoint.distance import Distance
from simspec.audit.endpoint.plan import FIRST, Plan, sampled_kind
from simspec.audit.endpoint.records import Answer, Question
from simspec.laws import Array

__all__ = ["BestRequest", "Located", "Where", "WonToken", "excesses", "is_long_prompt", "regions_of", "step_places"]

LEVEL = 0.05
"""Probability that any region is named where none differs."""
SURE = 0.5
"""Probability of the most likely token from which the reference is sure."""
PLACES = 8
"""Places of a step that are told apart."""


class WonToken(NamedTuple):
    """A token, the logarithm of what each bet won by it, and the regions that it belongs to."""

    token: Judged
    gains: Array
    regions: tuple[str, ...]


class Located(NamedTuple):
    """A region and what its tokens show.

    Attributes
    ----------
    region : str; its name
    tokens : int
    log_e_value : float; the largest so far, of the mean of all bets on this region alone
    bet : int; place of the best bet
    tv : pair; ends of the total variation of the average category, at error `LEVEL`
    """

    region: str
    tokens: int
    log_e_value: float
    bet: int
    tv: tuple[float, float]


class BestRequest:
    """The request on whose answers a bet won most, as short as it may be.

    >>> best = BestRequest()
    >>> best.offer(Question((1,), 0, 9), np.array([[0.5], [1.0], [-2.0]]))
    >>> best.question.max_tokens
    2
    """

    def __init__(self) -> None:
        self.question: Question | None = None
        self.gain = -math.inf

    def offer(self, question: Question, gains: Array) -> None:
        """Take a request, if a bet won more by its tokens than by those of all before it.

        `gains` (tokens, bets) are those of `Wealth`.  What comes after the token up to which the bet won most is left out, but
        where `max_tokens` itself may be what matters.
        """
        if not len(gains):
            return
        sums = np.cumsum(gains, axis=0)
        end, bet = np.unravel_index(int(sums.argmax()), sums.shape)
        if (gain := float(sums[end, bet])) <= self.gain:
            return
        self.gain = gain
        has_end = len(gains) == 1 or int(end) >= question.max_tokens - FIRST or question.copies > 1
        self.question = question if has_end else question._replace(max_tokens=int(end) + 1)


class Where:
    """Evidence by region, collected round by round.

    >>> token = Judged((0.5, 0.3, 0.2), 0, 7, (7, 8), 8, 1, -1, 0, False, False)
    >>> where = Where()
    >>> where.add_round([WonToken(token, np.log([1.5, 0.5]), ("token 2 of an answer",))] * 40)
    >>> where.add_round([WonToken(token, np.log([0.9, 1.0]), ("token 3 of an answer",))] * 40)
    >>> [(region.region, region.tokens, region.bet, round(region.log_e_value, 1)) for region in where.located()]
    [('token 2 of an answer', 40, 0, 15.5)]
    """

    def __init__(self) -> None:
        self._logs: dict[str, Array] = {}
        self._largest: dict[str, float] = {}
        self._distances: dict[str, Distance] = {}
        self._tokens = 0

    def add_round(self, tokens: Sequence[WonToken]) -> None:
        """Count the tokens of a round, in the order in which they were asked for."""
        self._tokens += len(tokens)
        tokens_by_region: dict[str, list[Judged]] = {}
        for token, gains, regions in tokens:
            for region in regions:
                logs = self._logs.setdefault(region, np.zeros(len(gains)))
                logs += gains
                value = float(np.logaddexp.reduce(logs)) - math.log(len(logs))
                self._largest[region] = max(self._largest.get(region, 0.0), value)
                tokens_by_region.setdefault(region, []).append(token)
        for region, judged in tokens_by_region.items():
            self._distances.setdefault(region, Distance()).add(judged)

    def all_regions(self) -> list[Located]:
        """What each region shows, the most evidence first."""
        regions = [
            Located(
                region,
                self._distances[region].tokens,
                self._largest[region],
                int(logs.argmax()),
                self._distances[region].interval(LEVEL),
            )
            for region, logs in self._logs.items()
        ]
        return sorted(regions, key=lambda region: -region.log_e_value)

    def located(self) -> list[Located]:
        """Regions that differ from the reference, the most evidence first; other regions may differ by less.

        A region that holds all tokens does not say where, and is left out.
        """
        regions = [region for region in self.all_regions() if region.tokens < self._tokens]
        return [region for region in regions if region.log_e_value >= math.log(len(regions) / LEVEL)]


def regions_of(
    plan: Plan, number: int, question: Question, answer: Answer, judged: Sequence[Judged], marks_drafts: bool
) -> list[tuple[str, ...]]:
    """Parts that each token of an answer belongs to.

    Parameters
    ----------
    plan, number : of the round in the sampled test
    question, answer, judged : the answer's tokens, beside the reference
    marks_drafts : bool; whether the engine states no alternatives at accepted drafts, which shows where its steps begin

    >>> sure = Judged((0.5, 0.3, 0.2), 0, 7, (7, 8), 8, 1, -1, 0, False, False)
    >>> regions_of(Plan(), 0, Question((1,), 0, 9), Answer((7,)), [sure], False)[0]
    ('token 1 of an answer', 'requests alone', 'places where the most likely token has half of the mass or more')
    """
    batch = "long contexts" if is_long_prompt(plan, question) else sampled_kind(number)
    steps = step_places(answer) if marks_drafts else []
    regions = []
    for place, token in enumerate(judged):
        is_sure = token.masses[0] >= SURE
        names = [f"token {place + 1} of an answer" if place < FIRST else f"tokens after the first {FIRST}"]
        if steps:
            names.append(f"token {min(steps[place], PLACES)} of a step")
        names.append(batch)
        names.append(
            f"places where the most likely token has {'half of the mass or more' if is_sure else 'under half'}"
        )
        if place >= question.max_tokens - FIRST and question.max_tokens > FIRST:
            names.append(f"the last {FIRST} tokens before max_tokens")
        regions.append(tuple(names))
    return regions


def is_long_prompt(plan: Plan, question: Question) -> bool:
    """Whether the prompt is one of the long ones."""
    return 0 < plan.context <= len(question.prompt)


def step_places(answer: Answer) -> list[int]:
    """The place of each token in its step, from 1, where accepted drafts are those without alternatives.

    The drafts that were accepted before a token say that it belongs to their step, whatever it is itself.

    >>> row = ((5, -1.0),)
    >>> step_places(Answer((5, 5, 5, 5), alternatives=(row, (), (), row)))
    [1, 1, 2, 3]
    """
    places = []
    accepted = 0
    for row in answer.alternatives:
        places.append(accepted + 1)
        accepted = 0 if row else accepted + 1
    return places


def excesses(distance: Distance, radius: float) -> list[str]:
    """Kinds of tokens that come too often or too rarely, in words: those whose mean shift is above a radius.

    >>> token = Judged((0.5, 0.3, 0.2), 0, 7, (7, 8), 8, 1, -1, 0, False, False)
    >>> distance = Distance()
    >>> distance.add([token] * 400)
    >>> excesses(distance, 0.25)
    ['the most likely token 50 points too often', 'the 2nd most likely token 30 points too rarely']
    """
    if distance.shifts is None:
        return []
    mean = distance.shifts / distance.tokens
    last = len(mean) - 1
    lines = []
    for place, shift in enumerate(mean):
        if abs(shift) <= radius:
            continue
        name = f"tokens beyond the {last} most likely" if place == last else f"the {_rank(place + 1)}most likely token"
        lines.append(f"{name} {100 * abs(shift):.2g} points too {'often' if shift > 0 else 'rarely'}")
    return lines


def _rank(place: int) -> str:
    """A rank before "most likely".

    >>> _rank(1), _rank(2), _rank(3), _rank(11)
    ('', '2nd ', '3rd ', '11th ')
    """
    if place == 1:
        return ""
    rank = {2: "2nd", 3: "3rd"}.get(place, f"{place}th")
    return f"{rank} "
