"""Where the first minute of a new user goes: the install, then `simspec verify` cold, warm, unchanged and quick.

``python -m benchmarks.minute`` clones the last commit into a new folder with a new environment and no compiled kernel,
runs the commands, records the figures and rewrites the table in ``docs/benchmarks``.  Seconds on the clock depend on
what else the machine does; seconds of the processor, which tell the phases apart, do so less.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cases import environment, write
from simspec.claims.deciding.spending import PHASES
from simspec.files import fill, read_json, write_file

__all__ = ["INSTALL", "PAGE", "PART", "RECORD", "RUNS", "main", "measure", "table"]

INSTALL = ("make", ".venv/.extras-verify")
RUNS = {
    "cold": (),
    "warm": ("--fresh",),
    "unchanged": (),
    "quick, warm": ("--effort", "quick", "--fresh"),
}
"""Options of each run of `simspec verify`, in this order; the first compiles what all of them need."""
RECORD = Path("docs", "benchmarks", "first-minute.json")
PAGE = Path("docs", "benchmarks", "README.md")
PART = "minute"
_VERDICT = re.compile(rb"^(proved|holds|refuted|supported|unsupported|inconclusive|error) +\S+ +[0-9.]+ s")


def measure(clone: Path, install: Sequence[str] = INSTALL, verify: str = ".venv/bin/simspec verify") -> dict[str, Any]:
    """Seconds of the install and of each run, in a clone that has neither environment nor compiled kernels.

    Returns
    -------
    {"benchmark", "environment", "runs": {name: {"wall", "first", phase: processor seconds}}}
        ``first`` is when the first verdict was shown; the install has "wall" and the phase "install".

    Raises
    ------
    ChildProcessError
        for a command that crashed, with the end of what it printed.
    """
    report = clone / "report"
    kernels = clone / ".kernels"
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    alone["NUMBA_CACHE_DIR"] = str(kernels)
    seconds = {"install": _run(install, clone, alone, {0})}
    for name, options in RUNS.items():
        words = (*verify.split(), *options, "--profile", "--out", str(report))
        timed = _run(words, clone, alone, {0, 1})  # 1: a verdict is not the recorded one, which is no matter here
        del timed["install"]
        seconds[name] = timed | read_json(report / "profile.json", "profile", "what --profile writes")
    return {"benchmark": "first-minute", "environment": environment(()), "runs": seconds}


def _run(words: Sequence[str], clone: Path, env: Mapping[str, str], good: set[int]) -> dict[str, float]:
    """Seconds on the clock, until the first verdict, and of the processor."""
    print(f"{' '.join(words)} …", file=sys.stderr, flush=True)
    before = _spent()
    begin = time.perf_counter()
    output_lines = []
    first = None
    with subprocess.Popen(words, cwd=clone, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        assert child.stdout is not None
        for line in child.stdout:
            output_lines.append(line)
            if first is None and _VERDICT.match(line):
                first = time.perf_counter() - begin
    wall = time.perf_counter() - begin
    if child.returncode not in good:
        raise ChildProcessError(
            f"{' '.join(words)}: status {child.returncode}: {b''.join(output_lines)[-2000:].decode(errors='replace')}"
        )
    return {"wall": wall, "install": _spent() - before} | ({} if first is None else {"first": first})


def _spent() -> float:
    """Processor seconds of children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(document: Mapping[str, Any]) -> str:
    """Markdown table of where the time went: a row for each run, processor seconds by phase.

    >>> runs = {"install": {"wall": 60.2, "install": 40.0}, "cold": {"wall": 9.0, "first": 4.0, "compile": 8.25}}
    >>> print(table({"environment": {"processor": "P", "cores": 2}, "runs": runs}))  # doctest: +ELLIPSIS
    | run | seconds | first verdict after | install | start | compile | search | measure | report | rest |
    |---|---|---|---|---|---|---|---|---|---|
    | install | 60.2 |  | 40.0 |  |  |  |  |  |  |
    | cold | 9.0 | 4.0 |  |  | 8.2 |  |  |  |  |
    <BLANKLINE>
    Seconds on the clock, then seconds of the processor: ... P, 2 cores.
    """
    names = ("wall", "first", "install", *PHASES)
    heads = ("run", "seconds", "first verdict after", "install", *PHASES)
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for run, seconds in document["runs"].items():
        cells = (f"{seconds[name]:.1f}" if name in seconds else "" for name in names)
        lines.append(f"| {' | '.join((run, *cells))} |")
    place = document["environment"]
    words = ", ".join(f"{name} is {meaning}" for name, meaning in PHASES.items())
    meaning = (
        f"Seconds on the clock, then seconds of the processor: {words}. {place['processor']}, {place['cores']} cores."
    )
    return "\n".join([*lines, "", meaning])


def main() -> int:
    """Measure, record, and rewrite the table, from the root of a clone."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "simspec")
        subprocess.run(["git", "clone", "--quiet", ".", str(clone)], check=True)
        document = measure(clone)
    write(RECORD, document)
    write_file(PAGE, fill(PAGE.read_text(encoding="utf-8"), PART, table(document)).encode())
    print(json.dumps(document["runs"], indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
