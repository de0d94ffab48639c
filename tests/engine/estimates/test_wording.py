"""Stopping rules in words: every rule there is, and none as it is written in Python."""

from __future__ import annotations

import pytest

from simspec.engine.estimates import sharing, stopping
from simspec.engine.estimates.sharing import Shared
from simspec.engine.estimates.stopping import (
    AllOf,
    AnyOf,
    Comparison,
    Decision,
    HalfWidth,
    RelativeError,
    Rows,
    Seconds,
)
from simspec.engine.estimates.wording import stop_in_words

WORDS = [
    (None, "stops at the last row"),
    (HalfWidth("x", 0.1), "stops when half the interval of x is at most 0.1"),
    (HalfWidth("x", 0.1, 0, 5, 400), "stops when half the asymptotic interval of x is at most 0.1"),
    (RelativeError("x", 0.05), "stops when half the interval of x is at most 0.05 times its mean"),
    (Decision("x", 0.02), "stops when the interval of x lies above or below 0.02"),
    (Comparison("a", "b"), "stops when the intervals of a and b do not overlap"),
    (Rows(12345), "stops after 12,345 rows"),
    (Rows(100, once=True), "stops after 100 rows"),
    (Seconds(2.5), "stops after 2.5 s of simulation"),
    (AnyOf(HalfWidth("x", 0.1), Rows(9)), "stops when half the interval of x is at most 0.1, or after 9 rows"),
    (AllOf(Rows(5), AnyOf(Rows(7), Seconds(1))), "stops after 5 rows, and (after 7 rows, or after 1 s of simulation)"),
    (Shared("x", 0.1), "stops when half the widest interval of x is at most 0.1"),
    (Shared("x", 0, rows=900), "stops after 900 rows of all cells together"),
    (
        Shared("x", 0.1, rows=900, weights=(1, 1)),
        "stops when half the interval of the weighted sum of x is at most 0.1, or after 900 rows of all cells together",
    ),
]


@pytest.mark.parametrize(("rule", "words"), WORDS)
def test_a_rule_in_words(rule, words) -> None:
    assert stop_in_words(rule) == words


def test_no_rule_is_left_out() -> None:
    shipped = {
        thing
        for module in (sharing, stopping)
        for name in module.__all__
        if isinstance(thing := getattr(module, name), type) and hasattr(thing, "fired") and thing is not stopping.Rule
    }
    assert shipped == {type(rule) for rule, _ in WORDS if rule is not None}
    for rule, words in WORDS:
        assert rule is None or type(rule).__name__ not in words


def test_a_rule_of_another_kind_prints_itself() -> None:
    class Tired:
        def __repr__(self) -> str:
            return "Tired()"

    assert stop_in_words(Tired()) == "stops by the rule Tired()"
