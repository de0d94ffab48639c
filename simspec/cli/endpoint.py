"""`simspec audit URL`: whether a running engine still serves its model."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from simspec.cli.options import wrapped
from simspec.cli.output import put
from simspec.html.escaping import escaped
from simspec.interrupts import status_of

if TYPE_CHECKING:
    from simspec.audit.endpoint.plan import Plan

__all__ = ["ENGINES", "add_endpoint_arguments", "refuse_endpoint_options", "refuse_function_options", "run_endpoint"]

NUMBERS = {
    "tokens": (int, "N", "largest number of sampled tokens to test (default 2000)"),
    "top": (int, "K", "test the reference's K most likely tokens one by one, and all others together (default 5)"),
    "max_tokens": (int, "N", "largest number of tokens per answer (default 16)"),
    "context": (int, "N", "number of tokens of the long prompts that stand beside short ones (default 192; 0: none)"),
    "in_flight": (int, "N", "number of parallel requests (default 4)"),
    "texts": (int, "N", "number of greedy texts to compare (default 8)"),
    "option_answers": (
        int,
        "N",
        "answers under each of five options (default 8; four times as many for penalties and stop strings; 0: skip the test)",
    ),
}
"""Options that are numbers of the plan: type, what stands for the value, help."""
ENGINES = "running engines"
"""Group of the options that need the URL of an engine as SAMPLER."""
UNFINISHED = "no verdict: the audit could not be made, or was interrupted; the command's error says why"
"""What a report says from the beginning of an audit to its end."""


def add_endpoint_arguments(p: argparse.ArgumentParser) -> None:
    """Options of the audit of an engine."""
    group = p.add_argument_group(
        ENGINES,
        wrapped(
            "These options need the URL of an engine as SAMPLER.  The client for llama.cpp was tested against a running engine; "
            "the clients for vLLM, SGLang and TGI follow the documentation of these engines and were not.  API keys are read "
            "from SIMSPEC_API_KEY, SIMSPEC_REFERENCE_API_KEY and SIMSPEC_DRAFT_API_KEY."
        ),
    )
    group.add_argument(
        "--reference",
        metavar="URL|PATH|self|off",
        help="what the engine is compared with: the URL of an engine that does not speculate, a model on this machine (a folder "
        "or a .gguf file), self, the engine's own score of each text, or off, the same with drafts switched off in each request "
        "(llama.cpp)",
    )
    group.add_argument(
        "--draft",
        metavar="URL|PATH",
        help="the model that drafts for the engine, on a server or on this machine: with its distribution, faults of the "
        "verification need far fewer tokens; it does not say which tokens were accepted drafts, so that the place of a fault "
        "in a step is named only where the engine marks them (llama.cpp)",
    )
    group.add_argument("--model", metavar="NAME", help="name of the engine's model, if its server has several")
    group.add_argument(
        "--reference-model",
        metavar="NAME",
        help="name of the reference's model, if its server has several (default: --model, if it has one of that name)",
    )
    group.add_argument("--draft-model", metavar="NAME", help="name of the draft's model, if its server has several")
    for name, (kind, metavar, text) in NUMBERS.items():
        group.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=text)
    group.add_argument(
        "--server-defaults",
        action="store_true",
        help="keep the server's default temperature and filters, and compare the result with the model's own distribution",
    )
    group.add_argument(
        "--processed-logprobs",
        action="store_true",
        help="the reference is a vLLM started with --logprobs-mode processed_logprobs: answers under options are judged by the "
        "distribution that it states itself (llama.cpp and models on this machine are asked without this option)",
    )
    group.add_argument(
        "--no-books", action="store_true", help="do not check the counts and log-probabilities that the engine reports"
    )
    group.add_argument(
        "--prompts", type=Path, metavar="FILE", help="texts to continue, one a line, instead of the built-in prompts"
    )
    group.add_argument(
        "--resume", type=Path, metavar="FILE", help="store each round in this file, and continue from it"
    )
    group.add_argument(
        "--log",
        type=Path,
        metavar="FILE",
        help="log that the engine writes on this machine: its counts of drafts are compared with the responses",
    )
    group.add_argument("--timeout", type=float, metavar="S", help="time limit of a request in seconds (default 60)")
    group.add_argument(
        "--patience", type=float, metavar="S", help="how many seconds to wait for a busy server (default 120)"
    )


def refuse_endpoint_options(given: Sequence[str], sampler: str | None = None) -> None:
    """Refuse options of engines where no URL is given.

    >>> refuse_endpoint_options(["--tokens"])
    Traceback (most recent call last):
    ...
    ValueError: --tokens: given without the URL of an engine; expected one in place of SAMPLER
    """
    if given:
        from simspec.audit.endpoint.exchange import without_scheme

        url = without_scheme(sampler or "")
        cure = f": write {url}" if url else ""
        raise ValueError(f"{given[0]}: given without the URL of an engine; expected one in place of SAMPLER{cure}")


def refuse_function_options(given: Sequence[str]) -> None:
    """Refuse options of functions where a URL is given: an audit without them would seem to have heeded them.

    >>> refuse_function_options(["--calls"])
    Traceback (most recent call last):
    ...
    ValueError: --calls: is of functions, and SAMPLER is the URL of an engine; expected --tokens, or none
    """
    for option in given:
        instead = {"--calls": "--tokens, or none", "--call-timeout": "--timeout, or none"}.get(option, "none")
        raise ValueError(f"{option}: is of functions, and SAMPLER is the URL of an engine; expected {instead}")


def run_endpoint(args: argparse.Namespace) -> int:
    """Audit, then say what was seen: 0 the same distribution, 1 it differs or its books are wrong, 3 not decided."""
    from simspec.audit.endpoint.exchange import checked_url
    from simspec.audit.endpoint.opening import OFF, SELF, audit_url
    from simspec.audit.endpoint.prompts import prompts_of
    from simspec.audit.endpoint.records import UnansweredError
    from simspec.checks import check_extra
    from simspec.cli.progress import progress

    url = checked_url(args.sampler)
    check_extra("simspec audit URL", "engine")
    _begin(args, escaped(url))
    if args.reference is None:
        raise ValueError(
            "--reference: missing; expected the URL of an engine that does not speculate, the path of a model, "
            f"{OFF} (llama.cpp) or {SELF}: simspec audit {url} --reference {SELF}"
        )
    if args.server_defaults and args.option_answers:
        raise ValueError(
            f"--option-answers: {args.option_answers} with --server-defaults, under which no options are asked for; expected one "
            "of them"
        )
    prompts = prompts_of(args.prompts)
    plan = _plan(args)
    try:
        with progress() as report_progress:
            report = audit_url(
                url,
                args.reference,
                plan,
                model=args.model,
                prompts=prompts,
                journal=args.resume,
                log=args.log,
                seconds=60.0 if args.timeout is None else args.timeout,
                patience=120.0 if args.patience is None else args.patience,
                progress=report_progress,
                notice=lambda line: print(f"simspec: {line}", file=sys.stderr),
                time_limit=inf if args.within is None else args.within,
                draft=args.draft,
                reference_model=args.reference_model,
                draft_model=args.draft_model,
                processed_logprobs=args.processed_logprobs,
            )
    except UnansweredError as error:
        raise UnansweredError(f"no verdict: {error}{_stored(args.resume)}") from None
    except KeyboardInterrupt as error:  # Ctrl-C, SIGTERM or SIGHUP
        print(
            f"simspec: interrupted{_stored(args.resume) or '; --resume FILE would store each round'}", file=sys.stderr
        )
        return status_of(error)
    is_printed = False
    if args.json is not None:
        is_printed |= put(json.dumps(report.plain(), indent=1) + "\n", args.json)
    if args.junit is not None:
        is_printed |= put(report.junit(), args.junit)
    if not is_printed:
        print(report.words())
    return report.exit_status


def _stored(journal: Path | None) -> str:
    """What has been asked so far and can be gone on from; empty where it is not stored."""
    if journal is None or not journal.exists():
        return ""
    return f"; rounds so far are stored in {escaped(journal)}: the same command goes on from there"


def _begin(args: argparse.Namespace, url: str) -> None:
    """Write reports which say that there is no verdict: they stay where the audit cannot be made, in place of an older one.

    A folder that does not exist is seen here too, before anything is asked.
    """
    if args.json is not None and str(args.json) != "-":
        put(json.dumps({"verdict": None, "engine": url, "fault": UNFINISHED}, indent=1) + "\n", args.json)
    if args.junit is not None and str(args.junit) != "-":
        from simspec.audit.junit import Case, Suite, document

        put(document([Suite(url, [Case("the audit", "error", UNFINISHED)])]), args.junit)


def _plan(args: argparse.Namespace) -> Plan:
    """The plan of the options: what is not named has its default."""
    from simspec.audit.endpoint.plan import Plan, checked_plan

    names = (*NUMBERS, "tv_limit", "error")
    settings = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    return checked_plan(Plan(**settings, seed=args.seed, pure=not args.server_defaults, books=not args.no_books))
