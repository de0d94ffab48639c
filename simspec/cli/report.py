"""`simspec report`: the pages again, from a verdicts.json."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("verdicts", type=Path, metavar="FILE", help="a verdicts.json written by simspec verify")
    parser.add_argument("--out", type=Path, metavar="FILE", help="page to write (default: index.html beside FILE)")


def run(args: argparse.Namespace) -> int:
    """The command itself; returns its exit status."""
    from simspec.report import write, write_proofs
    from simspec.report.changes import read_verdicts

    verdicts = read_verdicts(args.verdicts)
    out = args.out or args.verdicts.with_name("index.html")
    if out.is_dir():
        raise ValueError(f"--out: {str(out)!r} is a folder; expected the path of a file, such as report/index.html")
    write(verdicts, out)
    write_proofs(verdicts, out.with_name("proofs.html"), out.name)
    print(out)
    return 0
