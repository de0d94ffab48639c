"""Evidence for empirical claims, and the one rule that decides a conjunction of interval statements.

Each deciding piece of evidence carries the value it is compared with among its controls: "must exceed" or "must stay
below".  Evidence whose data begins with "beside: " is shown and decides nothing.  Evidence whose data begins with
"made up here: " decides about the families that were made up, and not about the paper: `about_paper`.  Evidence whose data
begins with "not comparable: " was measured on what the sentence cannot be about: it says why, and decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simspec.claims.claim import Evidence, Verdict
from simspec.engine.estimates.intervals import Interval

if TYPE_CHECKING:
    from simspec.claims.deciding.data import Data

__all__ = [
    "BESIDE",
    "CONTROL_PASSES",
    "MADE_UP",
    "NOT_COMPARABLE",
    "about_paper",
    "all_of",
    "beside",
    "compare",
    "decided_on",
    "deciding_rows",
    "illustration",
    "is_comparable",
    "judge",
    "line",
    "measured",
    "not_comparable_rows",
    "rests_on_made_up",
    "rows_for",
    "tally",
    "verdict_of_interval",
    "with_control",
]

BESIDE = "beside: "
MADE_UP = "made up here: "
"""Of families of problems, utilities and laws that no paper gives."""
NOT_COMPARABLE = "not comparable: "
"""Of models and texts that a sentence cannot be about; the reason follows."""
CONTROL_PASSES = "the control that must fail passes at most"
"""Name of the upper end of the interval of what must not pass the same test."""


def measured(
    data: str,
    model: str | None,
    n: int,
    interval: Interval,
    control: Mapping[str, float] | None = None,
    exceed: float | None = None,
    below: float | None = None,
    made_up: bool = False,
    not_comparable: str = "",
) -> Evidence:
    """Evidence from an interval, with the value it must exceed or stay below; "beside" when neither is given.

    `made_up` marks families that were made up here, about which alone the evidence speaks.  `not_comparable` says why the
    sentence cannot be about the data: the number is shown and decides nothing.

    >>> measured("a bank", None, 9, Interval(0.5, 0.4, 0.6, 0.95), exceed=0.3).control
    {'must exceed': 0.3}
    >>> measured("a bank", None, 9, Interval(0.5, 0.4, 0.6, 0.95), exceed=0.3, not_comparable="9 tokens").data
    'not comparable: 9 tokens: a bank'
    """
    facts = dict(control or {})
    if not_comparable:
        label = f"{NOT_COMPARABLE}{not_comparable}: {data}"
        return Evidence(
            label, model, n, interval.estimate, (interval.low, interval.high), interval.level, facts or None
        )
    if exceed is not None:
        facts["must exceed"] = exceed
    if below is not None:
        facts["must stay below"] = below
    label = f"{MADE_UP}{data}" if made_up else data
    if exceed is None and below is None and not data.startswith(BESIDE):
        label = BESIDE + label
    return Evidence(label, model, n, interval.estimate, (interval.low, interval.high), interval.level, facts or None)


def illustration(
    data: str, model: str | None, n: int, estimate: float, control: Mapping[str, float] | None = None
) -> Evidence:
    """A number without an interval, shown beside the evidence.

    >>> illustration("five vectors", None, 5, 0.2).data
    'beside: five vectors'
    """
    return Evidence(BESIDE + data, model, n, estimate, None, None, control)


def beside(row: Evidence) -> Evidence:
    """The same evidence without the value that it is compared with: it is shown and decides nothing.

    >>> row = beside(measured("a bank", None, 9, Interval(0.5, 0.4, 0.6, 0.95), exceed=0.3))
    >>> row.data, row.control, judge(row)
    ('beside: a bank', None, None)
    """
    control = {name: value for name, value in (row.control or {}).items() if not name.startswith("must ")}
    return row._replace(data=BESIDE + row.data.removeprefix(BESIDE), control=control or None)


def judge(evidence: Evidence) -> Verdict | None:
    """Verdict of one statement, or None for evidence that is only shown.

    >>> judge(measured("a bank", None, 9, Interval(0.5, 0.4, 0.6, 0.95), below=0.45))
    'inconclusive'
    """
    if evidence.data.startswith((BESIDE, NOT_COMPARABLE)) or evidence.interval is None or evidence.control is None:
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


def with_control(evidence: Sequence[Evidence]) -> Verdict:
    """`all_of`, where what passes must also tell itself from a control; "inconclusive" where the control may pass too.

    The upper end of the control's interval stands under `CONTROL_PASSES`.  The control fails where it is below the value that
    the statement must exceed.

    >>> close = Interval(0.9, 0.8, 0.95, 0.95)
    >>> rows = [measured("a bank", None, 9, close, {CONTROL_PASSES: share}, exceed=0.5) for share in (0.1, 0.7)]
    >>> with_control(rows[:1]), with_control(rows[1:])
    ('supported', 'inconclusive')
    """
    verdict = all_of(evidence)
    controls = [row.control for row in evidence if judge(row) is not None and row.control is not None]
    passing = any(c[CONTROL_PASSES] >= c["must exceed"] for c in controls if CONTROL_PASSES in c)
    return "inconclusive" if verdict == "supported" and passing else verdict


def rests_on_made_up(evidence: Sequence[Evidence]) -> bool:
    """Whether all that decides was measured on families made up here; False where nothing decides.

    >>> chosen = measured("needle", None, 9, Interval(0.5, 0.4, 0.6, 0.95), exceed=0.3, made_up=True)
    >>> real = measured("a bank", None, 9, Interval(0.5, 0.4, 0.6, 0.95), exceed=0.3)
    >>> rests_on_made_up([chosen]), rests_on_made_up([chosen, real]), rests_on_made_up([])
    (True, False, False)
    """
    deciding = [row for row in evidence if judge(row) is not None]
    return bool(deciding) and all(row.data.startswith(MADE_UP) for row in deciding)


def about_paper(decide: Callable[[Sequence[Evidence]], Verdict], evidence: Sequence[Evidence]) -> Verdict:
    """What evidence says of a statement that a paper prints: families made up here are evidence about themselves alone.

    A verdict stands where the rows that were not made up give it too, without the others.

    >>> made_up = measured("needle", None, 9, Interval(0.5, 0.4, 0.6, 0.95), exceed=0.7, made_up=True)
    >>> real = measured("a bank", None, 9, Interval(0.5, 0.4, 0.6, 0.95), exceed=0.3)
    >>> low = real._replace(interval=(0.1, 0.2))
    >>> [about_paper(all_of, rows) for rows in ([real], [made_up], [made_up, real], [made_up, low])]
    ['supported', 'inconclusive', 'inconclusive', 'unsupported']
    """
    verdict = decide(evidence)
    deciding = [row for row in evidence if judge(row) is not None]
    if not any(row.data.startswith(MADE_UP) for row in deciding):
        return verdict
    if rests_on_made_up(deciding):
        return "inconclusive"
    of_others = decide([row for row in evidence if not row.data.startswith(MADE_UP)])
    return verdict if verdict == of_others else "inconclusive"


def is_comparable(record: Mapping[str, Any]) -> bool:
    """Whether the statement of a claim's record can be about what was measured: not where no row decides for that reason.

    >>> row = {"data": "not comparable: 9 tokens: a bank", "model": None, "n": 9, "estimate": 0.5}
    >>> is_comparable({"evidence": [row]}), is_comparable({"evidence": [row | {"data": "beside: a bank"}]})
    (False, True)
    """
    return bool(deciding_rows(record)) or not not_comparable_rows(record)


def not_comparable_rows(record: Mapping[str, Any]) -> list[Evidence]:
    """The rows of a claim's record that say why its statement cannot be about what was measured."""
    return [row for row in _rows(record) if row.data.startswith(NOT_COMPARABLE)]


def deciding_rows(record: Mapping[str, Any]) -> list[Evidence]:
    """The rows of a claim's record that decide it."""
    return [row for row in _rows(record) if judge(row) is not None]


def _rows(record: Mapping[str, Any]) -> list[Evidence]:
    return [Evidence(**{name: row.get(name) for name in Evidence._fields}) for row in record.get("evidence") or ()]


def decided_on(record: Mapping[str, Any]) -> str:
    """Models of the rows that decide, each once; the data where no model is, and what is shown where nothing decides.

    >>> row = {"data": "a bank: Kendall's tau", "model": "SmolLM2", "n": 9, "estimate": 0.5, "interval": (0.4, 0.6)}
    >>> row |= {"level": 0.95, "control": {"must exceed": 0.3}}
    >>> decided_on({"evidence": [row, row]}), decided_on({"evidence": [row | {"model": None}]})
    ('SmolLM2', 'a bank')
    >>> decided_on({"evidence": [row | {"control": None}]}), decided_on({"evidence": None})
    ('nothing; shown: SmolLM2', 'nothing')
    """
    rows = deciding_rows(record)
    models = _models(rows)
    if rests_on_made_up(rows):
        models.insert(0, "families made up here")
    if not rows and (beside_models := _models(_rows(record))):
        return f"nothing; shown: {'; '.join(beside_models)}"
    return "; ".join(models) or "nothing"


def _models(rows: Iterable[Evidence]) -> list[str]:
    """The models of some rows, or the data where there is none, each once."""
    prefixes = (BESIDE, MADE_UP, NOT_COMPARABLE)
    names = (row.model or _without(row.data, prefixes).split(": ")[0] for row in rows)
    return list(dict.fromkeys(names))


def _without(text: str, prefixes: Iterable[str]) -> str:
    for prefix in prefixes:
        text = text.removeprefix(prefix)
    return text


def verdict_of_interval(interval: tuple[float, float], above: float) -> Verdict:
    """Decision that a quantity exceeds a value, from its interval.

    >>> verdict_of_interval((0.2, 0.4), 0.1), verdict_of_interval((0.2, 0.4), 0.3)
    ('supported', 'inconclusive')
    """
    low, high = interval
    if low > above:
        return "supported"
    return "unsupported" if high <= above else "inconclusive"


def compare(verdicts: Sequence[Verdict]) -> Verdict:
    """Verdict of "all of these": one failure decides, otherwise one doubt.

    >>> compare(["supported", "inconclusive"])
    'inconclusive'
    """
    if "unsupported" in verdicts:
        return "unsupported"
    return "inconclusive" if "inconclusive" in verdicts or not verdicts else "supported"


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
