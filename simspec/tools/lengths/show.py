"""How lengths and comparisons of them are shown: lines of text, and all numbers as JSON has them."""

from __future__ import annotations

from typing import Any

from simspec.tools.lengths.compared import Comparison
from simspec.tools.lengths.records import Lengths, Number

__all__ = ["comparison_lines", "lines_of", "plain"]

Speeds = dict[str, list[tuple[int, float, float]]]
"""For each cost the number of drafts, tokens a step and the speed-up, as `simspec.tools.lengths.speeds` gives them."""


def lines_of(of: Lengths, table: Speeds) -> list[str]:
    """What `simspec lengths` prints: a line for each number, speed-up and note."""
    requests = "requests are not separated"
    if of.requests is not None:
        intervals = of.without_intervals or f"{of.level:.0%} intervals over them"
        requests = f"{of.requests:,} request{'s' if of.requests != 1 else ''}, {intervals}"
    lines = [f"{of.source}: {of.steps:,} verification steps, {requests}"]
    lines.append(f"acceptance length  {_shown(of.length)}  tokens per step, bonus token included, pooled")
    lines.append(f"  without bonus    {_shown(of.length, -1)}")
    if of.by_request is not None:
        lines.append(f"  by request       {_shown(of.by_request)}  mean over requests")
    if of.rate is not None:
        lines.append(f"acceptance rate    {_shown(of.rate)}  accepted / drafted, pooled")
    for name, numbers in (("position", of.positions), ("given the last", of.conditional)):
        lines += [f"{f'{name} {i}':<18} {_shown(m)}" for i, m in enumerate(numbers, 1)]
    for cost, rows in table.items():
        fastest = max(rows, key=lambda row: row[2])
        for row in rows:
            best = ", the fastest" if row is fastest else ""
            lines.append(f"cost {cost}, gamma {row[0]}: {row[1]:.3f} tokens per step, speed-up {row[2]:.3f}{best}")
    return [*lines, *(f"note: {note}" for note in of.notes)]


def comparison_lines(comparison: Comparison, names: tuple[str, str]) -> list[str]:
    """What `simspec lengths --compare` prints: both lengths, their difference, and the test or why there is none.

    >>> from simspec.tools.lengths.compared import compared
    >>> from simspec.tools.lengths.records import Counts, Log
    >>> logs = (Log("by hand", (Counts(2, accepted),), by_request=False) for accepted in (3, 2))
    >>> comparison_lines(compared(*logs), ("a.log", "b.log"))[2]
    'difference         0.500  first less second'
    """
    lines = []
    notes = list(comparison.notes)
    for name, of in zip(names, (comparison.first, comparison.second), strict=True):
        requests = "requests are not separated" if of.requests is None else f"{of.requests:,} requests"
        source = f"{name}: {of.source}, {of.steps:,} verification steps, {requests}"
        lines.append(f"acceptance length  {_shown(of.length)}  {source}")
        notes += [f"{name}: {note}" for note in of.notes]
    lines.append(f"difference         {_shown(comparison.difference)}  first less second")
    lines.append(comparison.without_test or _test_line(comparison))
    return [*lines, *(f"note: {note}" for note in notes)]


def _test_line(comparison: Comparison) -> str:
    """P-value, verdict and false-alarm rate of the test."""
    verdict = "the lengths differ" if comparison.differs else "no difference shown"
    kind = "exchanges within pairs of requests" if comparison.paired else "requests exchanged between the logs"
    return (
        f"test by request    p = {comparison.p_value:.4f}: {verdict} ({kind}; where these are alike, wrong in at most "
        f"{100 * (1 - comparison.level):g} % of comparisons)"
    )


def _shown(number: Number, plus: int = 0) -> str:
    inside = (
        "" if number.low is None or number.high is None else f" [{number.low + plus:.3f}, {number.high + plus:.3f}]"
    )
    return f"{number.value + plus:.3f}{inside}"


def plain(of: Lengths | Comparison) -> dict[str, Any]:
    """All numbers, as JSON has them."""

    def plain_value(value: Any) -> Any:
        if hasattr(value, "_asdict"):
            return {name: plain_value(item) for name, item in value._asdict().items()}
        return [plain_value(item) for item in value] if isinstance(value, tuple) else value

    content: dict[str, Any] = plain_value(of)
    return content
