"""What the README's commands take on a new machine: one after the other in a fresh clone, installs included.

``python -m benchmarks.commands`` (``make times``) clones the last commit, times the commands, records the figures and
rewrites the README's table.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cases import environment, write
from simspec.files import fill, write_file

__all__ = ["COMMANDS", "PART", "RECORD", "main", "measure", "table"]

COMMANDS = ("make verify", "make proofs", "make site", "make test")
RECORD = Path("docs", "benchmarks", "commands.json")
PART = "times"


def measure(clone: Path, commands: Sequence[str] = COMMANDS) -> dict[str, Any]:
    """Seconds of each command in a fresh clone, in this order; each installs what it needs and is not there yet.

    Returns
    -------
    {"benchmark", "environment", "commands": {command: seconds}}

    Raises
    ------
    ChildProcessError
        for a command that fails, with the end of what it printed.
    """
    alone = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
    }  # no outer make
    seconds: dict[str, float] = {}
    for command in commands:
        print(f"{command} …", file=sys.stderr, flush=True)
        begin = time.perf_counter()
        process = subprocess.run(command.split(), cwd=clone, env=alone, capture_output=True, text=True)
        if process.returncode:
            raise ChildProcessError(
                f"{command}: status {process.returncode}: {(process.stdout + process.stderr)[-2000:]}"
            )
        seconds[command] = time.perf_counter() - begin
    return {"benchmark": "commands", "environment": environment(()), "commands": seconds}


def table(document: Mapping[str, Any]) -> str:
    """Markdown table of what each command took, in whole minutes, seconds below one.

    >>> place = {"processor": "P", "cores": 2}
    >>> print(table({"environment": place, "commands": {"make verify": 100.0, "make test": 41.2}}))
    | command | time, with the install |
    |---|---|
    | `make verify` | 2 min |
    | `make test` | 41 s |
    <BLANKLINE>
    One after the other on a new machine: P, 2 cores.
    """
    place = document["environment"]
    lines = ["| command | time, with the install |", "|---|---|"]
    lines += [f"| `{command}` | {_time(seconds)} |" for command, seconds in document["commands"].items()]
    return "\n".join(
        [*lines, "", f"One after the other on a new machine: {place['processor']}, {place['cores']} cores."]
    )


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 59.5 else f"{seconds / 60:.0f} min"


def main() -> int:
    """Measure, record, and rewrite the README's table, from the root of a clone."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "simspec")
        subprocess.run(["git", "clone", "--quiet", ".", str(clone)], check=True)
        document = measure(clone)
    write(RECORD, document)
    page = Path("README.md")
    write_file(page, fill(page.read_text(encoding="utf-8"), PART, table(document)).encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
