"""How many rows a stopping rule will take, foretold from the intervals so far; nothing here decides when to stop."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from simspec.engine.estimates.stopping import (
    AllOf,
    AnyOf,
    Comparison,
    Decision,
    HalfWidth,
    RelativeError,
    Rows,
)

__all__ = ["rows_left", "rows_to_stop"]


def rows_to_stop(rule: object, rows: int, estimates: Mapping[str, tuple[float, float, float]]) -> float:
    """Rows in all with which one cell stops, if its means stay and the squares of its widths fall as 1/rows.

    An estimate is mean, low and high of its interval.  Infinity where the rule names no width, or none that is ever reached.

    >>> half = {"x": (0.5, 0.25, 0.75)}
    >>> rows_to_stop(HalfWidth("x", 0.125), 100, half)  # half as wide: four times as many
    400.0
    """
    if isinstance(rule, AnyOf | AllOf):
        parts = [rows_to_stop(part_rule, rows, estimates) for part_rule in rule.rules]
        return min(parts) if isinstance(rule, AnyOf) else max(parts)
    if isinstance(rule, Rows):
        return float(rule.count)
    names: list[str] = [rule.a, rule.b] if isinstance(rule, Comparison) else [getattr(rule, "name", "")]
    intervals = [estimates[name] for name in names if name in estimates]
    if len(intervals) < len(names):
        return math.inf
    first = intervals[0][0]
    last = intervals[-1][0]
    if isinstance(rule, HalfWidth):
        target_width = rule.value
    elif isinstance(rule, RelativeError):
        target_width = rule.value * abs(first) / (1 + rule.value)  # half = value · (|mean| - half)
    elif isinstance(rule, Decision):
        target_width = abs(first - rule.above)
    elif isinstance(rule, Comparison):
        target_width = abs(first - last)
    else:
        return math.inf
    half = sum((high - low) / 2 for _, low, high in intervals)
    return rows * (half / target_width) ** 2 if target_width > 0 else math.inf


def rows_left(needed: Sequence[float | None], present: Sequence[int], limits: Sequence[int]) -> float:
    """Rows that open cells still take: what each needs in all, less what it has, and `limits` of them at the most.

    A cell of which nothing is known (None) is taken to need as many as the others do on average; where nothing is known of
    any, all go to their limit.

    >>> rows_left([400.0, None], [100, 0], [900, 1000])  # 300 and 400
    700.0
    >>> rows_left([math.inf, 50.0], [100, 60], [900, 40])  # the limit, and none
    900.0
    """
    totals = [
        min(need, have + limit) for need, have, limit in zip(needed, present, limits, strict=True) if need is not None
    ]
    average = sum(totals) / len(totals) if totals else math.inf
    rest = 0.0
    for need, have, limit in zip(needed, present, limits, strict=True):
        total = average if need is None else need
        rest += min(max(total - have, 0.0), limit)
    return rest
