"""What all benchmarks share besides the timing: options, cases, progress, tables and one JSON layout."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import harness
from benchmarks.harness import Peer, Result, medians, steps, thread_counts
from simspec.files import PARTIAL, write_file

__all__ = [
    "Bench",
    "Done",
    "add_arguments",
    "as_json",
    "check_place",
    "columns",
    "commit",
    "environment",
    "judged",
    "repeats_of",
    "run_cases",
    "shown",
    "table",
    "tabulated",
    "timed",
    "write",
]

ROOT = Path(__file__).parents[1]
CHANGED = "+"
"""After the hash of a commit: tracked files of the clone differ from it."""
_QUICK_REPEATS = 3
PACKAGES = (
    "numpy", "scipy", "numba", "pyarrow", "distributed", "sinter", "stim", "tokenizers", "torch", "transformers", "jax",
    "cupy-cuda12x", "cupy-cuda13x", "triton",
)  # fmt: skip
"""Of all benchmarks; their versions are recorded."""


class Done(NamedTuple):
    """A case that was validated and timed: what stands in the JSON, the table to print, whether our own result is right."""

    about: dict[str, Any]
    table: Any
    right: bool
    notes: str = ""
    """What is printed below the table."""


def judged(about: dict[str, Any], results: Sequence[Result], table: Any, right: bool = True) -> Done:
    """A case of `compare`, our own candidate first; `right` says what else must hold."""
    return Done(about | {"results": [as_json(r) for r in results]}, table, right and results[0].status == "ok")


@dataclass(frozen=True)
class Bench:
    """A benchmark of `python -m benchmarks`: its name and options, and the cases that the options ask for."""

    name: str
    summary: str
    repeats: int
    quick: str
    cases: Callable[[argparse.Namespace, int], Iterable[Callable[[], Done]]]
    """From the options and the number of timed rounds to what validates and times each case; ValueError for bad usage."""
    seed: str | None = None
    """What the seed is of; None where nothing is drawn."""
    seeds: int | None = None
    more: Callable[[argparse.ArgumentParser], Any] = lambda parser: None
    """Adds the options that no other benchmark has."""
    place: Callable[[], Mapping[str, Any]] = dict
    """What else the environment is, such as a device."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Options of `python -m benchmarks` with this name."""
        add_arguments(parser, self.repeats, self.quick, self.seed)
        self.more(parser)

    def run(self, args: argparse.Namespace) -> int:
        """Validate, time and print; 0, or 1 when our own result is wrong.

        Raises
        ------
        ValueError
            for bad usage, or where what is timed needs something that is not here.
        """
        repeats = repeats_of(args, self.repeats, self.seeds)
        try:
            works = self.cases(args, repeats)
            place = self.place()
        except (ImportError, RuntimeError) as missing:
            raise ValueError(" ".join(str(missing).split())) from None
        return run_cases(self.name, args, works, place)


def add_arguments(parser: argparse.ArgumentParser, repeats: int, quick: str, seed: str | None) -> None:
    """The options that every benchmark has; `quick` and `seed` say what they mean for this one."""
    parser.add_argument("--quick", action="store_true", help=f"{quick}: checks the benchmark, measures little")
    rounds = f"timed rounds (default {repeats}; quick: {_QUICK_REPEATS})"
    parser.add_argument("--repeats", type=int, default=None, metavar="N", help=rounds)
    if seed is not None:
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
    seed = getattr(args, "seed", 0)
    if seed < 0 or (seeds is not None and seed >= seeds):
        range_text = "that is not negative" if seeds is None else f"from 0 to {seeds - 1}"
        raise ValueError(f"--seed {seed}: expected a number {range_text}")
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
    args: argparse.Namespace,
    works: Iterable[Callable[[], Done]],
    place: Mapping[str, Any] | None = None,
) -> int:
    """Run, print and record each case as soon as it is done; 0, or 1 when our own result is wrong.

    Raises
    ------
    ValueError
        for a path that can no longer be written.
    """
    from rich.console import Console

    from simspec.engine.show.columns import print_fitting

    console = Console(width=None if sys.stdout.isatty() else 160)
    cases: list[dict[str, Any]] = []
    document = {"benchmark": name, "version": 1, "environment": environment() | dict(place or {})}
    document |= {"seed": args.seed} if hasattr(args, "seed") else {}
    right = True
    for work in works:
        record = work()
        print_fitting(console, record.table, "--json PATH")
        if record.notes:
            console.print(record.notes, highlight=False, soft_wrap=True)
        cases.append({"title": str(record.table.title)} | record.about)
        right &= record.right
        if args.json is not None:
            try:
                write(args.json, document | {"cases": cases})
            except OSError as error:
                raise ValueError(
                    f"--json {args.json}: cannot be written ({error.strerror}); expected a writable path"
                ) from None
    return 0 if right else 1


@contextmanager
def shown(title: str, total: int | None) -> Iterator[Callable[[str], None]]:
    """A progress bar on stderr that goes with its last step; gives the function to call, with a name, at each."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda name: progress.update(task, advance=1, description=f"{title}: {name}")


def timed(
    title: str, peers: Sequence[Peer], repeats: int, prepare: Callable[[], tuple[Any, Any, float]]
) -> list[Result]:
    """Peers compared, with a bar of progress, on what `prepare` makes: data, what must come of them, the tolerance."""
    with shown(title, steps(peers, repeats) + 1) as tick:
        data, expected, tolerance = prepare()
        tick("reference")
        return harness.compare(peers, data, expected, tolerance, repeats, tick)


def columns(title: str, caption: str, headings: Sequence[str]) -> Any:
    """An empty rich table: names to the left, then numbers under headings."""
    from rich.table import Table

    out = Table(title=title, caption=caption)
    out.add_column("", no_wrap=True)
    for heading in headings:
        out.add_column(heading, justify="right")
    return out


def tabulated(
    title: str,
    caption: str,
    headings: Sequence[str],
    results: Sequence[Result],
    cells: Callable[[Result], Sequence[str]],
) -> Any:
    """A rich table with `cells` of each candidate that was timed; below it, why each of the others was not.

    A reason is longer than a number: in a cell it would leave no room for the columns beside it.
    """
    reasons = [f"{r.name}: {r.status}" for r in results if not r.seconds]
    out = columns(title, "\n".join([caption, *reasons]), headings)
    for r in results:
        out.add_row(r.name, *(cells(r) if r.seconds else ("-",)))
    return out


def table(title: str, results: Sequence[Result], our_name: str, yardstick: str) -> Any:
    """A rich table: median time at the best thread count, spread, error, ratio to ours and to the yardstick (memory)."""
    our_time, floor = (medians(results).get(name, float("nan")) for name in (our_name, yardstick))

    def cells(r: Result) -> Sequence[str]:
        low, _, high = np.quantile(r.seconds, [0.25, 0.5, 0.75]) * 1e3
        spread = f"{r.median * 1e3:.2f} ({low:.2f}, {high:.2f})"
        error = "" if r.error is None else f"{r.error:.1e}" + (" !" if r.status == "inexact" else "")
        return str(r.threads), spread, error, f"{r.median / our_time:.2f}", f"{r.median / floor:.2f}"

    caption = f"medians (quartiles) of interleaved runs; ratio above 1: slower than {our_name}; !: tolerance missed"
    return tabulated(title, caption, ("threads", "ms", "error", "ratio", "to memory"), results, cells)


def environment(packages: Sequence[str] = PACKAGES) -> dict[str, Any]:
    """Commit, processor, cores, load, what kernels are compiled for, Python and package versions (null where not installed).

    Outside a clone there is no commit.
    """
    versions: dict[str, str | None] = {}
    for name in packages:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    short_hash = commit()
    return {
        **({} if short_hash is None else {"commit": short_hash}),
        "processor": _processor(),
        "cores": thread_counts()[-1],
        "load": load,
        "target": _target(),
        "python": platform.python_version(),
        "system": platform.system(),
        "packages": versions,
    }


def commit(folder: Path = ROOT) -> str | None:
    """Short hash of the commit that a clone is at, with a + where tracked files were changed since; None outside a clone.

    Changed records and pages (``docs``, ``*.md``) do not count: benchmarks write them.

    Parameters
    ----------
    folder : the root of the clone
    """
    # no repository but that of the folder, and no lock that another command of git would meet
    variables = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    variables["GIT_OPTIONAL_LOCKS"] = "0"

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(folder), *arguments]
        process = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
        return process.stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() != folder.resolve():
            return None
        short_hash = git("rev-parse", "--short=8", "HEAD")
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)docs", ":(exclude)*.md")
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{short_hash}{CHANGED if changed else ''}"


def _target() -> dict[str, Any]:
    """The processor that Numba compiles for, and its vector instructions: NUMBA_CPU_NAME and NUMBA_CPU_FEATURES change both.

    >>> sorted(_target())
    ['name', 'vectors']
    """
    from llvmlite import binding
    from numba import config

    name, features = (vars(config).get(f"CPU_{setting}") for setting in ("NAME", "FEATURES"))
    feature_text = binding.get_host_cpu_features().flatten() if features is None else features
    enabled = {feature[1:] for feature in feature_text.split(",") if feature.startswith("+")}
    vectors = sorted(x for x in enabled if x.startswith(("avx", "sse", "fma", "neon", "sve", "asimd")))
    return {"name": name or binding.get_host_cpu_name(), "vectors": vectors}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def write(path: Path, document: dict[str, Any]) -> None:
    """Write JSON: the whole file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(document, indent=1) + "\n").encode())


def as_json(result: Result) -> dict[str, Any]:
    """Plain numbers, with the median beside the runs (null where the peer was not timed)."""
    return asdict(result) | {"median": result.median if result.seconds else None}
