"""`simspec audit`: whether somebody's sampler still emits the target's law."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simspec.cli.models import add_model_arguments

if TYPE_CHECKING:
    from simspec.audit.adapters.judging import Asked, Subject
    from simspec.audit.pairs import Pair
    from simspec.audit.report import Report

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument(
        "sampler",
        nargs="?",
        metavar="SAMPLER",
        help="FILE.py:NAME or module:NAME of a function (p, q, n, rng) -> tokens (n, gamma + 1), or a name of --list (rrs:2)",
    )
    p.add_argument(
        "--list", action="store_true", help="list known samplers and forms, with installed versions, and stop"
    )
    p.add_argument("--form", metavar="FORM", help="the function has another form, as listed")
    _add_exact(p)
    p.add_argument("--gamma", type=int, default=2, metavar="N", help="drafts of a call, smaller ones too (default 2)")
    p.add_argument(
        "--vocab",
        type=int,
        default=3,
        metavar="V",
        help="number of tokens, fewer ones too (default 3); --exact also tries pairs of 3 and 5 tokens, because 2 can never "
        "show both a refused draft with 0 < p/q < 1 and a recovery token with r/q < 1",
    )
    p.add_argument(
        "--calls",
        type=_number_or_auto,
        metavar="N",
        help="most calls on each pair of laws (default 50000; fewer for known samplers); auto: go on until it is decided, "
        "up to 4 million calls on each pair",
    )
    p.add_argument(
        "--within", type=float, metavar="TV", help="what counts as lossless (default 0.05; known ones: 0.08)"
    )
    p.add_argument("--max-tv", type=float, default=0.0, metavar="TV", help="a bias up to this is declared (default 0)")
    p.add_argument(
        "--error", type=float, default=1e-6, metavar="P", help="false alarm, at any stopping time (default 1e-6)"
    )
    p.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help="what has not returned by then is broken (default 60; known ones: 600)",
    )
    p.add_argument("--seed", type=int, default=0, metavar="N", help="of the random numbers (default 0)")
    p.add_argument(
        "--no-edges",
        action="store_true",
        help="leave out gamma = 0, gamma = 1, a vocabulary of one token and, with --exact, pairs of more tokens than --vocab",
    )
    p.add_argument(
        "--pair",
        nargs=2,
        action="append",
        metavar=("P", "Q"),
        help="laws of your own in place of those that reveal, P with a row more than Q: --pair '1/4 3/4, 1 0' '1/2 1/2'; "
        "may be repeated",
    )
    p.add_argument(
        "--bank",
        metavar="BANK",
        help="laws of a bank (wiki, stories, FILE) in place of those that reveal, or an .npz with p and q, or target and "
        "draft: p (N + 1, V) and q (N, V) are one pair, else rows that follow each other are",
    )
    p.add_argument(
        "--models",
        nargs=2,
        metavar=("TARGET", "DRAFT"),
        help="laws of two models, as simspec capture takes them, in place of those that reveal; needs --text or --chat",
    )
    add_model_arguments(p, "--models")
    p.add_argument("--rows", type=int, default=8, metavar="N", help="with --bank or --models: places in it (default 8)")
    p.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="write the report as JSON (- prints it); until the end the file says that there is no verdict",
    )
    p.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML, which CI systems show (- prints it)")
    p.add_argument(
        "--markdown", type=Path, metavar="FILE", help="append the report as Markdown, for a job's summary (- prints it)"
    )


def _number_or_auto(text: str) -> int | str:
    """A number of calls, or "auto"."""
    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a number of calls, or auto") from None


def _add_exact(p: argparse.ArgumentParser) -> None:
    """Arguments of the exact law, and of laws by prefix."""
    p.add_argument(
        "--exact",
        action="store_true",
        help="the exact law: (p, q, drafts, uniforms) -> tokens, or a form that takes coins",
    )
    p.add_argument("--coins", type=int, metavar="N", help="with --exact: uniforms of a call (default 2 gamma + 1)")
    p.add_argument(
        "--drafts",
        metavar="TREE",
        help="with --exact: drafts (n, K, gamma) are the paths of a tree of K siblings a node: top:K the most likely, "
        "siblings:K drawn without repeats, repeats:K with; without --exact: how the sampler drafts, for the price of a repair",
    )
    p.add_argument(
        "--grid",
        type=int,
        default=0,
        metavar="BITS",
        help="with --exact: coins are multiples of 2^-BITS (24 in float32)",
    )
    p.add_argument(
        "--ragged", action="store_true", help="with --exact: also rows that are a draft shorter than others of a batch"
    )
    p.add_argument(
        "--prefixes",
        action="store_true",
        help="also laws that depend on the drafted prefix: the sampler takes levels of a tree, p[i][prefix]",
    )


def run(args: argparse.Namespace) -> int:
    """Audit, then say what was found; 0 lossless or lossy as declared, 1 biased, dependent or broken, 3 not decided."""
    from simspec.audit.exits import exits_raise
    from simspec.checks import check_extra

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
    from simspec.audit.adapters.judging import subjects

    _begin(args)
    audit_subjects = subjects(args.sampler, args.form, args.exact)
    reports = {_label(subject): _judged(subject, request) for subject in audit_subjects}
    if not _written(reports, args):
        for name, report in reports.items():
            print(f"{name}: {report.words()}")
    if needed := [report.needed for report in reports.values() if report.needed is not None]:
        print(f"simspec: to decide it: {_with_calls(args.given, max(needed))}", file=sys.stderr)
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
    if args.coins is not None and (args.coins < 1 or not args.exact):
        raise ValueError(f"--coins: {args.coins}; expected a positive number, with --exact")
    if (args.grid or args.ragged) and not args.exact:
        raise ValueError("--grid, --ragged: asked for without --exact; expected with it")
    # passed on by name, together with what is known of the subject
    extra_settings: dict[str, Any] = {
        name: getattr(args, name) for name in ("seed", "max_tv", "grid", "ragged", "prefixes")
    }
    if args.seconds is not None:
        extra_settings["seconds"] = args.seconds
    return Asked(
        args.gamma,
        args.vocab,
        not args.no_edges,
        _pairs(args),
        args.exact,
        args.coins,
        args.calls,
        args.within,
        args.error,
        args.drafts,
        extra_settings,
    )


def _pairs(args: argparse.Namespace) -> list[Pair] | None:
    """Laws that are given; None for those that reveal."""
    if args.pair is not None and args.bank is not None:
        raise ValueError("--pair, --bank: both are given; expected one of them")
    if args.models is not None and (args.pair is not None or args.bank is not None):
        raise ValueError("--models: stands beside --pair or --bank; expected one of them")
    if args.models is None and (args.text or args.chat):
        raise ValueError("--text, --chat: go with --models TARGET DRAFT; expected it before them")
    if args.pair is not None:
        from simspec.audit.adapters.given import pair_of_text

        return [pair_of_text(*texts) for texts in args.pair]
    if args.models is not None:
        return _pairs_of_models(args)
    if args.bank is None:
        return None
    if args.bank.endswith(".npz"):
        from simspec.audit.adapters.given import pairs_of_npz

        return pairs_of_npz(args.bank, args.rows, args.gamma, args.vocab)
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
    with captured((args.models[0], args.models[1]), args, options) as bank:
        return pairs_of_bank(open_bank(bank), args.rows, args.gamma, args.vocab)


def _judged(subject: Subject, request: Asked) -> Report:
    from rich.console import Console
    from rich.progress import Progress

    from simspec.audit.adapters.judging import judge
    from simspec.cli.rates import progress

    with Progress(console=Console(stderr=True), transient=True) as progress_bar:
        report_progress = progress(progress_bar)
        task_name = f"{subject.name}, {'pairs of laws' if request.exact else 'calls'}"
        return judge(subject, request, lambda calls_done, of: report_progress(task_name, calls_done, of))


def _label(subject: Subject) -> str:
    return f"{subject.name} {subject.version}" if subject.version else subject.name


def _list() -> None:
    from simspec.audit.adapters import FORMS, TARGETS
    from simspec.audit.adapters.ours import usages

    for target in TARGETS:
        version = target.version
        there = version or f"not installed: {target.install}"
        version_note = "" if version in (None, target.tried) else f" (tried with {target.tried})"
        print(f"{target.name:<24}{target.module}.{target.function}: {there}{version_note}")
    print()
    for name, summary in usages().items():
        print(f"{name:<24}{summary}")
    print("\nand the rules of one token that `simspec rates --rules` lists\n")
    for name, form in FORMS.items():
        print(f"--form {name:<18}{(form.__doc__ or '').splitlines()[0]}")


UNFINISHED = "no verdict: the sampler ended the process, or the audit was refused or interrupted"
"""What a report says from the beginning of an audit to its end."""


def _begin(args: argparse.Namespace) -> None:
    """Write reports which say that there is no verdict: they stay where a sampler ends the process."""
    if args.json is not None and str(args.json) != "-":
        document = {"sampler": args.sampler, "verdict": "broken", "fault": UNFINISHED}
        _put(json.dumps(document, indent=1) + "\n", args.json, "w")
    if args.junit is not None and str(args.junit) != "-":
        from simspec.audit.adapters.junit import unfinished

        _put(unfinished(args.sampler, UNFINISHED), args.junit, "w")


def _written(reports: Mapping[str, Report], args: argparse.Namespace) -> bool:
    """Write what is asked for; whether something was printed instead."""
    printed = False
    if args.json is not None:
        records = [{"sampler": name} | report.plain() for name, report in reports.items()]
        document: Any = records[0] if len(records) == 1 else records
        printed |= _put(json.dumps(document, indent=1) + "\n", args.json, "w")
    if args.junit is not None:
        from simspec.audit.adapters.junit import junit

        printed |= _put(junit(reports), args.junit, "w")
    if args.markdown is not None:
        text = "\n".join(
            r.markdown().replace("### simspec audit", f"### simspec audit {n}") for n, r in reports.items()
        )
        printed |= _put(text, args.markdown, "a")
    return printed


def _put(text: str, path: Path, mode: str) -> bool:
    """Write to a file, or print; whether it was printed."""
    if str(path) == "-":
        sys.stdout.write(text)
        return True
    with path.open(mode, encoding="utf-8") as file:
        file.write(text)
    return False
