"""The exact instances on which a claim is tried: random ones, a climb towards smaller slack, some of many tokens; and how many.

A claim that has a proof, or whose counterexample is on record and was checked again, is tried on fewer: its verdict rests on
that, and the tries are a second look at the code.  The effort "deep" tries all alike.
"""

from __future__ import annotations

from bisect import insort_right
from collections.abc import Callable, Iterator
from fractions import Fraction as F
from typing import Any, NamedTuple

import numpy as np

from simspec.claims.claim import Claim, Instance, margin
from simspec.claims.deciding.shrink import violated
from simspec.claims.draw import PrintedDraw, SearchDraw
from simspec.claims.rational import ratio

__all__ = ["EFFORTS", "PRINTED", "Effort", "at_printed", "effort_notice", "explore"]


class Effort(NamedTuple):
    """How hard a claim is tried: exact tries, search steps, shrink steps from how many starts, vocabularies, rows, matrix
    sizes; exact tries, search steps and real rows for what is settled otherwise; and how many of the search steps have many
    tokens instead, where nothing was refuted before: none of what is settled, but at the effort that tries all alike."""

    random: int
    climb: int
    shrink: int
    starts: int
    vocabularies: tuple[int, ...]
    rows: int
    real_rows: int
    matrix: int
    settled: tuple[int, int, int]
    wide: int

    def when_settled(self) -> Effort:
        """For a claim with a proof, or with a counterexample on record.

        >>> EFFORTS["default"].when_settled()[:2], EFFORTS["deep"].when_settled() == EFFORTS["deep"]
        ((20, 20), True)
        """
        random, climb, real_rows = self.settled
        less = (random, climb, real_rows) != (self.random, self.climb, self.real_rows)
        return self._replace(random=random, climb=climb, real_rows=real_rows, wide=0 if less else self.wide)


EFFORTS = {
    "quick": Effort(
        random=60,
        climb=60,
        shrink=400,
        starts=1,
        vocabularies=(1_000,),
        rows=4,
        real_rows=16,
        matrix=48,
        settled=(15, 10, 4),
        wide=8,
    ),
    "default": Effort(
        random=200,
        climb=300,
        shrink=2_000,
        starts=3,
        vocabularies=(1_000, 16_000),
        rows=8,
        real_rows=300,
        matrix=96,
        settled=(20, 20, 30),
        wide=40,
    ),
    "deep": Effort(
        random=4_000,
        climb=6_000,
        shrink=20_000,
        starts=3,
        vocabularies=(1_000, 32_000, 200_000),
        rows=8,
        real_rows=100_000,
        matrix=384,
        settled=(4_000, 6_000, 100_000),
        wide=800,
    ),
}


def effort_notice(effort: str) -> str | None:
    """How much less is tried where a claim is settled, in words; None where all are tried alike.

    >>> effort_notice("default")
    'shipped claims with a recorded proof or counterexample: 40 exact trials instead of 500, 30 real contexts instead of 300'
    """
    full = EFFORTS[effort]
    settled_effort = full.when_settled()
    if settled_effort == full:
        return None
    tries, contexts = (f"{f(settled_effort)} {noun} instead of {f(full)}" for f, noun in _COUNTS)
    return f"shipped claims with a recorded proof or counterexample: {tries}, {contexts}"


_COUNTS: tuple[tuple[Callable[[Effort], int], str], ...] = (
    (lambda effort: effort.random + effort.climb, "exact trials"),
    (lambda effort: effort.real_rows, "real contexts"),
)
OUTSIDE = 30
"""Random tries outside of the assumptions that are never too many."""

POOL = 256
"""Tries of smallest slack that a climb may start from."""


def explore(
    claim: Claim, effort: Effort, rng: np.random.Generator
) -> Iterator[tuple[list[int], Instance, tuple[Any, Any], Any]]:
    """Choices, instance, sides and slack of each new try: random ones, then a climb towards smaller slack.

    The last `effort.wide` of them have up to `SearchDraw.WIDEST` tokens, unless one before has refuted the claim.
    """
    pool: list[tuple[float, list[int]]] = []
    tried_choices: set[tuple[int, ...]] = set()
    outside = 0
    is_refuted = False
    steps = effort.random + effort.climb
    for step in range(steps):
        wide = step >= steps - effort.wide and not is_refuted
        climbing = step >= effort.random and bool(pool) and not wide
        draw = SearchDraw(_mutate(_start(pool, rng), rng), rng) if climbing else SearchDraw(rng=rng, wide=wide)
        instance = claim.draw(draw)
        choices = draw.recorded
        if tuple(choices) in tried_choices:
            continue
        tried_choices.add(tuple(choices))
        if broken := claim.broken_assumptions(instance):
            outside += not climbing and not wide
            if outside > max(OUTSIDE, effort.random // 2):
                raise ValueError(f"{claim.name}: most of its instances violate its assumption {broken[0]!r}")
            continue
        sides = claim.sides(instance)
        slack = claim.relation(*sides)
        is_refuted = is_refuted or bool(violated(slack))
        insort_right(pool, (margin(slack), choices), key=_slack)
        del pool[POOL:]
        yield choices, instance, sides, slack


def _slack(entry: tuple[float, list[int]]) -> float:
    return entry[0]


def _start(pool: list[tuple[float, list[int]]], rng: np.random.Generator) -> list[int]:
    """Where to climb from: one of the smallest slacks, at most two of a length, so that no size crowds out the others."""
    lengths: dict[int, int] = {}
    starts = []
    for _, choices in pool:
        lengths[len(choices)] = lengths.get(len(choices), 0) + 1
        if lengths[len(choices)] <= 2:
            starts.append(choices)
        if len(starts) == 12:
            break
    return starts[int(rng.integers(len(starts)))]


def _mutate(choices: list[int], rng: np.random.Generator) -> list[int]:
    out = list(choices)
    for _ in range(1 + int(rng.integers(3)) if out else 0):
        at = int(rng.integers(len(out)))
        move = int(rng.integers(4))
        if move == 0:
            out[at] = max(0, out[at] + (1 if rng.integers(2) else -1))
        elif move == 1:
            out[at] = int(rng.integers(16))
        elif move == 2:
            out[at] = out[int(rng.integers(len(out)))]
        else:
            out[at] = 0
    return out


AT_EACH = 4
"""Instances at each of a paper's parameters."""
PRINTED: dict[str, tuple[dict[tuple[Any, Any], F], ...]] = {
    "ears": tuple({(0, 2): F(n, 20)} for n in range(5)),
    "csqs": ({(F(1, 4), F(1)): F(1, 1000), (F(1, 8), F(7, 8)): F(1, 2000)},),
}
"""By paper, settings that it prints, by the ranges that parameters are drawn from: β of EARS, η and α of C-SQS.  What the texts
print of RDK's and PAD's parameters are sizes of models and corpora, of which no law is drawn."""
WHOLE = {"csqs": {(1, 20): 1}}
"""Whole numbers beside them: how many such steps C-SQS takes at once."""


def at_printed(claim: Claim, seed: int) -> Iterator[Instance]:
    """Instances at the paper's own parameters, inside the assumptions: a few of each."""
    if claim.instances is None or "exact" not in claim.sources:
        return
    rng = np.random.default_rng([seed, 1, *claim.name.encode()])
    paper = claim.name.split(".")[0]
    for setting in PRINTED.get(paper, ()):
        for _ in range(AT_EACH):
            values = {span: ratio(v.numerator, v.denominator) for span, v in setting.items()}
            draw = PrintedDraw(values, rng, WHOLE.get(paper))
            instance = claim.draw(draw)
            if len(draw.used) and not claim.broken_assumptions(instance):
                yield instance
