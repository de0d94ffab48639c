"""`simspec verify`: decide claims, show them as they are decided, and write the report."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspec.claims.chosen import Chosen

__all__ = ["MANY", "add_arguments", "processes", "run"]

PROFILE = "profile.json"
"""Seconds by phase, in the folder of the report."""
PAGES = "pages.txt"
"""What the pages were made from, in the folder of the report."""
MANY = 40
"""Claims from which on `verify` starts more than one process."""
WORDS = {
    "proved": "green",
    "derived": "green",
    "holds": "green",
    "refuted": "red",
    "supported": "cyan",
    "unsupported": "magenta",
    "inconclusive": "yellow",
    "error": "bold red",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    option_help = (
        "ids or prefixes such as rdk, or your own claims: FILE.py:NAME, FILE.py, module:NAME (default: all claims)"
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help=option_help)
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        metavar="KIND",
        help="decide only claims of this kind, such as bound; may be repeated",
    )
    parser.add_argument(
        "--verdict",
        nargs="+",
        default=[],
        metavar="WORD",
        help="decide only claims with one of these recorded verdicts, such as refuted",
    )
    parser.add_argument(
        "--source", metavar="TEXT", help="decide only claims whose source contains this text, such as 'Theorem 5.1'"
    )
    option_help = (
        "use this logit bank (stories, or a file with your own logits) instead of the shipped ones; where it holds answers of "
        "the target and other texts, the answers decide"
    )
    parser.add_argument("--bank", metavar="BANK", type=_some, help=option_help)
    parser.add_argument(
        "--all", action="store_true", help="with --bank: also decide claims that do not depend on a bank"
    )
    parser.add_argument(
        "--effort",
        choices=("quick", "default", "deep"),
        default="default",
        help="how many instances to try (default: default)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all random numbers (default 0)")
    where = "folder to write to (default report/)"
    parser.add_argument("--out", type=Path, default=Path("report"), metavar="DIR", help=where)
    option_help = (
        "decide every claim again; do not reuse verdicts stored beside the report by a run with the same "
        "code and arguments"
    )
    parser.add_argument("--fresh", action="store_true", help=option_help)
    option_help = f"print the processor time by phase, and write it to {PROFILE} beside the report"
    parser.add_argument("--profile", action="store_true", help=option_help)
    option_help = (
        "number of processes (default 1; for many claims, one per core and at most 2); each needs up to 1.4 GiB"
    )
    parser.add_argument("--workers", type=int, metavar="N", help=option_help)


def _some(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("empty; expected a path")
    return text


def run(args: argparse.Namespace) -> int:
    """The command itself; returns its exit status."""
    from simspec.checks import check_extra
    from simspec.claims.deciding.spending import CLOCK
    from simspec.claims.deciding.verify import changed, check_seed
    from simspec.files import digested, write_json

    start = time.perf_counter()
    check_seed(args.seed)
    _check_out(args.out)
    choices = _chosen(args)
    if any(c.claim.finding or c.claim.evidence for c in choices):
        check_extra("simspec verify: measuring", "verify", "texts", "measure")
    if args.profile:
        CLOCK.trace_loading()
    try:
        verdicts = _decided(args, choices)
    finally:
        CLOCK.leave()
    with CLOCK.phase("report"):
        write_json(digested(verdicts), args.out / "verdicts.json")
        _write_pages(verdicts, args.out)
    if args.profile:
        _tell(time.perf_counter() - start, args.out / PROFILE)
    return _conclude(verdicts, changed(verdicts), args.out)


def _tell(wall: float, file: Path) -> None:
    """Where the processor time of this process and its helpers went, as a table and as JSON."""
    from simspec.claims.deciding.spending import CLOCK, table
    from simspec.files import write_json

    seconds_by_phase = CLOCK.take()
    print(table(seconds_by_phase, wall), file=sys.stderr)
    write_json({"wall": round(wall, 3), **{name: round(value, 3) for name, value in seconds_by_phase.items()}}, file)


def _write_pages(verdicts: dict[str, Any], out: Path) -> None:
    """The report's pages; those that were made from the same verdicts by the same code are left as they are."""
    from simspec.claims.deciding.kept import pages_of
    from simspec.files import write_text
    from simspec.report import write, write_proofs

    pages = [out / "index.html", out / "proofs.html"]
    stamp = out / PAGES
    made_from = pages_of(verdicts)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == made_from and all(page.is_file() for page in pages):
        return
    stamp.unlink(missing_ok=True)
    write(verdicts, pages[0])
    write_proofs(verdicts, pages[1])
    write_text(made_from, stamp)


def _chosen(args: argparse.Namespace) -> list[Chosen]:
    """What is to be decided; with a bank of one's own, what it can change, and a line that says so."""
    from simspec.claims.chosen import choose, moved_by_bank, narrowed
    from simspec.logits.bank import is_installed, not_installed, open_bank

    choices = narrowed(choose(args.ids), args.kind, args.verdict, args.source)
    if args.bank is None:
        for name in ("smollm2", "wiki"):
            if not is_installed(name):
                print(f"{not_installed(name)}: claims are not tried or measured on it until then", file=sys.stderr)
        return choices
    open_bank(args.bank)  # one that cannot be used is told first, in a line
    affected = choices if args.all else [c for c in choices if moved_by_bank(c)]
    if not affected:
        print("none of the chosen claims depends on a bank; deciding them anyway", file=sys.stderr)
        return choices
    if len(affected) < len(choices):
        announcement = f"deciding {len(affected)} of {len(choices)} claims: those that depend on a bank"
        print(
            f"{announcement}; the others are proved, derived, refuted or about other data (--all decides them too)",
            file=sys.stderr,
        )
    return affected


def _decided(args: argparse.Namespace, choices: Sequence[Chosen]) -> dict[str, Any]:
    """The verdicts, shown as they come; those of earlier runs with the same inputs are taken, and all are kept."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from simspec.claims.deciding.evidence import tally
    from simspec.claims.deciding.kept import NAME, keep, run_key, stored_records
    from simspec.claims.deciding.verify import verify

    keys = run_key(args.bank, args.effort, args.seed)
    records = {} if args.fresh else stored_records(args.out, keys, choices)
    before = len(records)
    workers = args.workers if args.workers is not None else processes(len(choices) - len(records))
    console = Console(stderr=True, highlight=False)
    for line in _beforehand(choices, records, args.effort):
        console.print(line, soft_wrap=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        checked = [c.claim.name for c in choices if not c.outside and c.claim.name not in records]
        proofs = _proofs(checked, workers, progress, args.effort)
        at = _At([c for c in choices if c.claim.name not in records], workers)
        task = progress.add_task(at.words(), total=len(choices), completed=len(records))

        def show(record: dict[str, Any]) -> None:
            records[record["id"]] = record
            word = _word(record)
            line = f"[{WORDS[record['verdict']]}]{word:<12}[/] {record['id']:<42} {record['seconds']:6.2f} s"
            message = record["message"] or tally(record["evidence"] or []) or _open(record) or _extent(record)
            progress.console.print(line + (f"  {escape(message)}" if message else ""), soft_wrap=True)
            progress.update(task, advance=1, description=escape(at.words(record["id"])))

        how = {"bank": args.bank, "effort": args.effort, "seed": args.seed, "known": dict(records)}
        try:
            verdicts = verify(*choices, **how, workers=workers, proofs=proofs, on_claim=show)
        except KeyboardInterrupt:
            if number := keep(args.out, keys, list(records.values())):
                message = (
                    f"{number} verdicts are stored in {escape(str(args.out / NAME))}; run the same command to continue"
                )
                console.print(message, soft_wrap=True)
            raise
        if len(records) > before:
            keep(args.out, keys, list(records.values()))
        return verdicts


def _open(record: Mapping[str, Any]) -> str | None:
    """Of a claim of one's own, on how many exact instances enclosures leave open whether the slack is 0 or below."""
    check = record["checks"]["exact"]
    if "place" not in record or check is None or not check["undecided"]:
        return None
    return f"{check['undecided']} of {check['instances']} slacks are balls (certified enclosures) that contain 0"


def _extent(record: Mapping[str, Any]) -> str | None:
    """Of a claim that only holds, on how many exact instances of which sizes no counterexample was seen."""
    check = (record["checks"] or {}).get("exact")
    if record["verdict"] != "holds" or check is None:
        return None
    sizes = f", {check['data']}" if check["data"] else ""
    return f"no counterexample in {check['instances']:,} exact trials{sizes}"


def _beforehand(choices: Sequence[Chosen], records: Mapping[str, Any], effort: str) -> Iterator[str]:
    """What is not done anew, or not in full."""
    from simspec.claims.deciding.explore import effort_notice

    if records:
        same = "from a run with the same code, seed, effort and banks"
        yield f"reusing {len(records)} of {len(choices)} verdicts {same} (--fresh decides all again)"
    reduced_effort = effort_notice(effort)
    shipped = [c.claim for c in choices if not c.outside]
    if reduced_effort and any(claim.finding is None and claim.name not in records for claim in shipped):
        yield f"{reduced_effort} (--effort deep tries all claims alike)"


class _At:
    """What is being decided: processes take the tasks in their order, each one at a time."""

    def __init__(self, choices: Sequence[Chosen], workers: int) -> None:
        from simspec.claims.deciding.workers import tasks

        claims = [c.claim for c in choices]
        parts = [(c.name,) for c in claims] if workers == 1 else tasks(claims)
        self._left = dict.fromkeys(parts)
        self._part = {name: names for names in parts for name in names}
        self._workers = max(1, workers)

    def words(self, decided_claim: str | None = None) -> str:
        """What is at work once another claim is decided."""
        self._left.pop(self._part.get(decided_claim or "", ()), None)
        now = [names[0] if len(names) == 1 else f"{names[0]} …" for names in islice(self._left, self._workers)]
        return f"deciding {', '.join(now)}" if now else "deciding claims"


def _proofs(ids: Sequence[str], workers: int, progress: Any, effort: str) -> dict[str, list[dict[str, Any]]] | None:
    """With the effort deep, every proof of these claims, checked now; None, with a line that says so, without solvers."""
    from rich.markup import escape

    from simspec.checks import missing

    if effort != "deep" or not ids:
        return None
    try:
        from proofs_check.checking.check import checked_now, number
    except ImportError as error:
        progress.console.print(f"proofs: {missing('checking again', error)}", markup=False)
        return None
    task = progress.add_task("checking proofs", total=number(ids, deep=True))

    def fails(name: str, reason: str) -> None:
        progress.console.print("[red]not proved[/]   " + escape(f"{name}: {reason}"), soft_wrap=True)

    entries = checked_now(ids, workers, lambda name: progress.advance(task), fails)
    progress.remove_task(task)
    return entries


def processes(claims: int) -> int:
    """One process a core for many claims, at most two for their memory: starting one costs as much as ten claims."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, 2) if claims >= MANY else 1


def _check_out(out: Path) -> None:
    """Refuse a place that cannot be written before anything is computed."""
    if "\0" in str(out) or (out.is_symlink() and not out.exists()):
        raise ValueError(
            f"--out: {str(out)!r} is a broken link or not a valid name; expected a folder, or a path that "
            "does not exist yet"
        )
    there = next(p for p in (out.absolute(), *out.absolute().parents) if p.exists())
    if not there.is_dir():
        raise ValueError(f"--out: {there} is a file; expected a folder, or a path that does not exist yet")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"--out: no permission to write in {there}; choose another folder")


def _word(record: Mapping[str, Any]) -> str:
    """The verdict, or that the data which would decide it are not here.

    >>> _word({"verdict": "inconclusive", "decided_here": False})
    'not decided here'
    """
    return str(record["verdict"]) if record.get("decided_here", True) else "not decided here"


def _conclude(verdicts: dict[str, Any], differences: list[str], out: Path) -> int:
    """Print how many claims have which verdict, what changed and what crashed; the exit status."""
    from simspec.claims.printed import counted

    counts: dict[str, int] = {}
    for claim in verdicts["claims"]:
        word = _word(claim)
        counts[word] = counts.get(word, 0) + 1
    counts_text = ", ".join(f"{n} {word}" for word, n in counts.items())
    print(f"{counted(verdicts['claims'])}: {counts_text}; read {out / 'index.html'}")
    for line in differences:
        print(f"changed: {line}", file=sys.stderr)
    crashed = [c for c in verdicts["claims"] if c["verdict"] == "error"]
    for claim in crashed:
        print(f"simspec: error: {claim['id']}: {claim['message']}; rerun: {claim['reproduce']}", file=sys.stderr)
    return 2 if crashed else 1 if differences else 0
