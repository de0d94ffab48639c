"""Seconds of each part of `.ci/run`, from what it printed, beside what each may take.

    .ci/run 2>&1 | tee run.log
    python -m benchmarks.parts run.log

The second command records the seconds and rewrites the table in ``docs/benchmarks``.  It takes no log of a run that has not
finished or in which a test failed: such seconds would say nothing.  What is not here: running `.ci/run`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cases import environment, write
from simspec.files import existing, fill, read_json, write_file

__all__ = ["ALL", "LIMITS", "OF_LAST", "PAGE", "PART", "RECORD", "STEPS", "main", "on_the_clock", "read", "table"]

RECORD = Path("docs", "benchmarks", "parts.json")
PAGE = Path("docs", "benchmarks", "README.md")
PART = "parts"
LAST = "the last run"
STEPS = (
    "getting ready",
    "making a fresh environment",
    "`make test`",
    "installing what extras need",
    "style and types",
    "fetching the model",
    LAST,
)
"""Parts that follow each other, by what `.ci/run` prints of them."""
OF_LAST = ("tests of a real model", "tests of an engine", "tests of Coq", "other tests of the last run")
"""What the tests of the last run are of: seconds of tests, which several processes share."""
ALL = "all"
LIMITS = {
    "`make test`": 6 * 60,
    "tests of a real model": 4 * 60,
    "tests of an engine": 5 * 60,
    "tests of Coq": 5 * 60,
    ALL: 25 * 60,
}
"""Seconds on the clock that a part should take at most on an idle machine with two cores."""
_LINE = re.compile(r"^\.ci/run: (.+) took ([0-9]+) s\s*$")
_SUMMARY = re.compile(r"^=*\s*(.*\b[0-9]+ (?:passed|failed|error|skipped)\b.*?)(?: \([0-9:]+\))?\s*=*\s*$")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def read(log: str) -> dict[str, float]:
    r"""Seconds of each part from what a run printed, and their sum as `ALL`.

    Raises
    ------
    ValueError
        for a log in which a part is missing or stands twice, whose last line is no summary of pytest, or whose tests failed.

    >>> parts = [*STEPS, *OF_LAST]
    >>> log = "\n".join([*(f".ci/run: {part} took {number} s" for number, part in enumerate(parts)), "== 9 passed in 5.00s =="])
    >>> seconds = read(log)
    >>> seconds["style and types"], seconds["all"], seconds["tests of Coq"]
    (4.0, 21.0, 9.0)
    """
    printed = [_COLOURS.sub("", line) for line in log.splitlines() if line.strip()]
    last = _SUMMARY.match(printed[-1]) if printed else None
    if last is None:
        ending = printed[-1][:80] if printed else ""
        raise ValueError(f"LOG: ends with {ending!r}; expected the summary of pytest: the run has not finished")
    if re.search(r"\b(failed|errors?)\b", last[1]):
        raise ValueError(f"LOG: {last[1]}; expected a run in which no test failed")
    seconds: dict[str, float] = {}
    for line in printed:
        match = _LINE.match(line)
        if match is None:
            continue
        if match[1] in seconds:
            raise ValueError(f"LOG: {match[1]!r} stands twice; expected the output of one run")
        seconds[match[1]] = float(match[2])
    missing = [name for name in (*STEPS, *OF_LAST) if name not in seconds]
    if missing:
        raise ValueError(f"LOG: no line of {', '.join(missing)}; expected the output of .ci/run")
    return {name: seconds[name] for name in (*STEPS, *OF_LAST)} | {ALL: sum(seconds[step] for step in STEPS)}


def on_the_clock(parts: Mapping[str, float]) -> dict[str, float]:
    """Seconds on the clock of each part: of the last run's, its tests have the share that they have of all seconds of tests.

    >>> on_the_clock({"the last run": 100.0, "tests of Coq": 60.0, "other tests of the last run": 180.0, "all": 100.0})
    {'the last run': 100.0, 'tests of Coq': 25.0, 'other tests of the last run': 75.0, 'all': 100.0}
    """
    of_tests = sum(seconds for name, seconds in parts.items() if name in OF_LAST)
    return {name: seconds * parts[LAST] / of_tests if name in OF_LAST else seconds for name, seconds in parts.items()}


def table(document: Mapping[str, Any]) -> str:
    """Markdown table of the parts, those of the last run below it; empty for no record.

    >>> place = {"environment": {"processor": "P", "cores": 2}}
    >>> parts = {"the last run": 400.0, "tests of Coq": 903.0, "other tests of the last run": 297.0, "all": 400.0}
    >>> print(table(place | {"parts": parts}))  # doctest: +ELLIPSIS
    | part | seconds on the clock | at most | seconds of tests |
    |---|---:|---:|---:|
    | the last run | 400 |  |  |
    | tests of Coq | 301 ! | 300 | 903 |
    | other tests of the last run | 99 |  | 297 |
    | all | 400 | 1,500 |  |
    <BLANKLINE>
    Seconds of tests: ... !: more than it should take. P, 2 cores.
    """
    if not document:
        return ""
    lines = ["| part | seconds on the clock | at most | seconds of tests |", "|---|---:|---:|---:|"]
    for name, seconds in on_the_clock(document["parts"]).items():
        limit = LIMITS.get(name)
        mark = " !" if limit is not None and seconds > limit else ""
        of_tests = f"{document['parts'][name]:,.0f}" if name in OF_LAST else ""
        lines.append(f"| {name} | {seconds:,.0f}{mark} | {'' if limit is None else f'{limit:,}'} | {of_tests} |")
    place = document["environment"]
    meaning = (
        "Seconds of tests: those of each test, added up, while several processes run at once; each part has its share of them of "
        "the last run's time on the clock. !: more than it should take. "
        f"{place['processor']}, {place['cores']} cores."
    )
    return "\n".join([*lines, "", meaning])


def main(argv: Sequence[str] | None = None) -> int:
    """Record the seconds of a log, and rewrite the table, from the root of a clone; 2 for a log of no whole run."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if len(arguments) > 1 or arguments[:1] in (["-h"], ["--help"]):
        print(
            "usage: python -m benchmarks.parts [LOG]: records what .ci/run printed; without LOG only the table",
            file=sys.stderr,
        )
        return 2
    if arguments:
        try:
            log = existing(arguments[0], "LOG", "a file of what .ci/run printed").read_text("utf-8", "replace")
            parts = read(log)
        except ValueError as error:
            print(f"benchmarks.parts: error: {error}", file=sys.stderr)
            return 2
        write(RECORD, {"benchmark": "parts", "environment": environment(()), "parts": parts})
    document = read_json(RECORD, "record", "what python -m benchmarks.parts LOG writes") if RECORD.is_file() else {}
    write_file(PAGE, fill(PAGE.read_text(encoding="utf-8"), PART, table(document)).encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
