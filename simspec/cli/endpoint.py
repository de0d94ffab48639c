"""`simspec audit URL`: whether a running engine still serves its model."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from simspec.cli.output import put

if TYPE_CHECKING:
    from simspec.audit.endpoint.plan import Plan

__all__ = ["add_endpoint_arguments", "refuse_endpoint_arguments", "run_endpoint"]

NUMBERS = {
    "tokens": (int, "N", "sampled tokens judged at most (default 2000)"),
    "top": (int, "K", "the reference's K most likely tokens are categories of their own (default 5)"),
    "max_tokens": (int, "N", "tokens of an answer (default 16)"),
    "in_flight": (int, "N", "requests at a time (default 4)"),
    "texts": (int, "N", "greedy texts (default 8)"),
    "option_answers": (
        int,
        "N",
        "answers under each of five options, such as min-p (default 8, for penalties four times that; 0: none)",
    ),
}
"""Options that are numbers of the plan: type, what stands for the value, help."""
OTHERS = ("reference", "model", "prompts", "resume", "timeout", "patience")


def add_endpoint_arguments(p: argparse.ArgumentParser) -> None:
    """Options of the audit of an engine."""
    group = p.add_argument_group(
        "running engines",
        "with a URL in place of SAMPLER.  llama.cpp's API was run against the engine; those of vLLM, SGLang and TGI are written "
        "to their documentation and not run against the engine.  Keys are read from SIMSPEC_API_KEY and "
        "SIMSPEC_REFERENCE_API_KEY.",
    )
    group.add_argument(
        "--reference",
        metavar="URL|PATH|self",
        help="an engine that does not speculate, a model on this machine (a folder or a .gguf file), or the engine's own "
        "score of each text",
    )
    group.add_argument("--model", metavar="NAME", help="which of the server's models")
    for name, (kind, metavar, text) in NUMBERS.items():
        group.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=text)
    group.add_argument(
        "--server-defaults",
        action="store_true",
        help="leave processors and temperature as the server has them, and judge that against the pure distribution",
    )
    group.add_argument(
        "--no-books", action="store_true", help="do not judge counts and log-probabilities that are stated"
    )
    group.add_argument("--prompts", type=Path, metavar="FILE", help="a prompt a line, in place of those that ship")
    group.add_argument("--resume", type=Path, metavar="FILE", help="keep each round here, and go on with what is there")
    group.add_argument("--timeout", type=float, metavar="S", help="seconds of a request (default 60)")
    group.add_argument(
        "--patience", type=float, metavar="S", help="seconds that a busy server is waited for (default 120)"
    )


def refuse_endpoint_arguments(args: argparse.Namespace) -> None:
    """Refuse options of engines where no URL is given."""
    names = [name for name in (*NUMBERS, *OTHERS) if getattr(args, name) is not None]
    names += [name for name in ("server_defaults", "no_books") if getattr(args, name)]
    if names:
        raise ValueError(
            f"--{names[0].replace('_', '-')}: given without the URL of an engine; expected one in place of SAMPLER"
        )


def run_endpoint(args: argparse.Namespace) -> int:
    """Audit, then say what was seen: 0 the same distribution, 1 it differs or its books are wrong, 3 not decided."""
    from rich.console import Console
    from rich.progress import Progress

    from simspec.audit.endpoint.exchange import checked_url
    from simspec.audit.endpoint.opening import SELF, audit_url
    from simspec.audit.endpoint.prompts import prompts_of
    from simspec.checks import check_extra
    from simspec.cli.rates import progress

    url = checked_url(args.sampler)
    check_extra("simspec audit URL", "engine")
    if args.reference is None:
        raise ValueError(
            "--reference: missing; expected the URL of an engine that does not speculate, the path of a model, or "
            f"{SELF}: simspec audit {url} --reference {SELF}"
        )
    prompts = prompts_of(args.prompts)
    plan = _plan(args)
    with Progress(console=Console(stderr=True), transient=True) as progress_bar:
        report_progress: Callable[[str, int, int], None] = progress(progress_bar)
        report = audit_url(
            url,
            args.reference,
            plan,
            model=args.model,
            prompts=prompts,
            journal=args.resume,
            seconds=60.0 if args.timeout is None else args.timeout,
            patience=120.0 if args.patience is None else args.patience,
            progress=report_progress,
            time_limit=inf if args.time_limit is None else args.time_limit,
        )
    is_printed = False
    if args.json is not None:
        is_printed |= put(json.dumps(report.plain(), indent=1) + "\n", args.json)
    if args.junit is not None:
        is_printed |= put(report.junit(), args.junit)
    if not is_printed:
        print(report.words())
    return report.exit_status


def _plan(args: argparse.Namespace) -> Plan:
    """The plan of the options: what is not named has its default."""
    from simspec.audit.endpoint.plan import Plan, checked_plan

    names = (*NUMBERS, "within", "error")
    settings = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    return checked_plan(Plan(**settings, seed=args.seed, pure=not args.server_defaults, books=not args.no_books))
