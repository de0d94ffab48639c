"""The `simspec` command: verify, claims, rates, texts, capture, study, report, bench."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simspec import __version__

__all__ = ["main"]

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


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status (0 as recorded, 1 a verdict changed, 2 bad input or a crash)."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters still gets the rest
    parser = _parser()
    args = parser.parse_args(argv)
    try:
        return args.run(args)
    except BrokenPipeError:  # whoever read the output has closed it: nothing is left to say
        sys.stdout = open(os.devnull, "w")
        return 0
    except (ValueError, OSError) as error:
        print(f"simspec: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("simspec: interrupted; files of earlier runs are unchanged", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="simspec",
        description="Puts the theory of speculative decoding to the test.",
        epilog="example: simspec verify sd rdk.tli-vs-none --effort quick",
    )
    parser.add_argument("--version", action="version", version=f"simspec {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_verify(commands)
    _add_claims(commands)
    _add_modules(commands)
    _add_study(commands)
    _add_report(commands)
    _add_bench(commands)
    return parser


def _command(commands: Any, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example: {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _some(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("empty; expected a path")
    return text


# --- verify ---------------------------------------------------------------------------------------------------------


def _add_verify(commands: Any) -> None:
    p = _command(
        commands,
        "verify",
        "decide claims and write report/verdicts.json and report/index.html",
        "simspec verify rdk --effort quick --out report\n\n"
        "exit status: 0 every verdict is as recorded; 1 a verdict changed; 2 bad usage, bad input or a crashed check",
    )
    p.add_argument("ids", nargs="*", metavar="ID", help="claim ids or prefixes such as rdk (default: all claims)")
    p.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="what kind of arrays are made (default cpu)")
    p.add_argument("--bank", metavar="PATH", type=_some, help="a bank of your own logits in place of the shipped pair")
    p.add_argument("--effort", choices=("quick", "default", "deep"), default="default", help="how hard to try")
    p.add_argument("--seed", type=int, default=0, metavar="N", help="seed of every random draw (default 0)")
    p.add_argument("--out", type=Path, default=Path("report"), metavar="DIR", help="where to write (default report/)")
    p.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="processes (default: one, for many claims one a core, at most two: each takes up to 1.4 GiB)",
    )
    p.set_defaults(run=_verify)


def _verify(args: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from simspec.claims import find
    from simspec.claims.verify import changed, verify, write_json
    from simspec.report import write, write_proofs

    if args.device == "gpu":
        raise ValueError("--device gpu: this version has kernels for the CPU only; leave the option out")
    _check_out(args.out)
    total = len(find(args.ids))
    workers = args.workers if args.workers is not None else _processes(total)
    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        proofs = _proofs(args.ids, workers, progress) if args.effort == "deep" else None
        task = progress.add_task("deciding claims", total=total)

        def show(record: dict[str, Any]) -> None:
            word = record["verdict"]
            line = f"[{WORDS[word]}]{word:<12}[/] {record['id']:<42} {record['seconds']:6.2f} s"
            progress.console.print(line + (f"  {record['message']}" if record["message"] else ""), soft_wrap=True)
            progress.advance(task)

        verdicts = verify(
            *args.ids,
            bank=args.bank,
            effort=args.effort,
            seed=args.seed,
            device=args.device,
            workers=workers,
            proofs=proofs,
            on_claim=show,
        )
    write_json(verdicts, args.out / "verdicts.json")
    write(verdicts, args.out / "index.html")
    write_proofs(verdicts, args.out / "proofs.html")
    return _conclude(verdicts, changed(verdicts), args.out)


def _proofs(ids: Sequence[str], workers: int, progress: Any) -> dict[str, list[dict[str, Any]]] | None:
    """Every proof of these claims, checked now; None, with a line that says so, where the solvers are not installed."""
    try:
        from proofs_check.check import checked_now, number
    except ImportError as error:
        progress.console.print(f"proofs: not checked again ({error.name} is missing; pip install 'simspec[proofs]')")
        return None
    task = progress.add_task("checking proofs", total=number(ids, deep=True))

    def fails(name: str, reason: str) -> None:
        progress.console.print(f"[red]not proved[/]   {name}: {reason}", soft_wrap=True)

    found = checked_now(ids, workers, lambda name: progress.advance(task), fails)
    progress.remove_task(task)
    return found


def _processes(claims: int) -> int:
    """One process a core for many claims, at most two for their memory: starting one costs as much as ten claims."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, 2) if claims >= MANY else 1


def _check_out(out: Path) -> None:
    """Refuse a place that cannot be written before anything is computed."""
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


# --- claims ---------------------------------------------------------------------------------------------------------


def _add_claims(commands: Any) -> None:
    p = _command(commands, "claims", "list the claims, or show some of them in full", "simspec claims rdk.never-worse")
    p.add_argument("ids", nargs="*", metavar="ID", help="ids or prefixes to show in full (default: a list of all)")
    p.add_argument("--json", action="store_true", help="print JSON")
    p.set_defaults(run=_claims)


def _claims(args: argparse.Namespace) -> int:
    from simspec.claims import find
    from simspec.claims.verify import expected

    recorded = expected()["verdicts"]
    rows = [
        {
            "id": c.name,
            "kind": c.kind,
            "verdict": recorded.get(c.name),
            "source": c.reference,
            "statement": c.statement,
            "assumes": list(c.assumes),
            "corrected_by": list(c.corrected_by),
            "note": c.note,
        }
        for c in find(args.ids)
    ]
    if args.json:
        print(json.dumps(rows, indent=1, ensure_ascii=False))
    elif args.ids:
        for row in rows:
            print(f"{row['id']}  ({row['kind']}, {row['source']})")
            print(f"  {row['statement']}")
            for name, value in (("recorded verdict", row["verdict"]), ("why", row["note"])):
                if value:
                    print(f"  {name}: {value}")
            for name in ("assumes", "corrected_by"):
                if row[name]:
                    print(f"  {name.replace('_', ' ')}: {'; '.join(row[name])}")
            print()
    else:
        for row in rows:
            print(f"{row['verdict'] or 'not recorded':<14}{row['kind']:<13}{row['id']}")
    return 0


# --- rates, texts, capture, study, report, bench --------------------------------------------------------------------


def _add_module(commands: Any, module: Any, name: str, summary: str, example: str) -> None:
    """A command whose arguments and work are a module's."""
    p = _command(commands, name, summary, example)
    module.add_arguments(p)
    p.set_defaults(run=module.run)


def _add_modules(commands: Any) -> None:
    from simspec import rates_cli, texts_cli
    from simspec.logits import capture

    _add_module(
        commands,
        rates_cli,
        "rates",
        "measure what rules gain and cost on your own laws or logits",
        "simspec rates logits.npz --rule ears:0.1 --rule lenience:0.8 --gamma 5",
    )
    _add_module(
        commands,
        texts_cli,
        "texts",
        "tell how repetitive a task is, and what n-gram drafts and new tokens would save",
        "simspec texts pairs.jsonl --input question --output answer",
    )
    _add_module(
        commands,
        capture,
        "capture",
        "record the logits of your own models into a bank",
        "simspec capture --target gpt2 --draft distilgpt2 --text book.txt --contexts 300 -o gpt2.safetensors",
    )


def _add_study(commands: Any) -> None:
    from simspec import study_cli

    p = _command(
        commands,
        "study",
        "run Monte Carlo studies, resume them, and read their results",
        "simspec study run acceptance",
    )
    study_cli.add_commands(p.add_subparsers(dest="study_command", required=True, metavar="COMMAND"), _command)


def _add_report(commands: Any) -> None:
    p = _command(
        commands, "report", "make index.html again from a verdicts.json", "simspec report report/verdicts.json"
    )
    p.add_argument("verdicts", type=Path, metavar="FILE", help="a verdicts.json that simspec verify wrote")
    p.add_argument("--out", type=Path, metavar="FILE", help="the page (default: index.html beside it)")
    p.set_defaults(run=_report)


def _report(args: argparse.Namespace) -> int:
    from simspec.report import write, write_proofs

    try:
        verdicts = json.loads(args.verdicts.read_text(encoding="utf-8"))
        verdicts["claims"]
    except (json.JSONDecodeError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise ValueError(f"{args.verdicts}: not a verdicts.json ({error}); make one with simspec verify") from None
    out = args.out or args.verdicts.with_name("index.html")
    write(verdicts, out)
    write_proofs(verdicts, out.with_name("proofs.html"), out.name)
    print(out)
    return 0


def _add_bench(commands: Any) -> None:
    from simspec import bench_cli

    p = _command(
        commands,
        "bench",
        "validate, then time simspec against its peers; or draw how its kernels scale",
        "simspec bench tv --json tv.json\n         simspec bench --plot scaling.svg",
    )
    bench_cli.add_arguments(p)
    p.set_defaults(run=lambda args: bench_cli.run(args, p))


if __name__ == "__main__":
    raise SystemExit(main())
