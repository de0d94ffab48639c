"""Counts from rounded numbers: what the lines of a server's log say of its verify steps, where they do not print them.

Engines print accepted and drafted tokens, but of the steps only quotients: a mean length with two digits, rates by position with
three.  The steps are a whole number that gives these digits.  Often there is one; where there are several, the nearest to the
printed numbers is taken and the range is kept.  Where there is none, the line contradicts itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import NamedTuple

from simspec.tools.lengths.records import LARGEST_COUNT, MOST_DRAFTS, Counts, checked

__all__ = [
    "Printed",
    "Rounded",
    "StepRange",
    "counts_of",
    "counts_of_all",
    "integer",
    "possible_rates",
    "rounded",
    "steps_note",
]

CANDIDATES = 2000
"""Numbers of steps that are tried; beyond so many every number of steps near the printed mean fits anyhow."""
NOISE = Fraction(1, 10**7)
"""Engines divide in float32 or float64 before they round; a quotient at the edge may be printed to either side."""
DECIMAL = re.compile(r"\d{1,16}\.(\d{1,12})", re.ASCII)
NOT_A_NUMBER = re.compile(r"-?nan(?:\(ind\))?|n/a", re.IGNORECASE)


class Rounded(NamedTuple):
    """A number as it was printed, and half a unit of its last digit."""

    value: Fraction
    half: Fraction

    @property
    def low(self) -> Fraction:
        """The least number that is printed like this."""
        return self.value - self.half - NOISE

    @property
    def high(self) -> Fraction:
        """The largest number that is printed like this."""
        return self.value + self.half + NOISE


class Printed(NamedTuple):
    """What a line says of its steps.

    Attributes
    ----------
    place : str; the line, for messages
    accepted, drafted : int
    mean : Rounded or None; mean acceptance length
    rates : shares of the steps that accept at least 1, 2, ... drafts; empty where none are printed
    steps : int or None; where the line has their number
    """

    place: str
    accepted: int
    drafted: int
    mean: Rounded | None = None
    rates: tuple[Rounded, ...] = ()
    steps: int | None = None


class StepRange(NamedTuple):
    """Counts, the fewest and the most steps that give the printed numbers, and whether the mean has the bonus token."""

    counts: Counts
    fewest: int
    most: int
    has_bonus: bool


def integer(text: str, name: str) -> int:
    """A printed count.

    Raises ValueError for what is none, with its name.

    >>> integer("312", "line 1: Accepted")
    312
    """
    if not re.fullmatch(r"\d{1,16}", text, re.ASCII) or int(text) > LARGEST_COUNT:
        raise ValueError(f"{name} is {text[:40]!a}; expected a whole number that is not negative, at most 2**53")
    return int(text)


def rounded(text: str, name: str, unit: int = 1) -> Rounded | None:
    """A printed quotient, in a unit of 1 or 100 (percent); None for "nan" and "n/a", where an engine divided by nothing.

    Raises ValueError for any other text, with its name.

    >>> rounded("34.7", "line 1: rate", unit=100)
    Rounded(value=Fraction(347, 1000), half=Fraction(1, 2000))
    """
    if NOT_A_NUMBER.fullmatch(text):
        return None
    decimal = DECIMAL.fullmatch(text)
    if decimal is None:
        raise ValueError(f"{name} is {text[:40]!a}; expected a number that is not negative, with its decimals")
    digits = len(decimal[1])
    return Rounded(Fraction(text) / unit, Fraction(1, 2 * 10**digits * unit))


def possible_rates(rates: Sequence[Fraction | float], place: str) -> None:
    """Refuse shares of steps that are not between 0 and 1, or that rise with the position.

    >>> possible_rates([0.5, 0.25], "line 1")
    """
    if len(rates) > MOST_DRAFTS:
        raise ValueError(f"{place}: {len(rates)} rates by position; expected at most {MOST_DRAFTS}")
    for position, rate in enumerate(rates, 1):
        if not 0 <= rate <= 1:
            raise ValueError(f"{place}: the rate at position {position} is {float(rate):.6g}; expected between 0 and 1")
    for position, (before, rate) in enumerate(pairwise(rates), 2):
        if rate > before:
            raise ValueError(
                f"{place}: rates by position rise from {float(before):.6g} to {float(rate):.6g} at position {position}; "
                "expected none above the one before, since a draft counts only where those before it are accepted"
            )


def counts_of(printed: Printed) -> StepRange:
    """Counts that give what is printed: the mean with the bonus token, or else without.

    Raises
    ------
    ValueError
        where no number of steps gives all of it.

    >>> mean, rates = Rounded(Fraction("1.25"), Fraction(1, 200)), (Rounded(Fraction("0.25"), Fraction(1, 2000)),)
    >>> counts_of(Printed("line 1", 2, 8, mean, rates))
    StepRange(counts=Counts(steps=8, accepted=2, drafted=8, reached=(2,)), fewest=8, most=8, has_bonus=True)
    """
    place, accepted, drafted, mean, rates, _ = printed
    if accepted > drafted:
        raise ValueError(f"{place}: {accepted} of {drafted} drafts accepted; expected no more than were drafted")
    possible_rates([rate.value for rate in rates], place)
    for bonus in (1, 0):
        fewest, upper_steps = _step_range(printed, bonus)
        for steps in _candidates(printed, bonus, fewest, upper_steps):
            reached = _reached(printed, steps)
            if reached is not None:
                counts = Counts(steps, accepted, drafted, reached if rates else None)
                return StepRange(checked(counts, place), fewest, upper_steps, bool(bonus))
        # Rates or steps tell whether the mean has the bonus token; without them only a mean below 1 does.
        if mean is None or (not rates and printed.steps is None and mean.high >= 1):
            break
    descriptions = [f"{accepted} accepted of {drafted} drafts"]
    if printed.steps is not None:
        descriptions.append(f"{printed.steps} steps")
    if mean is not None:
        descriptions.append(f"mean length {float(mean.value):g}")
    if rates:
        descriptions.append(f"rates by position {', '.join(f'{float(rate.value):g}' for rate in rates[:8])}")
    raise ValueError(f"{place}: no number of steps gives {', '.join(descriptions)}; expected numbers of the same steps")


def counts_of_all(lines: Sequence[Printed]) -> list[StepRange]:
    """Counts of every line.  A line with no accepted draft and no rates says nothing of its steps: they draft as the others do.

    Raises
    ------
    ValueError
        for a line that contradicts itself; for one without accepted drafts where no other line tells what a step drafts.

    >>> mean, none = Rounded(Fraction("1.50"), Fraction(1, 200)), Rounded(Fraction(1), Fraction(1, 200))
    >>> [of.counts.steps for of in counts_of_all([Printed("line 1", 2, 8, mean), Printed("line 2", 0, 4, none)])]
    [4, 2]
    """
    ranges = {i: counts_of(line) for i, line in enumerate(lines) if _has_steps(line)}
    steps = sum(step_range.counts.steps for step_range in ranges.values())
    drafted = sum(step_range.counts.drafted or 0 for step_range in ranges.values())
    for i, line in enumerate(lines):
        if i in ranges:
            continue
        if not steps:
            raise ValueError(
                f"{line.place}: none of {line.drafted} drafts is accepted and no rates by position are printed, so its steps "
                "do not follow; expected another line that tells how many tokens a step drafts"
            )
        share = Fraction(line.drafted * steps, drafted)
        of_line = counts_of(line._replace(steps=min(max(round(share), 1), line.drafted)))
        ranges[i] = of_line._replace(fewest=1, most=line.drafted)
    return [ranges[i] for i in range(len(lines))]


def _has_steps(line: Printed) -> bool:
    """Whether a line determines its steps, if only up to rounding."""
    return line.steps is not None or line.accepted > 0 or bool(line.rates)


def _step_range(printed: Printed, bonus: int) -> tuple[int, int]:
    """The fewest and the most steps, from each printed quotient by itself."""
    _, accepted, drafted, mean, rates, steps = printed
    fewest = Fraction(1)
    upper_steps = Fraction(LARGEST_COUNT)
    if steps is not None:
        fewest = upper_steps = Fraction(steps)
    quotients = []
    if mean is not None:
        quotients.append((mean.low - bonus, mean.high - bonus))
    if rates:
        quotients.append(
            (sum((max(r.low, Fraction(0)) for r in rates), Fraction(0)), sum((r.high for r in rates), Fraction(0)))
        )
        fewest = max(fewest, Fraction(drafted, len(rates)))  # no step drafts more tokens than there are positions
    for low, high in quotients:
        if high < 0 or (accepted > 0 and high == 0) or (accepted == 0 and low > 0):
            return 1, 0
        if accepted:
            fewest = max(fewest, accepted / high)
            upper_steps = min(upper_steps, accepted / low if low > 0 else upper_steps)
    if upper_steps == LARGEST_COUNT or (steps is None and not rates):
        upper_steps = min(upper_steps, Fraction(drafted))  # a step that counts drafts one token at least
    return ceil(fewest), floor(upper_steps)


def _candidates(printed: Printed, bonus: int, fewest: int, upper_steps: int) -> Iterator[int]:
    """Numbers of steps in a range, the likeliest first: all steps draft all positions, or else the printed mean is exact."""
    if fewest > upper_steps:
        return
    _, accepted, drafted, mean, rates, _ = printed
    places = len(rates)
    if places and drafted % places == 0 and fewest <= drafted // places <= upper_steps:
        yield drafted // places
    share = sum((rate.value for rate in rates), Fraction(0)) or (
        mean.value - bonus if mean is not None else Fraction(0)
    )
    likeliest = accepted / share if share > 0 else Fraction(fewest)
    start = min(max(round(likeliest), fewest), upper_steps)
    yield start
    for distance in range(1, min(upper_steps - fewest, CANDIDATES) + 1):
        for steps in (start - distance, start + distance):
            if fewest <= steps <= upper_steps:
                yield steps


def _reached(printed: Printed, steps: int) -> tuple[int, ...] | None:
    """Steps that accept at least 1, 2, ... drafts, for a number of all steps; None where no whole numbers fit."""
    smallest = [max(ceil(steps * rate.low), 0) for rate in printed.rates]
    largest = [min(floor(steps * rate.high), steps) for rate in printed.rates]
    if not printed.rates:
        return ()
    if any(a > b for a, b in zip(smallest, largest, strict=True)) or not sum(smallest) <= printed.accepted <= sum(
        largest
    ):
        return None
    numbers = [
        min(max(round(steps * rate.value), a), b) for rate, a, b in zip(printed.rates, smallest, largest, strict=True)
    ]
    # What rounding left over is added at the first positions and taken from the last: so the numbers do not rise.
    missing = printed.accepted - sum(numbers)
    order = range(len(numbers)) if missing > 0 else range(len(numbers) - 1, -1, -1)
    for i in order:
        change = min(max(missing, smallest[i] - numbers[i]), largest[i] - numbers[i])
        numbers[i] += change
        missing -= change
    return tuple(numbers)


def steps_note(ranges: Sequence[StepRange]) -> str:
    """How the steps of lines were worked out, and how far they may be off.

    >>> steps_note([StepRange(Counts(8, 2, 8, (2,)), 8, 9, True)])
    'the lines print no verification steps; these are derived from drafts, means and rates by position, and are between 8 and 9'
    """
    fewest = sum(of_line.fewest for of_line in ranges)
    upper_steps = sum(of_line.most for of_line in ranges)
    note = "the lines print no verification steps; these are derived from drafts, means and rates by position"
    return note if fewest == upper_steps else f"{note}, and are between {fewest:,} and {upper_steps:,}"
