"""`python -m benchmarks NAME`: time simspec beside its peers; with ``--plot`` and no name, show how the kernels scale.

Run it from the root of a clone: benchmarks are not part of an installation.  Options of a benchmark are declared when its
name is given, so that listing the names loads none of them.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from simspec.checks import EXTRAS, missing
from simspec.cli.lazy import LazyParser
from simspec.interrupts import heard, status_of

__all__ = ["SUMMARIES", "main", "parser"]

SUMMARIES = {
    "tv": "total variation of stored logit pairs, against SciPy, PyTorch and JAX",
    "synthetic": "acceptance of synthetic pairs, drawn and used at once, against NumPy, PyTorch and JAX",
    "rounds": "rounds by token, by block, with several drafts and of trees, many replications at once, against NumPy",
    "rdk": "mass moved along an affinity over 200,000 tokens, against NumPy and PyTorch",
    "sparse": "sparse quantised laws, against PyTorch and NumPy; C-SQS threshold paths, against NumPy",
    "codec": "bits and time of the codecs of quantised draft laws, against the formula",
    "ngram": "proposals copied from the text, against transformers' prompt lookup, NumPy and dictionaries",
    "merges": "learning the merges of a tokenizer, against the trainer of the tokenizers library",
    "audit": "the audit of samplers, against SciPy's chi-square: seconds, calls needed, false alarms",
    "served": "the audit of a server: tokens until a fault is found, against chi-squared and yes/no questions",
    "interval": "seconds until an interval of half-width 0.001, against NumPy, PyTorch and coins",
    "real": "rates, advise and trees on vocabularies of real models; capture, verify and pair on SmolLM2",
    "engine": "the Monte Carlo engine, against sinter.collect; and what a campaign would cost",
    "workers": "many light workers of this machine: efficiency, start, processor time of driver and workers",
    "gpu": "CUDA kernels on a GPU, against CuPy, PyTorch and the device's limits",
}
"""Names of the benchmarks, each a module of this package with its `BENCH`, and what they measure."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a benchmark; the exit status is 0, 1 where a result is wrong, or 2 for bad input or a missing library."""
    arguments = parser().parse_args(argv)
    try:
        with heard():
            return run(arguments)
    except BrokenPipeError:  # the reader of the output has closed it
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - until the process ends
        return 0
    except (ValueError, OSError) as error:
        print(f"benchmarks: error: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in EXTRAS:
            raise
        print(f"benchmarks: error: {missing(f'python -m benchmarks {arguments.name}', error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:
        print("benchmarks: interrupted; files of earlier runs are unchanged", file=sys.stderr)
        return status_of(error)


def parser() -> LazyParser:
    """The parser of all benchmarks.

    >>> parser().parse_args([]).name is None
    True
    """
    whole = LazyParser(
        prog="python -m benchmarks",
        description="Validates simspec and its peers, then times them side by side.",
        epilog="examples: python -m benchmarks tv --json tv.json\n          python -m benchmarks --plot scaling.svg",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.declare = _declare_all_names
    return whole


def _declare_all_names(parser: argparse.ArgumentParser) -> None:
    """The options of the scaling curves, and the names of the benchmarks."""
    from benchmarks import scaling

    scaling.add_arguments(parser)
    parser.set_defaults(print_help=parser.print_help)
    names = parser.add_subparsers(dest="name", metavar="NAME", parser_class=LazyParser)
    for name, summary in SUMMARIES.items():
        names.add_parser(name, help=summary).declare = partial(_declare, name)


def _declare(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of one benchmark."""
    bench = import_module(f"benchmarks.{name}").BENCH
    bench.add_arguments(parser)
    parser.set_defaults(run=bench.run)


def run(arguments: argparse.Namespace) -> int:
    """Run the benchmark, or draw how the kernels scale; without either print the help and return 2."""
    from benchmarks import scaling

    options = scaling.given(arguments)
    if arguments.name is not None:
        if options:
            raise ValueError(
                f"{options[0]}: stands before {arguments.name}; expected after it, or --plot without a NAME"
            )
        return arguments.run(arguments)
    if "--plot" in options:
        return scaling.run(arguments)
    if options:
        raise ValueError(f"{options[0]}: expected with --plot, or after a NAME")
    arguments.print_help(sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
