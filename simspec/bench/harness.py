"""What all benchmarks share: candidates, validation, interleaved timing, one table and one JSON layout.

A peer is a name and a function that binds the data and a number of threads to a call without arguments.  A peer that
is not installed or wrong is listed with the reason, never left out; one that misses the tolerance, but not by a factor
of a hundred, is timed and marked as inexact, which can only flatter it.  Timed runs are interleaved (every candidate
once a round, the order turning), so that a slow minute of the machine hits all alike; each peer counts at its best
number of threads, by the median.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.files import PARTIAL, write_file

__all__ = [
    "Done",
    "Peer",
    "Result",
    "add_arguments",
    "as_json",
    "check_place",
    "compare",
    "environment",
    "fail",
    "judged",
    "repeats_of",
    "run_cases",
    "shown",
    "steps",
    "table",
    "thread_counts",
    "write",
]

Call = Callable[[], Any]
_QUICK_REPEATS = 3


@dataclass(frozen=True)
class Peer:
    """`bind(data, threads)` gives the call to time; it raises ImportError where the peer is not installed."""

    name: str
    bind: Callable[[Any, int], Call]
    threads: tuple[int, ...]
    checked: bool = True
    """False for a yardstick that computes something else, such as reading the memory once."""


@dataclass(frozen=True)
class Result:
    """One peer on one case; `seconds` are the timed runs at its best number of threads."""

    name: str
    status: str
    threads: int | None = None
    error: float | None = None
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


class Done(NamedTuple):
    """A case that was validated and timed: what stands in the JSON, the table to print, whether our own result is right."""

    about: dict[str, Any]
    table: Any
    right: bool


def judged(about: dict[str, Any], results: Sequence[Result], table: Any, right: bool = True) -> Done:
    """A case of `compare`, our own candidate first; `right` says what else must hold."""
    return Done(about | {"results": [as_json(r) for r in results]}, table, right and results[0].status == "ok")


def add_arguments(parser: argparse.ArgumentParser, repeats: int, quick: str, seed: str) -> None:
    """The options that every benchmark has; `quick` and `seed` say what they mean for this one."""
    parser.add_argument("--quick", action="store_true", help=f"{quick}: checks the benchmark, measures little")
    rounds = f"timed rounds (default {repeats}; quick: {_QUICK_REPEATS})"
    parser.add_argument("--repeats", type=int, default=None, metavar="N", help=rounds)
    parser.add_argument("--seed", type=int, default=0, help=f"seed of {seed} (default 0)")
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write every run to PATH")


def repeats_of(args: argparse.Namespace, default: int, seeds: int | None = None) -> int:
    """How many timed rounds are asked for, once the options that every benchmark has are checked.

    Raises
    ------
    ValueError
        for fewer than one, a seed that is negative or not below `seeds`, or a file that cannot be written.
    """
    repeats = args.repeats if args.repeats is not None else _QUICK_REPEATS if args.quick else default
    if repeats < 1:
        raise ValueError(f"--repeats {repeats}: expected at least 1")
    if args.seed < 0 or (seeds is not None and args.seed >= seeds):
        wanted = "that is not negative" if seeds is None else f"from 0 to {seeds - 1}"
        raise ValueError(f"--seed {args.seed}: expected a number {wanted}")
    check_place("--json", args.json)
    return repeats


def check_place(option: str, path: Path | None) -> None:
    """Refuse a path that cannot be written, before minutes are spent on what it is for.

    What says whether a folder takes files is a file: one is made there, beside the place of `path`, and removed.

    Raises
    ------
    ValueError
        naming the option, where there is something else than a file, or nothing can be written.
    """
    if path is None:
        return
    try:
        there = next(folder for folder in path.absolute().parents if folder.exists())
        nowhere = any(folder.is_symlink() and not folder.exists() for folder in path.absolute().parents)
        possible = not nowhere and (path.is_file() or not path.exists())
        if possible:
            tempfile.NamedTemporaryFile(dir=there, prefix=f".{path.name}.", suffix=PARTIAL).close()
    except OSError:
        possible = False
    if not possible:
        raise ValueError(f"{option}: {path} cannot be written; expected the name of a file in a writable folder")


def run_cases(
    name: str,
    packages: Sequence[str],
    args: argparse.Namespace,
    works: Iterable[Callable[[], Done]],
    place: Mapping[str, Any] | None = None,
) -> int:
    """Run, print and record each case as soon as it is done; 0, or 1 when our own result is wrong, or 2 for a bad path.

    `place` says what else the environment is, such as a device.
    """
    from rich.console import Console

    cases: list[dict[str, Any]] = []
    document = {
        "benchmark": name,
        "version": 1,
        "environment": environment(packages) | dict(place or {}),
        "seed": args.seed,
    }
    right = True
    for work in works:
        done = work()
        Console().print(done.table)
        cases.append({"title": str(done.table.title)} | done.about)
        right &= done.right
        if args.json is not None:
            try:
                write(args.json, document | {"cases": cases})
            except OSError as error:
                return fail(f"--json {args.json}: cannot be written ({error.strerror}); expected a writable path")
    return 0 if right else 1


@contextmanager
def shown(title: str, total: int | None) -> Iterator[Callable[[str], None]]:
    """A progress bar on stderr that goes with its last step; gives the function to call, with a name, at each."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda name: progress.update(task, advance=1, description=f"{title}: {name}")


def thread_counts() -> tuple[int, ...]:
    """One, the powers of two between, and all cores this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return tuple(sorted({1, cores, *(2**k for k in range(cores.bit_length()) if 2**k < cores)}))


def compare(
    peers: Sequence[Peer],
    data: Any,
    expected: NDArray[np.float64],
    tolerance: float,
    repeats: int,
    tick: Callable[[str], None] = lambda name: None,
) -> list[Result]:
    """Validate every peer against `expected`, then time all that are not wrong; `tick` is told of each step.

    Raises
    ------
    ValueError
        for fewer than one repeat.
    """
    if repeats < 1:
        raise ValueError(f"repeats: {repeats}; expected at least 1")
    results: dict[str, Result] = {}
    calls: dict[tuple[str, int], Call] = {}
    for peer in peers:
        tick(peer.name)
        try:
            bound = {n: peer.bind(data, n) for n in peer.threads}
        except ImportError as missing:
            results[peer.name] = Result(peer.name, f"not installed ({missing.name})")
            continue
        outputs = [call() for call in bound.values()]
        error = float(np.max([_error(out, expected) for out in outputs])) if peer.checked else None
        if error is not None and not error <= 100 * tolerance:
            results[peer.name] = Result(peer.name, f"wrong by {error:.1e}", error=error)
            continue
        results[peer.name] = Result(peer.name, "ok" if error is None or error <= tolerance else "inexact", error=error)
        calls.update({(peer.name, n): call for n, call in bound.items()})
    times = _interleaved(calls, repeats, tick)
    for name, result in results.items():
        runs = {n: seconds for (who, n), seconds in times.items() if who == name}
        if runs:
            best = min(runs, key=lambda n: statistics.median(runs[n]))
            results[name] = Result(name, result.status, best, result.error, runs[best])
    return list(results.values())


def _error(out: Any, expected: NDArray[np.float64]) -> float:
    return float(np.abs(np.asarray(out, dtype=np.float64) - expected).max())


def _interleaved(
    calls: dict[tuple[str, int], Call], repeats: int, tick: Callable[[str], None]
) -> dict[tuple[str, int], list[float]]:
    times: dict[tuple[str, int], list[float]] = {key: [] for key in calls}
    order = list(calls)
    for _ in range(repeats):
        for key in order:
            time.sleep(0.01)  # let the threads of the one before go to sleep
            start = time.perf_counter()
            calls[key]()
            times[key].append(time.perf_counter() - start)
            tick(key[0])
        order = order[1:] + order[:1]
    return times


def steps(peers: Sequence[Peer], repeats: int) -> int:
    """How often `compare` calls `tick` when every peer is installed and right."""
    return len(peers) + repeats * sum(len(peer.threads) for peer in peers)


def environment(packages: Sequence[str]) -> dict[str, Any]:
    """Processor, cores, load, Python and package versions (null where not installed)."""
    versions: dict[str, str | None] = {}
    for name in packages:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "processor": _processor(),
        "cores": thread_counts()[-1],
        "load": load,
        "python": platform.python_version(),
        "system": platform.system(),
        "packages": versions,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def table(title: str, results: Sequence[Result], ours: str, yardstick: str) -> Any:
    """A rich table: median time at the best thread count, spread, error, ratio to ours and to the yardstick (memory)."""
    from rich.table import Table

    by_name = {r.name: r for r in results}
    own, floor = (by_name[x].median if by_name[x].seconds else float("nan") for x in (ours, yardstick))
    caption = f"medians (quartiles) of interleaved runs; ratio above 1: slower than {ours}; !: tolerance missed"
    out = Table(title=title, caption=caption)
    out.add_column("", no_wrap=True)
    for heading in ("threads", "ms", "error", "ratio", "to memory"):
        out.add_column(heading, justify="right")
    for r in results:
        if not r.seconds:
            out.add_row(r.name, "", r.status, "" if r.error is None else f"{r.error:.1e}", "", "")
            continue
        low, _, high = np.quantile(r.seconds, [0.25, 0.5, 0.75]) * 1e3
        spread = f"{r.median * 1e3:.2f} ({low:.2f}, {high:.2f})"
        error = "" if r.error is None else f"{r.error:.1e}" + (" !" if r.status == "inexact" else "")
        out.add_row(r.name, str(r.threads), spread, error, f"{r.median / own:.2f}", f"{r.median / floor:.2f}")
    return out


def write(path: Path, document: dict[str, Any]) -> None:
    """Write JSON: the whole file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(document, indent=1) + "\n").encode())


def as_json(result: Result) -> dict[str, Any]:
    """Plain numbers, with the median beside the runs (null where the peer was not timed)."""
    return asdict(result) | {"median": result.median if result.seconds else None}


def fail(message: str) -> int:
    """One line to stderr; exit code 2."""
    print(f"simspec: error: {message}", file=sys.stderr)
    return 2
