"""`simspec bench`: says where the benchmarks are, which no installation holds."""

from __future__ import annotations

import argparse
import sys

__all__ = ["add_arguments", "run"]

WHERE = "simspec bench: the benchmarks are in the repository; run `python -m benchmarks NAME` in a clone"


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Whatever was given to the command once: a name and its options."""
    p.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Print where the benchmarks are; 2, as nothing was timed."""
    print(WHERE, file=sys.stderr)
    return 2
