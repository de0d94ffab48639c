"""The record of the benchmark as a table in ``docs/benchmarks`` (`python -m benchmarks.summary` writes it)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["PART", "label", "table"]

PART = "served"


def table(document: Mapping[str, Any]) -> str:
    """Markdown table: a row for each fault and total variation, then the negative control in a sentence.

    >>> fault = {"fault": "mode", "knows_draft": False, "is_aimed": True, "tv": 0.02, "limit": 2385.2, "most": 23852}
    >>> fault |= {"tokens": [5000.0, 4000.0, None], "chi_square": 3000.4, "questions": None}
    >>> silence = {"knows_draft": False, "runs": 2000, "tokens": 500, "alarms": 3, "upper": 0.0039}
    >>> cases = [{"silences": [silence]}, {"level": 0.01, "runs": 200, "faults": [fault]}]
    >>> print(table({"cases": cases}).splitlines()[2])
    | mode | 2 % | 2,385 | 5,000 (4,000 to more than 23,852) | 2.1 | 3,000 | never |
    """
    silences, *costs = document["cases"]
    runs = costs[0]["runs"]
    level = costs[0]["level"]
    lines = [
        "| fault | TV a token | limit | tokens (95 % interval) | over the limit | chi-squared | questions |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [_row(record) for case in costs for record in case["faults"]]
    controls = "; ".join(
        f"{silence['alarms']} of {silence['runs']:,} runs of {silence['tokens']:,} tokens"
        f"{' with the draft known' if silence['knows_draft'] else ''}, at most {100 * silence['upper']:.2f} % at 95 % confidence"
        for silence in silences["silences"]
    )
    legend = (
        f"Medians of {runs} runs at level {level:g}. \\*: no bet aims at this fault. "
        f"False alarms without a fault: {controls}."
    )
    return "\n".join([*lines, "", legend])


def label(record: Mapping[str, Any]) -> str:
    """The fault, and whether the draft is known, in words."""
    return str(record["fault"]) + (", draft known" if record["knows_draft"] else "")


def _row(record: Mapping[str, Any]) -> str:
    """Numbers of a fault at a total variation."""
    median, low, high = record["tokens"]
    beyond = f"more than {record['most']:,}"
    ends = [beyond if end is None else f"{end:,.0f}" for end in (low, high)]
    tokens = beyond if median is None else f"{median:,.0f} ({ends[0]} to {ends[1]})"
    ratio = f"more than {record['most'] / record['limit']:.0f}" if median is None else f"{median / record['limit']:.1f}"
    sizes = ["never" if record[name] is None else f"{record[name]:,.0f}" for name in ("chi_square", "questions")]
    cells = (
        label(record) + ("" if record["is_aimed"] else " \\*"),
        f"{100 * record['tv']:g} %",
        f"{record['limit']:,.0f}",
        tokens,
        ratio,
        *sizes,
    )
    return f"| {' | '.join(cells)} |"
