"""`simspec bench`: which benchmarks there are; with ``--plot`` and no name, how the kernels scale."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from importlib import import_module

from simspec.cli.lazy import LazyParser

__all__ = ["WORKS", "add_arguments", "run"]

WORKS = {
    "tv": "total variation of stored logit pairs, against SciPy, PyTorch and JAX",
    "synthetic": "acceptance of synthetic pairs, drawn and used at once, against NumPy, PyTorch and JAX",
    "rounds": "rounds by token, by block, with several drafts and of trees, many replications at once, against NumPy",
    "rdk": "mass moved along an affinity over 200,000 tokens, against NumPy and PyTorch",
    "sparse": "sparse quantised laws, against PyTorch and NumPy; C-SQS threshold paths, against NumPy",
    "codec": "bits and time of the codecs of quantised draft laws, against the formula",
    "ngram": "proposals copied from the text, against transformers' prompt lookup, NumPy and dictionaries",
    "merges": "learning the merges of a tokenizer, against the trainer of the tokenizers library",
    "audit": "the audit of samplers, against SciPy's chi-square: seconds, calls needed, false alarms",
    "interval": "seconds until an interval of half-width 0.001, against NumPy, PyTorch and coins",
    "engine": "the Monte Carlo engine, against sinter.collect; and what a campaign would cost",
    "workers": "many light workers of this machine: efficiency, start, processor time of driver and workers",
    "gpu": "CUDA kernels on a GPU, against CuPy, PyTorch and the device's limits",
}
"""Modules of `benchmarks` and the summaries of their benchmarks, which can be listed without loading any."""


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command, and those of each benchmark after its name."""
    from benchmarks import scaling

    scaling.add_arguments(p)
    p.set_defaults(help=p.print_help)
    kinds = p.add_subparsers(dest="bench", metavar="WORK", parser_class=LazyParser)
    for name, summary in WORKS.items():
        kinds.add_parser(name, help=summary).declare = partial(_declare, name)


def _declare(name: str, parser: argparse.ArgumentParser) -> None:
    work = import_module(f"benchmarks.{name}").BENCH
    work.add_arguments(parser)
    parser.set_defaults(bench_run=work.run)


def run(args: argparse.Namespace) -> int:
    """Run what is asked for; 2, after the help, where nothing is."""
    from benchmarks import scaling

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
