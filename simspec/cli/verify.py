"""`simspec verify`: decide claims, show them as they are decided, and write the report."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simspec.checks import missing
from simspec.files import digested, write_json

__all__ = ["MANY", "add_arguments", "processes", "run"]

MANY = 40
"""Claims from which on `verify` starts more than one process."""
WORDS = {
    "proved": "green",
    "holds": "green",
    "refuted": "red",
    "supported": "cyan",
    "unsupported": "magenta",
    "inconclusive": "yellow",
    "error": "bold red",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="claim ids or prefixes such as rdk (default: all claims)")
    what = "a bank of your own logits in place of the shipped pair"
    parser.add_argument("--bank", metavar="PATH", type=_some, help=what)
    parser.add_argument("--effort", choices=("quick", "default", "deep"), default="default", help="how hard to try")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of every random draw (default 0)")
    where = "where to write (default report/)"
    parser.add_argument("--out", type=Path, default=Path("report"), metavar="DIR", help=where)
    what = "processes (default: one, for many claims one a core, at most two: each takes up to 1.4 GiB)"
    parser.add_argument("--workers", type=int, metavar="N", help=what)


def _some(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("empty; expected a path")
    return text


def run(args: argparse.Namespace) -> int:
    """The command itself; returns its exit status."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from simspec.claims import find
    from simspec.claims.deciding.verify import changed, verify
    from simspec.report import write, write_proofs

    _check_out(args.out)
    total = len(find(args.ids))
    workers = args.workers if args.workers is not None else processes(total)
    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        proofs = _proofs(args.ids, workers, progress) if args.effort == "deep" else None
        task = progress.add_task("deciding claims", total=total)

        def show(record: dict[str, Any]) -> None:
            word = record["verdict"]
            line = f"[{WORDS[word]}]{word:<12}[/] {record['id']:<42} {record['seconds']:6.2f} s"
            progress.console.print(
                line + (f"  {escape(record['message'])}" if record["message"] else ""), soft_wrap=True
            )
            progress.advance(task)

        how = {"bank": args.bank, "effort": args.effort, "seed": args.seed}
        verdicts = verify(*args.ids, **how, workers=workers, proofs=proofs, on_claim=show)
    write_json(digested(verdicts), args.out / "verdicts.json")
    write(verdicts, args.out / "index.html")
    write_proofs(verdicts, args.out / "proofs.html")
    return _conclude(verdicts, changed(verdicts), args.out)


def _proofs(ids: Sequence[str], workers: int, progress: Any) -> dict[str, list[dict[str, Any]]] | None:
    """Every proof of these claims, checked now; None, with a line that says so, where the solvers are not installed."""
    from rich.markup import escape

    try:
        from proofs_check.checking.check import checked_now, number
    except ImportError as error:
        progress.console.print(f"proofs: {missing('checking again', error, 'proofs')}", markup=False)
        return None
    task = progress.add_task("checking proofs", total=number(ids, deep=True))

    def fails(name: str, reason: str) -> None:
        progress.console.print("[red]not proved[/]   " + escape(f"{name}: {reason}"), soft_wrap=True)

    found = checked_now(ids, workers, lambda name: progress.advance(task), fails)
    progress.remove_task(task)
    return found


def processes(claims: int) -> int:
    """One process a core for many claims, at most two for their memory: starting one costs as much as ten claims."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, 2) if claims >= MANY else 1


def _check_out(out: Path) -> None:
    """Refuse a place that cannot be written before anything is computed."""
    if "\0" in str(out) or (out.is_symlink() and not out.exists()):
        raise ValueError(
            f"--out: {str(out)!r} is a link that leads nowhere, or no name; expected a folder, or nothing there"
        )
    there = next(p for p in (out.absolute(), *out.absolute().parents) if p.exists())
    if not there.is_dir():
        raise ValueError(f"--out: {there} is a file; expected a folder, or nothing there")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"--out: no permission to write in {there}; choose another folder")


def _conclude(verdicts: dict[str, Any], differences: list[str], out: Path) -> int:
    counts: dict[str, int] = {}
    for claim in verdicts["claims"]:
        counts[claim["verdict"]] = counts.get(claim["verdict"], 0) + 1
    print(", ".join(f"{n} {word}" for word, n in counts.items()) + f"; read {out / 'index.html'}")
    for line in differences:
        print(f"changed: {line}", file=sys.stderr)
    crashed = [c for c in verdicts["claims"] if c["verdict"] == "error"]
    for claim in crashed:
        print(f"simspec: error: {claim['id']}: {claim['message']}; rerun: {claim['reproduce']}", file=sys.stderr)
    return 2 if crashed else 1 if differences else 0
