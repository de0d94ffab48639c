"""What `simspec advise` does with `--middle`: a middle model between draft and target."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from simspec.cli.options import only_temperature, refuse_other_options, whole_range
from simspec.cli.output import put

__all__ = ["ROUNDS", "advise_cascade"]

ROUNDS = "1-8"
"""Passes of the middle model that are tried where none are named."""
SUBJECT = "--middle, whose models all verify by speculative decoding"


def advise_cascade(
    source: Any, args: argparse.Namespace, gammas: tuple[int, ...], declare: Callable[[argparse.ArgumentParser], None]
) -> int:
    """Find the best cascade with a middle model, then print a table or JSON."""
    from simspec.cli.progress import progress
    from simspec.tools.cascades import CascadePlan, cascade_advice
    from simspec.tools.cascades.show import json_text, print_cascade

    if source is None:
        raise ValueError(
            "--middle: needs recorded laws; expected a bank or a file, such as simspec advise BANK --middle MIDDLE-BANK "
            "--middle-cost 0.3 (simspec capture records both on the same text)"
        )
    if args.middle_cost is None:
        raise ValueError(
            "--middle-cost: missing; expected time of a pass of the middle model / time of a target step, such as "
            "--middle-cost 0.3"
        )
    taken = (
        "models",
        "bank",
        "gamma",
        "cost",
        "verify_cost",
        "temperature",
        "middle",
        "middle_cost",
        "rounds",
        "json",
        "kind",
    )
    refuse_other_options(args, declare, taken, SUBJECT)
    plan = CascadePlan(
        cost=0.1 if args.cost is None else args.cost,
        middle_cost=args.middle_cost,
        verify=args.verify_cost or 0.0,
        gammas=gammas,
        rounds=whole_range(args.rounds or ROUNDS, "--rounds", "rounds", ROUNDS),
    )
    with progress() as report_progress:
        report_progress("reading laws", 0, None)
        cascade = cascade_advice(source, args.middle, plan, only_temperature(args.temperature, SUBJECT), args.kind)
    if args.json is None or not put(json_text(cascade) + "\n", args.json):
        print_cascade(cascade)
    return 0
