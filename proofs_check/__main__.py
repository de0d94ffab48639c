"""``python -m proofs_check``: check the proofs, write the record that `simspec verify` reads, and the pages in docs/proofs."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simspec import guarding
from simspec.checks import check_extra, missing
from simspec.loading import ended

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 every proof checks; 1 one does not, or the record differs (``--dry``); 2 bad usage or bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m proofs_check",
        description="Checks every machine-readable proof and writes simspec/claims/proofs.json, and in docs/proofs the SMT "
        "certificates and a page for each paper; of a file of your own, the record beside it.",
        epilog="example: python -m proofs_check rdk.non-expansive --show; python -m proofs_check mine_proof.py",
    )
    ids_help = (
        "claim ids or prefixes such as rdk (default: all), or a file with proofs of your own claims, kept beside it"
    )
    parser.add_argument("ids", nargs="*", metavar="ID|FILE.py", help=ids_help)
    parser.add_argument(
        "--effort",
        choices=("default", "deep"),
        default="default",
        help="deep: slow proofs too, and cvc5 as second opinion; with --coq, steps that were admitted are tried again",
    )
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes (default 2)")
    parser.add_argument("--dry", action="store_true", help="write nothing; compare with the record")
    parser.add_argument(
        "--coq",
        action="store_true",
        help="have Coq check each derivation too, also of a file of your own, and record what it says",
    )
    parser.add_argument(
        "--carry",
        action="store_true",
        help="with --coq, run no Coq: its answers stay where the script that it read is byte for byte the same, and are "
        "recorded as of the proofs as they stand now",
    )
    parser.add_argument("--show", action="store_true", help="print the steps of each proof")
    args = parser.parse_args(argv)
    guarding.begin()
    try:
        with guarding.staying():
            return _work(args)
    except (SystemExit, GeneratorExit) as error:  # whoever raises one here is code of a user's
        print(f"python -m proofs_check: error: {ended('it', error)}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(f"python -m proofs_check: error: {missing('checking', error)}", file=sys.stderr)
        return 2
    except (ValueError, OSError) as error:
        print(f"python -m proofs_check: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        is_kept = (
            args.coq and not args.dry and not _has_files(args)
        )  # the record of a file is written once all is answered
        state = "what Coq has answered is kept" if is_kept else "the record is unchanged"
        print(f"python -m proofs_check: interrupted; {state}", file=sys.stderr)
        return 130


def _work(args: argparse.Namespace) -> int:
    try:
        if _has_files(args):
            return _outside(args)
        if args.carry and not args.coq:
            raise ValueError("--carry: expected beside --coq")
        if args.carry:
            return _carry(args)
        return _coq(args) if args.coq else _run(args)
    finally:
        guarding.check_guarded()


def _has_files(args: argparse.Namespace) -> bool:
    return any(name.endswith(".py") for name in args.ids)


def _run(args: argparse.Namespace) -> int:
    """Check the chosen proofs and write the record and the pages; return the exit status."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from proofs_check.checking.check import CERTIFICATES, checked, differences, merged, number, recorded, save
    from proofs_check.checking.paper import paper
    from simspec.claims import registry
    from simspec.claims.printed import counted
    from simspec.files import write_text

    deep = args.effort == "deep"
    if args.workers < 1:
        raise ValueError(f"--workers: {args.workers}; expected at least one process")
    if not args.dry and not CERTIFICATES.parent.is_dir():
        raise ValueError(
            f"no folder {CERTIFICATES.parent}: records are written in a clone of the repository; use --dry"
        )
    total = number(args.ids, deep)
    start = time.perf_counter()
    failures: list[str] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True, highlight=False), transient=True) as progress:
        task = progress.add_task("checking proofs", total=total)
        checked_entries = checked(
            args.ids,
            deep,
            args.workers,
            on_proof=lambda name: progress.advance(task),
            on_failure=lambda name, reason: failures.append(reason),
        )
    for reason in failures:
        print(f"not proved: {reason}", file=sys.stderr)
    old = recorded()
    record = merged(checked_entries, old, everything=not args.ids and not failures)
    if args.show:
        for name, entries in checked_entries.items():
            _show(name, [entry for entry, _ in entries])
    of_all = f" of {total}" if failures else ""
    claims = counted(registry()[name] for name in checked_entries)
    summary = f"{total - len(failures)}{of_all} proofs of {claims} checked in {time.perf_counter() - start:.0f} s"
    if args.dry:
        lines = differences(checked_entries, old)
        for line in lines:
            print(line, file=sys.stderr)
        print(f"{summary}; {len(lines) or 'no'} difference(s) from the record")
        return int(bool(lines or failures))
    save(record, checked_entries, everything=not args.ids and not failures)
    for path, text in paper(record).items():
        write_text(text, path)
    print(f"{summary}; recorded")
    return int(bool(failures))


def _coq(args: argparse.Namespace) -> int:
    """Every derivation written out for Coq and checked there; 1 where one differs from the record (``--dry``)."""
    check_extra("checking with Coq", "proofs", "measure")
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from proofs_check.checking.check import recorded
    from proofs_check.checking.paper import paper
    from proofs_check.coq.algorithm.record import accepted
    from proofs_check.coq.check import RECORD, checked, merged, number, save, version
    from simspec.claims.deciding.in_coq import coq_record, sentence
    from simspec.files import write_text

    coq = version()
    answers = []
    differ = 0
    before = {(e["file"], e["place"]): e for e in coq_record(fresh=True)["derivations"]}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True, highlight=False), transient=True) as progress:
        task = progress.add_task("asking Coq", total=number(args.ids))
        previous = [e for e in before.values() if e.get("whole") or args.effort != "deep"]
        for e in checked(args.ids, args.workers, () if args.dry else previous, [*before.values()]):
            answers.append(e)
            is_other = e != before.get((e["file"], e["place"]))
            differ += is_other
            progress.advance(task)
            ending = "; on record is another answer" if args.dry and is_other else ""
            print(f"{e['claim']}: {sentence({'coq': {'coq': coq, **e}})}{ending}", flush=True)
            if not args.dry:  # kept as it comes: an interrupted run goes on where it was
                save(merged(answers, coq_record(fresh=True)))
    if not args.ids and not args.dry:
        save(merged(answers, coq_record(fresh=True), theorems=accepted()))
    if not args.dry:  # the pages of proofs say what Coq says
        coq_record(fresh=True)
        for path, text in paper(recorded()).items():
            write_text(text, path)
    steps, admitted = (
        sum(f(e) for e in answers) for f in (lambda e: e.get("steps", 0), lambda e: len(e.get("admitted", ())))
    )
    complete = sum(bool(e.get("whole")) for e in answers)
    print(
        f"{len(answers)} derivations, {complete} that Coq accepts whole; {steps} steps written out, "
        f"{admitted} of them axioms in the Coq scripts"
    )
    print(f"{differ} difference(s) from the record" if args.dry else f"recorded in {RECORD.name}")
    return int(bool(args.dry and differ))


def _carry(args: argparse.Namespace) -> int:
    """Coq's answers recorded for the proofs as they stand; 1 where Coq has not read a derivation's text."""
    check_extra("writing scripts for Coq", "proofs", "measure")
    from proofs_check.coq.check import carried, merged, save
    from simspec.claims.deciding.in_coq import coq_record

    record = coq_record(fresh=True)
    entries: list[dict[str, Any]] = []
    unread: list[str] = []
    for number, (name, entry) in enumerate(carried(args.ids, record, args.workers), 1):
        if entry is None:
            unread.append(name)
        else:
            entries.append(entry)
        if number % 50 == 0:
            print(f"{number} derivations written out", file=sys.stderr, flush=True)
    if not args.dry:
        save(merged(entries, record, record["coq"]))
    for name in unread:
        print(f"{name}: Coq has not read this script; run python -m proofs_check --coq {name}", file=sys.stderr)
    print(f"{len(entries)} answers of Coq {record['coq']} are about these scripts, {len(unread)} are not")
    return int(bool(unread))


def _show(name: str, entries: Sequence[dict[str, Any]]) -> None:
    for entry in entries:
        print(f"\n{name} ({entry['kind']}; {entry['scope']})")
        for text, how, latex in entry.get("steps", []):
            print(f"  {text} [{how}]\n      {latex}")


def _outside(args: argparse.Namespace) -> int:
    """Files of the user's: each is checked as a shipped proof is, and its record kept beside it."""
    from proofs_check.checking.outside import recorded_outside, write_record
    from proofs_check.rules.derivation import Unproved

    if args.carry:
        raise ValueError(
            "--carry: beside a file; expected ids of claims that ship, or --coq alone, which asks Coq again"
        )
    if args.coq:
        check_extra("checking with Coq", "proofs", "measure")
        from proofs_check.coq.check import version

        version()  # an error before anything is checked, where there is no Coq
    if claim_ids := [name for name in args.ids if not name.endswith(".py")]:
        raise ValueError(f"ID: {claim_ids[0]!r} beside a file; expected ids alone, or files alone")
    for file in map(Path, args.ids):
        start = time.perf_counter()
        try:
            record = recorded_outside(file, lambda name: print(f"checked: {name}", file=sys.stderr))
            if args.coq:
                record = _with_coq(record, file)
        except Unproved as error:
            print(f"not proved: {error}", file=sys.stderr)
            return 1
        guarding.check_guarded()  # before anything is written
        for name, entries in record["proofs"].items() if args.show else ():
            _show(name, entries)
        destination = "nothing written" if args.dry else f"recorded in {write_record(record, file)}"
        number = sum(map(len, record["proofs"].values()))
        print(
            f"{number} {'proof' if number == 1 else 'proofs'} of {file} "
            f"checked in {time.perf_counter() - start:.0f} s; {destination}"
        )
    return 0


def _with_coq(record: dict[str, Any], file: Path) -> dict[str, Any]:
    """The record of a file of the user's with Coq's answers, each of which is printed."""
    from proofs_check.coq.outside import with_answers
    from simspec.claims.deciding.in_coq import sentence

    def show(name: str, answer: dict[str, Any]) -> None:
        print(f"{name}: {sentence({'coq': answer})}", flush=True)

    return with_answers(record, file, show)


if __name__ == "__main__":
    raise SystemExit(main())
