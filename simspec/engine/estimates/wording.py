"""Stopping rules in words, for people who did not write the study."""

from __future__ import annotations

from typing import Any

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

__all__ = ["stop_in_words"]


def stop_in_words(rule: object) -> str:
    """When a cell stops; a rule of another kind is shown as it prints itself, and without a rule each row is used.

    >>> print(stop_in_words(HalfWidth("x", 0.1)))
    stops when half the interval of x is at most 0.1
    >>> print(stop_in_words(AnyOf(Decision("x", 0), Rows(2000))))
    stops when the interval of x lies above or below 0, or after 2,000 rows
    >>> print(stop_in_words(None))
    stops at the last row
    """
    return "stops at the last row" if rule is None else f"stops {_condition(rule)}"


def _condition(rule: object) -> str:
    """Return the condition of a stopping rule as a clause that follows "stops"."""
    if isinstance(rule, AnyOf | AllOf):
        word = "or" if isinstance(rule, AnyOf) else "and"
        return f", {word} ".join(_part(part_rule) for part_rule in rule.rules)
    if isinstance(rule, Shared):
        return _shared(rule)
    if isinstance(rule, HalfWidth):
        return f"when half the {_interval(rule)} is at most {rule.value:g}"
    if isinstance(rule, RelativeError):
        return f"when half the {_interval(rule)} is at most {rule.value:g} times its mean"
    if isinstance(rule, Decision):
        return f"when the interval of {rule.name} lies above or below {rule.above:g}"
    if isinstance(rule, Comparison):
        return f"when the intervals of {rule.a} and {rule.b} do not overlap"
    if isinstance(rule, Rows):
        return f"after {rule.count:,} rows"
    if isinstance(rule, Seconds):
        return f"after {rule.limit:g} s of simulation"
    return f"by the rule {rule}"


def _part(rule: object) -> str:
    """A part of several rules, in brackets where it has parts itself."""
    return f"({_condition(rule)})" if isinstance(rule, AnyOf | AllOf) else _condition(rule)


def _interval(rule: Any) -> str:
    return f"{'asymptotic ' if rule.asymptotic else ''}interval of {rule.name}"


def _shared(rule: Shared) -> str:
    """One goal for all cells: a width, a number of rows of all cells together, or either."""
    description = "interval of the weighted sum of" if rule.weights else "widest interval of"
    if rule.asymptotic:
        description = description.replace("interval", "asymptotic interval")
    parts = [f"when half the {description} {rule.name} is at most {rule.value:g}"] if rule.value else []
    parts += [f"after {rule.rows:,} rows of all cells together"] if rule.rows else []
    return ", or ".join(parts)
