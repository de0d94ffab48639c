"""Evidence for empirical claims, and the one rule that decides a conjunction of interval statements.

Each deciding piece of evidence carries the value it is compared with among its controls: "must exceed" or "must stay
below".  Evidence whose data begins with "beside: " is shown and decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simspec.claims.claim import Evidence, Verdict
from simspec.claims.deciding.decide import compare, verdict_of_interval
from simspec.engine.estimates.intervals import Interval

if TYPE_CHECKING:
    from simspec.claims.deciding.data import Data

__all__ = ["BESIDE", "all_of", "illustration", "judge", "line", "measured", "rows_for", "tally"]

BESIDE = "beside: "


def measured(
    data: str,
    model: str | None,
    n: int,
    interval: Interval,
    control: Mapping[str, float] | None = None,
    exceed: float | None = None,
    below: float | None = None,
) -> Evidence:
    """Evidence from an interval, with the value it must exceed or stay below; "beside" when neither is given.

    >>> measured("a bank", None, 9, Interval(0.5, 0.4, 0.6, 0.95), exceed=0.3).control
    {'must exceed': 0.3}
    """
    facts = dict(control or {})
    if exceed is not None:
        facts["must exceed"] = exceed
    if below is not None:
        facts["must stay below"] = below
    label = data if exceed is not None or below is not None or data.startswith(BESIDE) else BESIDE + data
    return Evidence(label, model, n, interval.estimate, (interval.low, interval.high), interval.level, facts or None)


def illustration(
    data: str, model: str | None, n: int, estimate: float, control: Mapping[str, float] | None = None
) -> Evidence:
    """A number without an interval, shown beside the evidence.

    >>> illustration("five vectors", None, 5, 0.2).data
    'beside: five vectors'
    """
    return Evidence(BESIDE + data, model, n, estimate, None, None, control)


def judge(evidence: Evidence) -> Verdict | None:
    """Verdict of one statement, or None for evidence that is only shown.

    >>> judge(measured("a bank", None, 9, Interval(0.5, 0.4, 0.6, 0.95), below=0.45))
    'inconclusive'
    """
    if evidence.data.startswith(BESIDE) or evidence.interval is None or evidence.control is None:
        return None
    low, high = evidence.interval
    if "must exceed" in evidence.control:
        return verdict_of_interval((low, high), evidence.control["must exceed"])
    if "must stay below" in evidence.control:
        return verdict_of_interval((-high, -low), -evidence.control["must stay below"])
    return None


def all_of(evidence: Sequence[Evidence]) -> Verdict:
    """Verdict of the conjunction of all deciding evidence; "inconclusive" where there is none.

    >>> good = measured("a bank", None, 9, Interval(0.5, 0.4, 0.6, 0.95), exceed=0.3)
    >>> bad = measured("a bank", None, 9, Interval(0.5, 0.4, 0.6, 0.95), exceed=0.7)
    >>> all_of([good]), all_of([good, bad]), all_of([])
    ('supported', 'unsupported', 'inconclusive')
    """
    return compare([verdict for verdict in map(judge, evidence) if verdict is not None])


def tally(evidence: Sequence[Mapping[str, Any]]) -> str | None:
    """Of the deciding rows of a claim's record, how many hold, fail, and are open; None where none decides.

    >>> row = {"data": "a bank", "model": None, "n": 9, "estimate": 0.5, "interval": (0.4, 0.6), "level": 0.95}
    >>> tally([row | {"control": {"must exceed": bar}} for bar in (0.3, 0.45, 0.7)] + [row])
    '1 of 3 cells holds, 1 fails, 1 is open'
    """
    fields: list[dict[str, Any]] = [{name: row.get(name) for name in Evidence._fields} for row in evidence]
    counts: Counter[str] = Counter(verdict for row in fields if (verdict := judge(Evidence(**row))) is not None)
    if not (cells := counts.total()):
        return None
    words = {"supported": ("holds", "hold"), "unsupported": ("fails", "fail"), "inconclusive": ("is open", "are open")}
    phrases = [f"{counts[verdict]} {word[counts[verdict] != 1]}" for verdict, word in words.items() if counts[verdict]]
    phrases[0] = phrases[0].replace(" ", f" of {cells} cell{'s' if cells != 1 else ''} ", 1)
    return ", ".join(phrases)


def rows_for(data: Data, quick: int, default: int, deep: int) -> int:
    """How many rows an effort takes.

    >>> from simspec.claims.deciding.data import Data
    >>> rows_for(Data(effort="quick"), 1, 2, 3)
    1
    """
    return {"quick": quick, "default": default, "deep": deep}[data.effort]


def line(name: str, x: Iterable[float], intervals: Iterable[Interval], scale: float = 1) -> dict[str, Any]:
    """A line of a plot with its band, each value times `scale`.

    >>> line("a bank", [1], [Interval(0.5, 0.25, 0.75, 0.95)], scale=100)
    {'name': 'a bank', 'x': [1], 'y': [50.0], 'low': [25.0], 'high': [75.0]}
    """
    interval_list = list(intervals)
    return {
        "name": name,
        "x": list(x),
        "y": [scale * i.estimate for i in interval_list],
        "low": [scale * i.low for i in interval_list],
        "high": [scale * i.high for i in interval_list],
    }
