"""How often an audit names the part that is wrong: faulty samplers that are no members of the zoo.

``python -m benchmarks.sampler_faults`` audits the samplers of `benchmarks.fault_list`, `benchmarks.reported_faults`,
`benchmarks.later_faults`, `benchmarks.engine_faults`, `benchmarks.fourth_faults` and `benchmarks.fifth_faults` as black boxes
(some minutes), records verdicts and causes, and rewrites the table in ``docs/benchmarks``, which says how each list scored when
it was new.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scipy import stats

from benchmarks.cases import environment, write
from benchmarks.engine_faults import ENGINES
from benchmarks.fault_list import FIRST, HELD_OUT, SECOND, Fault
from benchmarks.fifth_faults import FIFTH
from benchmarks.fourth_faults import FOURTH
from benchmarks.later_faults import LATER
from benchmarks.reported_faults import FRESH
from simspec.audit import revealing
from simspec.audit.adapters import FORMS, Adapted
from simspec.audit.adapters.judging import Asked, Subject, judge
from simspec.files import fill, write_file

__all__ = ["LISTS", "PAGE", "PART", "RECORD", "adapted", "main", "measure", "table"]

CALLS = 20_000
RECORD = Path("docs", "benchmarks", "causes.json")
PAGE = Path("docs", "benchmarks", "README.md")
PART = "causes"
LISTS: dict[str, Sequence[Fault]] = {
    "first": FIRST,
    "second": SECOND,
    "held out": HELD_OUT,
    "reported": FRESH,
    "later": LATER,
    "engines": ENGINES,
    "fourth": FOURTH,
    "fifth": FIFTH,
}


FOUND = ("biased", "dependent")
"""Verdicts on a faulty sampler that has been found."""


def adapted(fault: Fault) -> Adapted:
    """A fault as an audit calls it, whatever its form."""
    return FORMS[fault.form](fault.sampler) if fault.form else Adapted(fault.sampler)


def measure(faults: Sequence[Fault], calls: int = CALLS) -> list[dict[str, Any]]:
    """Of each fault its verdict and the part that is named, "" where none is."""
    rows = []
    for fault in faults:
        asked = Asked(pairs=revealing(2, 3)[:4], calls=calls, processor=fault.processor or None)
        report = judge(Subject(fault.name, None, adapted(fault), {}), asked)
        cause = report.diagnosis.part if report.diagnosis is not None else ""
        rows.append({"fault": fault.name, "part": fault.part, "verdict": report.verdict.value, "cause": cause})
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def table(record: dict[str, Any]) -> str:
    """The scores, with exact 95 % intervals for a fault drawn like those of a list, and wrong causes, as Markdown.

    >>> row = {"fault": "a", "part": "residual", "verdict": "biased", "cause": "uniforms"}
    >>> print(table({"first": [row]}).splitlines()[-1])
    | first | 1 | 1 of 1 | 0 of 1 | 0 to 98 % | a (residual, named uniforms) |
    """
    lines = ["| list | faults | found | right cause | 95 % interval | wrong causes |", "|---|---:|---:|---:|---:|---|"]
    for name in LISTS:
        rows = record.get(name, [])
        found = [row for row in rows if row["verdict"] in FOUND]
        wrong = [row for row in found if row["cause"] != row["part"]]
        words = "; ".join(f"{row['fault']} ({row['part']}, named {row['cause'] or 'nothing'})" for row in wrong)
        if not found:
            continue
        right = len(found) - len(wrong)
        interval = stats.binomtest(right, len(found)).proportion_ci(0.95)
        percent = f"{interval.low * 100:.0f} to {interval.high * 100:.0f} %"
        lines.append(
            f"| {name} | {len(rows)} | {len(found)} of {len(rows)} | {right} of {len(found)} | {percent} | {words} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Audit, record, and rewrite the table."""
    record = {name: measure(faults) for name, faults in LISTS.items()}
    write(RECORD, {"benchmark": "causes", "environment": environment(), **record})
    write_file(PAGE, fill(PAGE.read_text(encoding="utf-8"), PART, table(record)).encode())


if __name__ == "__main__":
    main()
