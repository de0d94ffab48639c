"""Counts from rounded numbers, against a search through all of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.tools.lengths.printed import (
    NOISE,
    Printed,
    Rounded,
    StepRange,
    counts_of,
    counts_of_all,
    integer,
    possible_rates,
    rounded,
)
from simspec.tools.lengths.records import Counts


def number(text: str) -> Rounded:
    """A number as it was printed."""
    of_text = rounded(text, "line 1: number")
    assert of_text is not None
    return of_text


def is_printed(value: Fraction, printed: Rounded) -> bool:
    """Whether a quotient is printed like this; what is half way may go to either side."""
    return abs(value - printed.value) <= printed.half


def all_counts(printed: Printed, bonus: int) -> set[tuple[int, int, int]]:
    """Steps, and those that accept at least 1 and 2 drafts, for two positions: every one that gives the printed numbers."""
    assert printed.mean is not None and len(printed.rates) == 2
    accepted = printed.accepted
    return {
        (steps, first, accepted - first)
        for steps in range(1, printed.drafted + 1)
        if 2 * steps >= printed.drafted and is_printed(Fraction(accepted, steps) + bonus, printed.mean)
        for first in range(steps + 1)
        if 0 <= accepted - first <= first
        and is_printed(Fraction(first, steps), printed.rates[0])
        and is_printed(Fraction(accepted - first, steps), printed.rates[1])
    }


@pytest.mark.parametrize("seed", range(40))
def test_counts_are_among_all_that_fit_and_none_is_missed(seed) -> None:
    """Lines of 1 to 60 steps, and the same with a digit changed, which may fit no counts."""
    rng = np.random.default_rng(seed)
    steps = int(rng.integers(1, 60))
    first = int(rng.integers(0, steps + 1))
    second = int(rng.integers(0, first + 1))
    drafted = int(rng.integers(max(first + second, steps), 2 * steps + 1))
    mean = f"{1 + (first + second) / steps:.2f}"
    rates = (number(f"{first / steps:.3f}"), number(f"{second / steps:.3f}"))
    for shift in (0, 1, -3, 10, 100):
        other = number(f"{max(float(mean) + shift / 100, 0):.2f}")
        printed = Printed("line 1", first + second, drafted, other, rates)
        fitting = all_counts(printed, 1) or all_counts(printed, 0)
        if not fitting:
            with pytest.raises(ValueError, match="no number of steps gives"):
                counts_of(printed)
            continue
        of_line = counts_of(printed)
        assert of_line.counts.reached is not None
        assert (of_line.counts.steps, *of_line.counts.reached) in fitting
        assert of_line.fewest <= min(s for s, _, _ in fitting) <= max(s for s, _, _ in fitting) <= of_line.most
        assert shift != 0 or (steps, first, second) in fitting


def test_by_hand() -> None:
    """1 of 8 drafts at a mean of 1.25: 4 steps.  At 1.13 (9/8) there are 8."""
    quarter = Printed("line 1", 1, 8, number("1.25"))
    assert counts_of(quarter) == StepRange((4, 1, 8, None), 4, 4, True)  # type: ignore[arg-type]
    assert counts_of(quarter._replace(mean=number("1.13"))).counts.steps == 8
    assert counts_of(quarter._replace(mean=number("0.25"))) == StepRange((4, 1, 8, None), 4, 4, False)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="line 1: no number of steps gives 1 accepted of 8 drafts, mean length 1.1;"):
        counts_of(quarter._replace(mean=number("1.10")))
    with pytest.raises(ValueError, match="1 accepted of 8 drafts, 5 steps, mean length 1.25"):
        counts_of(quarter._replace(steps=5))


def test_many_steps() -> None:
    """Ten million steps: far more fit than are tried, and the printed mean decides."""
    of_line = counts_of(Printed("line 1", 10**7, 3 * 10**7, number("2.00")))
    assert of_line.counts.steps == 10**7
    assert (of_line.fewest, of_line.most) == (9950248, 10050252)
    rates = (number("0.600"), number("0.300"), number("0.100"))
    of_rates = counts_of(Printed("line 1", 10**7, 3 * 10**7, number("2.00"), rates))
    assert of_rates.counts.reached == (6 * 10**6, 3 * 10**6, 10**6)


def test_lines_without_accepted_drafts_draft_as_the_others() -> None:
    """3 steps draft 9 tokens; so do 2 of 6 tokens, and one step where fewer were drafted than a step does."""
    known = Printed("line 1", 6, 9, number("3.00"))
    unknown = Printed("line 2", 0, 6, number("1.00"))
    few = Printed("line 3", 0, 1, number("1.00"))
    ranges = counts_of_all([unknown, known, few])
    assert [of_line.counts.steps for of_line in ranges] == [2, 3, 1]
    assert [(of_line.fewest, of_line.most) for of_line in ranges] == [(1, 6), (3, 3), (1, 1)]


def test_a_line_that_accepts_nothing_is_possible_and_no_more() -> None:
    """No draft of 8 is accepted: rates of 0.000 and a mean of 1.00 say so, a rate of 0.125 or a mean of 1.13 does not."""
    nothing = (number("0.000"), number("0.000"))
    of_line = counts_of(Printed("line 1", 0, 8, number("1.00"), nothing))
    assert of_line.counts.steps >= 4 and of_line.counts.accepted == 0
    for mean, rates in (("1.13", nothing), ("1.00", (number("0.125"), number("0.000"))), ("0.75", nothing)):
        with pytest.raises(ValueError, match="line 1: no number of steps gives 0 accepted of 8 drafts"):
            counts_of(Printed("line 1", 0, 8, number(mean), rates))
    with pytest.raises(ValueError, match="line 1: no number of steps gives 1 accepted of 8 drafts"):
        counts_of(Printed("line 1", 1, 8, number("1.13"), nothing))


@pytest.mark.parametrize("text", ["-1", "1.5", "", "1e3", "9007199254740993", "٣", "1_0", " 1"])
def test_what_is_no_integer(text) -> None:
    with pytest.raises(ValueError, match="line 1: Accepted is .*expected a whole number"):
        integer(text, "line 1: Accepted")
    assert integer("9007199254740992", "line 1: Accepted") == 2**53


@pytest.mark.parametrize("text", ["-1.0", "1", "1.", ".5", "inf", "1e3", "1.5.5", "1,5", ""])
def test_what_is_no_quotient(text) -> None:
    with pytest.raises(ValueError, match="line 1: mean is .*expected a number that is not negative, with its decimals"):
        rounded(text, "line 1: mean")
    assert all(rounded(nothing, "line 1: mean") is None for nothing in ("nan", "-nan(ind)", "NaN", "n/a"))


def test_rates_of_0_and_1_are_possible() -> None:
    possible_rates([1.0, 1.0, 0.0], "line 1")
    possible_rates([0.5] * 1024, "line 1")
    with pytest.raises(ValueError, match="1025 rates by position; expected at most 1024"):
        possible_rates([0.5] * 1025, "line 1")
    with pytest.raises(ValueError, match="the rate at position 2 is -0.1"):
        possible_rates([0.5, -0.1], "line 1")


def mean_between(low: Fraction, high: Fraction) -> Rounded:
    """A printed mean whose least and largest quotients are these."""
    return Rounded((low + high) / 2, (high - low) / 2 - NOISE)


@pytest.mark.parametrize(
    ("accepted", "low", "high"),
    [(1, "0.8", "1"), (0, "0.5", "0.6"), (0, "1.001", "1.5"), (0, "2", "2.1")],
    ids=["a draft, and at most the bonus token", "below the bonus token", "just above it", "a token above it"],
)
def test_a_mean_that_accepted_drafts_cannot_have_is_refused(accepted, low, high) -> None:
    """Two steps emit two tokens and their accepted drafts: a mean of one if there are none, above one if there is one."""
    line = Printed("line 1", accepted, 4, mean_between(Fraction(low), Fraction(high)), steps=2)
    with pytest.raises(ValueError, match=f"line 1: no number of steps gives {accepted} accepted of 4 drafts, 2 steps"):
        counts_of(line)


@pytest.mark.parametrize(("low", "high"), [("0.8", "1"), ("1", "1.2"), ("0.9", "1.1")])
def test_without_accepted_drafts_the_mean_may_be_the_bonus_token(low, high) -> None:
    """Quotients up to exactly 1, from exactly 1, and around it."""
    line = Printed("line 1", 0, 4, mean_between(Fraction(low), Fraction(high)), steps=2)
    assert counts_of(line) == StepRange(Counts(2, 0, 4, None), 2, 2, True)
