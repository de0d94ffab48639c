"""`simspec audit`: whether somebody's sampler still emits the target's law."""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simspec.cli.endpoint import (
    ENGINES,
    add_endpoint_arguments,
    refuse_endpoint_options,
    refuse_function_options,
    run_endpoint,
)
from simspec.cli.lazy import LazyParser
from simspec.cli.models import add_model_arguments
from simspec.cli.options import given_options
from simspec.cli.output import check_place, put

if TYPE_CHECKING:
    from simspec.audit.adapters.judging import Asked, Subject
    from simspec.audit.pairs import Pair
    from simspec.audit.report import Report

__all__ = ["add_arguments", "run"]

FUNCTIONS = "functions"
"""Group of the options that need a function as SAMPLER."""
MOMENT = 1e-3
"""Seconds that an audit has at least: it then says that it had no time."""


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    if isinstance(p, LazyParser):
        p.renamed["--seconds"] = (
            "--call-timeout S for one call of a function, --timeout S for a request, --within S for all"
        )
    p.add_argument(
        "sampler",
        nargs="?",
        metavar="SAMPLER",
        help=(
            "FILE.py:NAME or module:NAME of a function (p, q, n, rng) -> tokens of shape (n, gamma + 1), "
            "a name from --list (rrs:2), or the URL of a running engine"
        ),
    )
    p.add_argument(
        "--tv-limit",
        type=float,
        metavar="TV",
        help="largest TV that counts as lossless (default 0.05; known samplers: 0.08; engines and large vocabularies: 0.1)",
    )
    p.add_argument(
        "--error",
        type=float,
        metavar="P",
        help="probability of a false alarm, valid at any stopping time (default 1e-6; engines: 0.01)",
    )
    p.add_argument(
        "--within",
        type=float,
        metavar="S",
        help="seconds of the whole audit; then the verdict is on what was tried (default: no limit)",
    )
    p.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all random numbers (default 0)")
    p.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help=(
            "write the report as JSON (- prints it), with the verdict's sentence and, of --exact, what it may have overlooked; "
            "until the audit ends, the file says that there is no verdict"
        ),
    )
    p.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML for CI systems (- prints it)")
    group = p.add_argument_group(FUNCTIONS, "These options need a function, or a name from --list, as SAMPLER.")
    group.add_argument(
        "--list",
        action="store_true",
        help="list known samplers and calling conventions with installed versions, and exit",
    )
    group.add_argument(
        "--form",
        metavar="FORM",
        help=(
            "calling convention of the function (see --list), such as step: a whole step that draws its drafts from the uniforms "
            "that it is passed, or state: a sampler that remembers over several steps"
        ),
    )
    group.add_argument(
        "--processor",
        metavar="NAME",
        help=(
            "what the sampler does to target rows before it verifies: temperature:T, top-k:K, top-p:P, min-p:P, presence:A, "
            "frequency:A, repetition:R, several with + between them, or FILE.py:NAME of a function (rows (n, V), prefix (n, t)) "
            "-> weights (n, V); the sampler gets raw rows and is judged by the processed ones: simspec audit my.py:verify "
            "--form numpy --processor top-k:2+presence:0.5"
        ),
    )
    _add_exact(group)
    group.add_argument(
        "--gamma",
        type=int,
        default=2,
        metavar="N",
        help="largest number of draft tokens per call; smaller numbers are tested too (default 2)",
    )
    group.add_argument(
        "--vocab",
        type=int,
        default=3,
        metavar="V",
        help=(
            "vocabulary size; smaller ones are tested too (default 3); --exact also tests 3 and 5 tokens, "
            "because 2 tokens cannot show a rejected draft with 0 < p/q < 1 together with a recovery token "
            "with r/q < 1; more than 52, up to 256000: rows of that size in which few ids have mass (the first, the last, "
            "those around 1024, 8192, 32768 and 65536)"
        ),
    )
    group.add_argument(
        "--calls",
        type=_number_or_auto,
        metavar="N",
        help=(
            "largest number of calls per pair of distributions (default 50000; fewer for known samplers and large vocabularies); "
            "auto: continue until decided, up to 4 million calls per pair"
        ),
    )
    group.add_argument(
        "--max-tv",
        type=float,
        default=0.0,
        metavar="TV",
        help="declared bias; a TV up to this is reported as lossy, not biased (default 0)",
    )
    group.add_argument(
        "--call-timeout",
        type=float,
        metavar="S",
        help="seconds of one call of the function; a longer call counts as broken (default 60; known samplers: 600)",
    )
    group.add_argument(
        "--no-edges",
        action="store_true",
        help=(
            "skip gamma = 0, gamma = 1, a vocabulary of one token and, with --exact, pairs with more tokens "
            "than --vocab"
        ),
    )
    group.add_argument(
        "--pair",
        nargs=2,
        action="append",
        metavar=("P", "Q"),
        help=(
            "your own distributions instead of the built-in ones; P has one row more than Q: --pair '1/4 "
            "3/4, 1 0' '1/2 1/2'; may be repeated"
        ),
    )
    group.add_argument(
        "--bank",
        metavar="BANK",
        help=(
            "distributions of a logit bank (wiki, stories, FILE) or of an .npz or .safetensors file with p and q, or target "
            "and draft; p (N + 1, V) and q (N, V) are one pair, otherwise consecutive rows form pairs"
        ),
    )
    group.add_argument(
        "--rows", type=int, default=8, metavar="N", help="with --bank: number of places in the bank to test (default 8)"
    )
    group.add_argument(
        "--models",
        nargs=2,
        metavar=("TARGET", "DRAFT"),
        help="distributions of two models, as for simspec capture, instead of the built-in ones; needs --text or --chat",
    )
    add_model_arguments(group, "--models")
    group.add_argument(
        "--markdown", type=Path, metavar="FILE", help="append the report as Markdown, for a job summary (- prints it)"
    )
    add_endpoint_arguments(p)


def _number_or_auto(text: str) -> int | str:
    """A number of calls, or "auto"."""
    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a number of calls, or auto") from None


def _add_exact(group: argparse._ArgumentGroup) -> None:
    """Arguments of the exact law, and of laws by prefix."""
    group.add_argument(
        "--exact",
        action="store_true",
        help=(
            "compute the exact output distribution; the function takes (p, q, drafts, uniforms) and returns "
            "tokens, or --form names a convention with uniforms"
        ),
    )
    group.add_argument(
        "--uniforms", type=int, metavar="N", help="with --exact: number of uniforms per call (default 2 gamma + 1)"
    )
    group.add_argument(
        "--drafts",
        metavar="TREE",
        help=(
            "with --exact: drafts (n, K, gamma) are the paths of a tree with K siblings per node: top:K "
            "takes the most likely tokens, siblings:K draws without replacement, repeats:K draws with "
            "replacement; without --exact: how the sampler drafts, used for the cost of a repair"
        ),
    )
    group.add_argument(
        "--grid",
        type=int,
        default=0,
        metavar="BITS",
        help="with --exact: uniforms are multiples of 2^-BITS (24 in float32)",
    )
    group.add_argument(
        "--ragged",
        action="store_true",
        help="with --exact: also test batches whose rows have different numbers of draft tokens",
    )
    group.add_argument(
        "--prefixes",
        action="store_true",
        help=(
            "also test distributions that depend on the drafted prefix; the sampler takes p[i][prefix], one "
            "array per level of a tree"
        ),
    )


def run(args: argparse.Namespace) -> int:
    """Audit, then say what was found; 0 lossless or lossy as declared, 1 biased, dependent or broken, 3 not decided."""
    from simspec.audit.endpoint.exchange import is_url
    from simspec.audit.exits import exits_raise
    from simspec.checks import check_extra

    if args.within is not None and not args.within >= 1:
        raise ValueError(f"--within: {args.within}; expected seconds, one or more; the largest TV is --tv-limit")
    words = args.given[args.given.index(args.command) + 1 :]
    printed = [option for option in ("json", "junit", "markdown") if str(getattr(args, option)) == "-"]
    if len(printed) > 1:
        raise ValueError(f"--{printed[0]} -, --{printed[1]} -: both are printed; expected a file for one of them")
    for option in ("json", "junit", "markdown"):
        check_place(f"--{option}", getattr(args, option))
    if args.sampler is not None and is_url(args.sampler):
        refuse_function_options(given_options(add_arguments, words, FUNCTIONS))
        return run_endpoint(args)
    refuse_endpoint_options(given_options(add_arguments, words, ENGINES), args.sampler)
    if args.list:
        _list()
        return 0
    if args.sampler is None:
        raise ValueError("SAMPLER: missing; expected FILE.py:NAME, module:NAME or a name (`simspec audit --list`)")
    request = _asked(args)
    check_extra("simspec audit", "measure")
    with exits_raise(everywhere=True):
        return _run(args, request)


def _run(args: argparse.Namespace, request: Asked) -> int:
    """Audit each subject in the time that there is, and print or write the reports."""
    from simspec.audit.adapters.judging import subjects

    _begin(args)
    audit_subjects = subjects(args.sampler, args.form, args.exact)
    end = time.monotonic() + request.more.get("time_limit", math.inf)
    reports = {}
    for number, subject in enumerate(audit_subjects):
        # what is left of the time is shared among the subjects that are left
        share = max(end - time.monotonic(), MOMENT) / (len(audit_subjects) - number)
        timed_request = request._replace(more={**request.more, "time_limit": share})
        reports[_label(subject)] = _judged(subject, timed_request)
    if not _written(reports, args):
        for name, report in reports.items():
            print(f"{name}: {report.words()}")
    # where time ended an audit, calls are not what it lacked
    if needed := [report.needed for report in reports.values() if report.needed is not None and report.stopped is None]:
        print(f"simspec: to decide it, run: {_with_calls(args.given, max(needed))}", file=sys.stderr)
    return min((report.exit_status for report in reports.values()), key=[1, 3, 0].index)


def _with_calls(arguments: Sequence[str], calls: int) -> str:
    """The command with another number of calls, to paste.

    >>> _with_calls(["audit", "my file.py:sampler", "--calls", "500", "--gamma=4"], 9000)
    "simspec audit 'my file.py:sampler' --gamma=4 --calls 9000"
    """
    words = [*arguments]
    while "--calls" in words:
        place = words.index("--calls")
        del words[place : place + 2]
    words = [word for word in words if not word.startswith("--calls=")]
    return shlex.join(["simspec", *words, "--calls", str(calls)])


def _asked(args: argparse.Namespace) -> Asked:
    """Check the options that depend on each other and return the request of `simspec audit`."""
    from simspec.audit.adapters.judging import Asked

    if args.seed < 0:
        raise ValueError(f"--seed: {args.seed}; expected an integer of at least 0")
    if args.uniforms is not None and (args.uniforms < 1 or not args.exact):
        raise ValueError(f"--uniforms: {args.uniforms}; expected a positive number of uniforms, together with --exact")
    if (args.grid or args.ragged) and not args.exact:
        raise ValueError("--grid, --ragged: work only with --exact; add --exact")
    # passed on by name, together with what is known of the subject
    extra_settings: dict[str, Any] = {
        name: getattr(args, name) for name in ("seed", "max_tv", "grid", "ragged", "prefixes")
    }
    if args.call_timeout is not None:
        extra_settings["call_timeout"] = args.call_timeout
    if args.within is not None:
        extra_settings["time_limit"] = args.within
    return Asked(
        gamma=args.gamma,
        vocab=args.vocab,
        edges=not args.no_edges,
        pairs=_pairs(args),
        exact=args.exact,
        uniforms=args.uniforms,
        calls=args.calls,
        tv_limit=args.tv_limit,
        error=1e-6 if args.error is None else args.error,
        drafts=args.drafts,
        processor=args.processor,
        more=extra_settings,
    )


def _pairs(args: argparse.Namespace) -> list[Pair] | None:
    """Laws that are given; None for those that reveal."""
    if args.pair is not None and args.bank is not None:
        raise ValueError("--pair, --bank: got both; expected one of them")
    if args.models is not None and (args.pair is not None or args.bank is not None):
        raise ValueError("--models: got --pair or --bank too; expected one of them")
    if args.models is None and (args.text or args.chat):
        raise ValueError("--text, --chat: work only with --models TARGET DRAFT; add it")
    if args.pair is not None:
        from simspec.audit.adapters.given import pair_of_text

        return [pair_of_text(*texts) for texts in args.pair]
    if args.models is not None:
        return _pairs_of_models(args)
    if args.bank is None:
        return None
    from simspec.logits.plain import is_bank

    is_tensors = args.bank.endswith(".safetensors") and Path(args.bank).is_file() and not is_bank(Path(args.bank))
    if is_tensors or args.bank.endswith((".npz", ".npy")):
        from simspec.audit.adapters.given import pairs_of_file

        return pairs_of_file(args.bank, args.rows, args.gamma, args.vocab)
    from simspec.audit.adapters.banked import pairs_of_bank
    from simspec.logits.bank import open_bank

    return pairs_of_bank(open_bank(args.bank), args.rows, args.gamma, args.vocab)


def _pairs_of_models(args: argparse.Namespace) -> list[Pair]:
    """Laws of two models at places that follow each other, as many as a call has drafts and one more."""
    from simspec.audit.adapters.banked import pairs_of_bank
    from simspec.logits.bank import open_bank
    from simspec.logits.capture import Options
    from simspec.tools.captured import captured

    run_length = args.gamma + 1
    options = Options(contexts=args.rows * run_length, neighbours=run_length, seed=args.seed)
    with captured(args.models, args, options) as bank:
        return pairs_of_bank(open_bank(bank), args.rows, args.gamma, args.vocab)


def _judged(subject: Subject, request: Asked) -> Report:
    from simspec.audit.adapters.judging import judge
    from simspec.cli.progress import progress

    with progress() as report_progress:
        task_name = f"{subject.name}, {'pairs of laws' if request.exact else 'calls'}"
        return judge(subject, request, lambda calls_done, of: report_progress(task_name, calls_done, of))


def _label(subject: Subject) -> str:
    return f"{subject.name} {subject.version}" if subject.version else subject.name


def _list() -> None:
    """Print the known samplers with their versions, then the calling conventions."""
    from simspec.audit.adapters import FORMS, TARGETS
    from simspec.audit.adapters.ours import usages

    summaries = usages()
    # two spaces at least between a name and its text
    width = max(map(len, (*(target.name for target in TARGETS), *summaries, *(f"--form {name}" for name in FORMS)))) + 2
    for target in TARGETS:
        version = target.version
        there = version or f"not installed: {target.install}"
        version_note = "" if version in (None, target.tried) else f" (tested with {target.tried})"
        print(f"{target.name:<{width}}{target.module}.{target.function}: {there}{version_note}")
    print()
    for name, summary in summaries.items():
        print(f"{name:<{width}}{summary}")
    print("\nand the one-token rules listed by `simspec rates --rules`\n")
    for name, form in FORMS.items():
        print(f"{f'--form {name}':<{width}}{(form.__doc__ or '').splitlines()[0]}")


UNFINISHED = "no verdict: the sampler ended the process, or the audit was refused or interrupted"
"""What a report says from the beginning of an audit to its end."""


def _begin(args: argparse.Namespace) -> None:
    """Write reports which say that there is no verdict: they stay where a sampler ends the process."""
    if args.json is not None and str(args.json) != "-":
        document = {"sampler": args.sampler, "verdict": "broken", "fault": UNFINISHED}
        put(json.dumps(document, indent=1) + "\n", args.json)
    if args.junit is not None and str(args.junit) != "-":
        from simspec.audit.adapters.junit import unfinished

        put(unfinished(args.sampler, UNFINISHED), args.junit)


def _written(reports: Mapping[str, Report], args: argparse.Namespace) -> bool:
    """Write what is asked for; whether something was printed instead."""
    printed = False
    if args.json is not None:
        records = [{"sampler": name} | report.plain() for name, report in reports.items()]
        document: Any = records[0] if len(records) == 1 else records
        printed |= put(json.dumps(document, indent=1) + "\n", args.json)
    if args.junit is not None:
        from simspec.audit.adapters.junit import junit

        printed |= put(junit(reports), args.junit)
    if args.markdown is not None:
        text = "\n".join(
            r.markdown().replace("### simspec audit", f"### simspec audit {n}") for n, r in reports.items()
        )
        printed |= put(text, args.markdown, "a")
    return printed
