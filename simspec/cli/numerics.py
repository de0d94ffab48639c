"""`simspec numerics`: whether two arrays of logits differ by rounding."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from simspec.cli.output import put

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument("first", type=Path, metavar="A.npy", help="logits (..., vocab) of a model")
    p.add_argument("second", type=Path, metavar="B.npy", help="logits of the same prefixes, computed in another way")
    p.add_argument(
        "--temperature", type=float, default=1.0, metavar="T", help="temperature of the distributions (default 1)"
    )
    p.add_argument(
        "--rounding",
        type=float,
        metavar="EPS",
        help="largest difference that rounding explains, measured by running one model with two batch shapes; a row with a "
        "larger difference is a fault",
    )
    p.add_argument("--json", type=Path, metavar="FILE", help="write all numbers as JSON (- prints them)")


def run(args: argparse.Namespace) -> int:
    """Compare, and say how far apart; 1 where rows differ by more than the stated rounding."""
    from simspec.tools.numerics import numerics, read_logits

    result = numerics(read_logits(args.first), read_logits(args.second), args.temperature, args.rounding)
    is_printed = args.json is not None and put(json.dumps(result.plain(), indent=1) + "\n", args.json)
    if not is_printed:
        print(result.words())
    return 1 if result.verdict == "fault" else 0
