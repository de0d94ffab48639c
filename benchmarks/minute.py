"""Where the first minute of a new user goes: the install, then `simspec verify` cold, warm, unchanged and quick.

``python -m benchmarks.minute`` clones the last commit into a new folder with a new environment and no compiled kernel,
runs the commands, records the figures and rewrites the table in ``docs/benchmarks``.  A warm run without the bank `smollm2`,
whose file is moved aside in the clone while it lasts, says what that bank adds.  Then the wheels of the package and of its
banks are built, and installed in an environment outside the clone, which runs `simspec verify` cold and warm too.

Seconds on the clock depend on what else the machine does; seconds of the processor, which tell the phases apart, do so less.
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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.cases import environment, write
from simspec.claims.deciding.spending import PHASES
from simspec.files import fill, read_json, write_file

__all__ = [
    "BANK",
    "INSTALL",
    "PAGE",
    "PART",
    "RECORD",
    "RUNS",
    "VERDICTS",
    "WHEEL_RUNS",
    "Run",
    "main",
    "measure",
    "measure_wheels",
    "table",
    "wheel_commands",
]

INSTALL = ("make", ".venv/.extras-verify")
BANK = "smollm2"
"""The bank whose share of a warm run is told apart."""
BANKS = Path("simspec", "logits", "data")
"""Where a clone has its banks, which are a package of their own."""


class Run(NamedTuple):
    """Options of a run of `simspec verify`, and the bank that is not there while it lasts."""

    options: tuple[str, ...] = ()
    without: str | None = None


RUNS = {
    "cold": Run(),
    "warm": Run(("--fresh",)),
    "unchanged": Run(),
    "quick, warm": Run(("--effort", "quick", "--fresh")),
    f"warm, without {BANK}": Run(("--fresh",), BANK),
}
"""Runs of `simspec verify` in a clone, in this order; the first compiles what all of them need."""
WHEEL_RUNS = {"wheel, cold": Run(), "wheel, warm": Run(("--fresh",))}
"""Runs with installed wheels; the first compiles, as kernels of an installation are its own."""
RECORD = Path("docs", "benchmarks", "first-minute.json")
PAGE = Path("docs", "benchmarks", "README.md")
PART = "minute"
VERDICTS = ("proved", "derived", "holds", "refuted", "supported", "unsupported", "inconclusive", "error")
"""Words with which `simspec verify` begins the line of a claim; a test compares them."""
_VERDICT = re.compile(f"^({'|'.join(VERDICTS)}) +\\S+ +[0-9.]+ s".encode())


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
    env = _environment(clone)
    seconds = {"install": _run(install, clone, env, {0})}
    for name, run in RUNS.items():
        with _bank_aside(clone, run.without):
            seconds[name] = _verified(verify, run, clone, env)
    return {"benchmark": "first-minute", "environment": environment(()), "runs": seconds}


def measure_wheels(
    folder: Path, commands: Sequence[Sequence[str]], verify: str = "env/bin/simspec verify"
) -> dict[str, dict[str, float]]:
    """Seconds of building and installing wheels, and of each of `WHEEL_RUNS`; keys and errors are those of `measure`.

    Parameters
    ----------
    folder : outside of any clone; kernels, environment and report are made in it
    commands : what builds and installs, one after the other, as `wheel_commands` lists it
    verify : the command that is then there
    """
    env = _environment(folder)
    steps = [_run(command, folder, env, {0}) for command in commands]
    installed = {name: sum(step[name] for step in steps) for name in ("wall", "install")}
    return {"wheel, install": installed} | {
        name: _verified(verify, run, folder, env) for name, run in WHEEL_RUNS.items()
    }


def wheel_commands(clone: Path) -> list[list[str]]:
    """Commands that make an environment, build the wheels of a clone and of its banks, and install both with what `verify` needs.

    The wheels are named by their paths: no index is asked for a package of their names.

    >>> [command[-1] for command in wheel_commands(Path("clone"))][:3]
    ['env', 'clone', 'clone/simspec/logits/data']
    """
    pip = ["env/bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--wheel-dir", "dist"]
    install = " ".join(
        [*pip, "install", "dist/simspec_decoding_banks-*.whl", '"$(ls dist/simspec_decoding-*.whl)[verify]"']
    )
    return [
        [sys.executable, "-m", "venv", "env"],
        [*build, str(clone)],
        [*build, str(clone / BANKS)],
        ["sh", "-c", install],
    ]


def _environment(folder: Path) -> dict[str, str]:
    """Variables of processes that compile into a folder, and see nothing of the clone that this process runs in."""
    hidden = ("MAKE", "MFLAGS", "PYTHONPATH", "VIRTUAL_ENV")
    env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    return env | {"NUMBA_CACHE_DIR": str(folder / ".kernels")}


def _verified(verify: str, run: Run, folder: Path, env: Mapping[str, str]) -> dict[str, float]:
    """Seconds of one run of `simspec verify`, with those of the processor by phase."""
    report = folder / "report"
    words = (*verify.split(), *run.options, "--profile", "--out", str(report))
    timed = _run(words, folder, env, {0, 1})  # 1: a verdict is not the recorded one, which is no matter here
    del timed["install"]
    return timed | read_json(report / "profile.json", "profile", "what --profile writes")


@contextmanager
def _bank_aside(clone: Path, name: str | None) -> Iterator[None]:
    """While it lasts a clone has no bank of this name, as an installation without that bank."""
    if name is None:
        yield
        return
    file = clone / BANKS / f"{name}.safetensors"
    aside = file.rename(clone / f"{file.name}.aside")
    try:
        yield
    finally:
        aside.rename(file)


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

    Where there is a run without the bank, a last line says what the bank adds to the warm run.
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
    return "\n".join([*lines, "", meaning, *_added(document["runs"])])


def _added(runs: Mapping[str, Mapping[str, float]]) -> list[str]:
    """What the bank adds to a warm run, on the clock and of the processor; nothing where no run was without it.

    >>> runs = {"warm": {"wall": 9.0, "search": 2.0, "measure": 6.5}, "warm, without smollm2": {"wall": 6.0, "measure": 4.0}}
    >>> _added(runs)[1]
    'The bank `smollm2` adds 3.0 s on the clock and 4.5 s of the processor to a warm run (measure 2.5 s of them).'
    """
    without = runs.get(f"warm, without {BANK}")
    if without is None:
        return []
    warm = runs["warm"]
    with_bank, alone = (sum(run.get(phase, 0.0) for phase in PHASES) for run in (warm, without))
    measured = warm.get("measure", 0.0) - without.get("measure", 0.0)
    clock = warm["wall"] - without["wall"]
    share = f"(measure {measured:.1f} s of them)"
    sums = f"{clock:.1f} s on the clock and {with_bank - alone:.1f} s of the processor"
    return ["", f"The bank `{BANK}` adds {sums} to a warm run {share}."]


def main() -> int:
    """Measure, record, and rewrite the table, from the root of a clone."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "simspec")
        subprocess.run(["git", "clone", "--quiet", ".", str(clone)], check=True)
        document = measure(clone)
        outside = Path(folder, "wheels")
        outside.mkdir()
        document["runs"] |= measure_wheels(outside, wheel_commands(clone))
    write(RECORD, document)
    write_file(PAGE, fill(PAGE.read_text(encoding="utf-8"), PART, table(document)).encode())
    print(json.dumps(document["runs"], indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
