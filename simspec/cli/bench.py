"""`simspec bench`: which benchmarks there are; with ``--plot`` and no name, how the kernels scale."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simspec.bench.cases import Bench

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command, and those of each benchmark after its name."""
    from simspec.bench import scaling

    scaling.add_arguments(p)
    p.set_defaults(help=p.print_help)
    kinds = p.add_subparsers(dest="bench", metavar="WORK")
    for work in _works():
        kind = kinds.add_parser(work.name, help=work.summary)
        work.add_arguments(kind)
        kind.set_defaults(bench_run=work.run)


def _works() -> list[Bench]:
    from simspec.bench import codec, engine, gpu, merges, ngram, rdk, rounds, sparse, synthetic, tv

    return [work.BENCH for work in (tv, synthetic, rounds, rdk, sparse, codec, ngram, merges, engine, gpu)]


def run(args: argparse.Namespace) -> int:
    """Run what is asked for; 2, after the help, where nothing is."""
    from simspec.bench import scaling

    before = scaling.given(args)
    if args.bench is not None:
        if before:
            raise ValueError(f"{before[0]}: stands before {args.bench}; expected after it, or --plot without a WORK")
        return args.bench_run(args)
    if "--plot" in before:
        return scaling.run(args)
    if before:
        raise ValueError(f"{before[0]}: expected with --plot, or after a WORK")
    args.help(sys.stderr)
    return 2
