"""`simspec rates`: what rules gain and cost on your own laws or logits, which of several drafts is best there, and heads."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from simspec.cli.heads import rate_heads
from simspec.cli.models import add_model_arguments
from simspec.cli.options import add_kind_argument, named_as_option

if TYPE_CHECKING:
    from simspec.methods.registry import Rule

__all__ = ["add_arguments", "run"]

DEFAULT = (
    "sd",
    "ears:0.1",
    "lenience:0.8",
    "lenience-levelled:0.8",
    "mixture:0.1",
)
"""As in `simspec.tools.rates`, which help need not load."""
POLICIES = ("leader", "hedge[:RATE]", "share[:SHARE]", "explore[:ROUNDS]", "ucb[:WIDTH]")
"""As in `simspec.methods.selection`, which help need not load."""
RULE = f"rule to measure, or your own as FILE.py:NAME; may be repeated (default: {', '.join(DEFAULT)})"


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument(
        "source",
        nargs="*",
        metavar="FILE|MODEL",
        help=(
            ".npz or .safetensors file with p and q (distributions) or target and draft (logits); "
            "FILE.py:NAME of such arrays; a file with p and heads (distributions of a block drafter or of MTP heads); a logit "
            "bank (wiki, stories); or TARGET and DRAFT, models as for simspec capture, with --text or --chat"
        ),
    )
    add_model_arguments(p, "models")
    p.add_argument(
        "--contexts",
        type=int,
        default=300,
        metavar="N",
        help="with models and --text: number of contexts (default 300)",
    )
    p.add_argument("--bank", metavar="BANK", help="logit bank: `simspec rates --bank wiki` is `simspec rates wiki`")
    add_kind_argument(p)
    p.add_argument(
        "--p", metavar="LAWS", help="target distributions instead of a file, such as 1/2,1/2 (semicolons separate rows)"
    )
    p.add_argument("--q", metavar="LAWS", help="draft distributions, as many rows as --p, such as 3/4,1/4")
    p.add_argument("--rule", action="append", metavar="RULE", help=RULE)
    p.add_argument(
        "--drafts",
        nargs="+",
        action="extend",
        metavar="DRAFT",
        help=(
            "compare several drafts on the rows of FILE, by one rule: files with q (distributions) or draft (logits), banks of "
            "the same contexts, FILE.py:NAME, or models with --text or --chat; NAME=DRAFT names one. The draft of FILE is "
            "compared too, if it has one"
        ),
    )
    p.add_argument(
        "--policy",
        action="append",
        metavar="POLICY",
        help=f"with --drafts: run a policy that chooses among them ({', '.join(POLICIES)}), or all; may be repeated",
    )
    p.add_argument(
        "--orders",
        type=int,
        default=100,
        metavar="N",
        help="with --policy: number of orders of the documents (default 100)",
    )
    p.add_argument("--seed", type=int, default=0, metavar="N", help="with --policy: seed of the orders (default 0)")
    p.add_argument("--rules", "--list", action="store_true", help="list all rules, one per line, and exit")
    p.add_argument(
        "--temperature", type=float, default=1, metavar="T", help="temperature of both models; needs logits (default 1)"
    )
    p.add_argument(
        "--gamma",
        type=int,
        metavar="N",
        help="number of draft tokens per target step (default 4; of a file with heads: all of them)",
    )
    p.add_argument(
        "--cost",
        type=float,
        default=0.1,
        metavar="C",
        help="time of a draft step (of a file with heads: of the pass that drafts a block) / time of a target step (default 0.1)",
    )
    p.add_argument("--plot", type=Path, metavar="FILE", help="plot acceptance against bias (.svg, .png, .pdf)")
    p.add_argument("--json", action="store_true", help="write JSON instead of a table")


def run(args: argparse.Namespace) -> int:
    """Measure, then print a table or JSON."""
    from simspec.checks import check_extra
    from simspec.cli.progress import progress
    from simspec.loading import installed
    from simspec.methods.registry import rule, usages
    from simspec.tools.heads import holds_heads
    from simspec.tools.rates import rates
    from simspec.tools.reading import load, placed

    if args.rules:
        for usage, summary in (usages() | usages("path")).items():
            print(f"{usage:<27} {summary}")
        for name, point in installed("rule").items():
            print(f"{name:<27} {point.value}, from an installed package")
        return 0
    check_extra("simspec rates", "measure")
    from simspec.tools.rates.show import picture, plain, print_rates, without_intervals

    source = placed(_source(args))
    if holds_heads(source):
        _check_cost(args)
        return rate_heads(source, args, add_arguments)
    _check_options(args)
    # a file of rules that is wrong is told before laws are read, which takes longer
    rules = [rule(text) if ".py:" in text else text for text in args.rule or DEFAULT]
    if args.drafts:
        return _compare_drafts(source, rules, args)
    with ExitStack() as stack:
        if isinstance(source, _Models):
            from simspec.logits.capture import Options
            from simspec.tools.captured import captured

            source = stack.enter_context(captured(source, args, Options(contexts=args.contexts)))
        report_progress = stack.enter_context(progress())
        report_progress("reading laws", 0, None)
        pairs = load(source, args.temperature, args.kind)
        rows = rates(pairs, rules, args.gamma, args.cost, progress=report_progress)
    if args.plot is not None:
        from simspec.engine.show.plots import save

        save(picture(rows, pairs), args.plot)
    if args.json:
        print(json.dumps([plain(row, pairs) for row in rows], indent=1))
        if sentence := without_intervals(pairs):
            print(f"simspec: {sentence}", file=sys.stderr)
    else:
        print_rates(rows, args.gamma, args.cost)
    return 0


def _check_options(args: argparse.Namespace) -> None:
    """Refuse numbers and names before anything is read; the number of draft tokens has its default from here on."""
    _check_drafts(args)
    args.gamma = 4 if args.gamma is None else args.gamma
    if args.gamma < 0:
        raise ValueError(f"--gamma: {args.gamma}; expected a number of draft tokens, 0 or more")
    _check_cost(args)
    if args.kind is not None and (args.text or args.chat):
        raise ValueError("--kind: --text and --chat say which texts models are recorded on; leave it out")
    if args.plot is not None and args.plot.suffix not in (".svg", ".png", ".pdf"):
        raise ValueError(f"--plot: {args.plot}; expected a file name that ends in .svg, .png, .pdf")


def _check_cost(args: argparse.Namespace) -> None:
    if not 0 <= args.cost < math.inf:
        raise ValueError(f"--cost: {args.cost}; expected draft time / target time, finite and 0 or more")


def _check_drafts(args: argparse.Namespace) -> None:
    """Refuse options that belong together and are not, before anything is read."""
    if args.policy and not args.drafts:
        raise ValueError("--policy: chooses among several drafts; expected --drafts DRAFT DRAFT too")
    if args.drafts is None:
        return
    if args.rule is not None and len(args.rule) > 1:
        raise ValueError(f"--rule: {', '.join(args.rule)}; expected one rule, by which the drafts are compared")
    if args.text and args.chat:
        raise ValueError("--text, --chat: got both; expected one of them with models")
    if len(args.source) == 2 and not (args.text or args.chat):
        raise ValueError(
            f"--drafts: {args.source[1]!r} is a second model; expected --text FILE or --chat JSONL with models"
        )
    if args.plot is not None:
        raise ValueError("--plot: draws rules, not drafts; leave it out, or take --json for all numbers")


def _compare_drafts(source: Any, rules: Sequence[Rule | str], args: argparse.Namespace) -> int:
    """Compare the drafts, run the policies, then print tables or JSON."""
    from simspec.cli.progress import progress
    from simspec.methods.selection import POLICIES as POLICY_NAMES
    from simspec.methods.selection import policy
    from simspec.tools.drafters import load_drafts, named_drafts, run_policies
    from simspec.tools.drafters.compute import compare
    from simspec.tools.drafters.show import json_text, print_drafts, print_policies

    names = list(POLICY_NAMES) if args.policy == ["all"] else args.policy or []
    with named_as_option("policy"):
        selection = [policy(name) for name in names]  # a name that is wrong is told before laws are read
    models = _drafts_of_models(args) if args.text or args.chat else None
    with progress() as report_progress:
        report_progress("reading laws", 0, None)
        drafts = models or load_drafts(source, named_drafts(args.drafts), args.temperature, args.kind)
        rule = rules[0] if args.rule else "sd"
        table = compare(drafts, rule, args.gamma, args.cost, 0.95, report_progress)
        policies = None
        if selection:
            policies = run_policies(table, selection, args.orders, args.seed, progress=report_progress)
    if args.json:
        print(json_text(table, policies))
        return 0
    print_drafts(table, args.gamma, args.cost)
    if policies is not None:
        print()
        print_policies(policies)
    return 0


def _drafts_of_models(args: argparse.Namespace) -> Any:
    """Pairs of the target and each draft model, from one set of passes of the target."""
    from simspec.logits.capture import Options
    from simspec.tools.drafters import named_drafts
    from simspec.tools.drafters.models import drafts_of_models

    target, *others = args.source
    named = named_drafts([*others, *args.drafts], are_models=True)
    return drafts_of_models(target, named, args, Options(contexts=args.contexts), args.temperature)


class _Models(NamedTuple):
    """A pair of models, whose laws are captured first."""

    target: str
    draft: str


def _source(args: argparse.Namespace) -> Any:
    """What laws are read from: a file, a bank or a place, two models, or laws that were typed."""
    if args.source and args.bank is not None:
        raise ValueError("FILE, --bank: got both; expected one of them")
    if len(args.source) > 2:
        raise ValueError(
            f"FILE: {' '.join(args.source)}; expected one file or bank, or TARGET DRAFT with --text or --chat"
        )
    if len(args.source) == 2:
        if args.p is not None or args.q is not None:
            raise ValueError("--p and --q: expected both, and neither FILE nor --bank nor models")
        return _Models(*args.source)
    if (args.text or args.chat) and not (args.drafts and args.source):
        raise ValueError("--text, --chat: work only with models; put TARGET DRAFT before them")
    source = args.source[0] if args.source else args.bank
    if args.p is None and args.q is None:
        if source is None:
            raise ValueError(
                "FILE: missing; expected an .npz file, a logit bank, or --p 1/2,1/2 --q 3/4,1/4 (`simspec rates "
                "--rules` lists the rules)"
            )
        return source
    if source is not None or args.p is None or args.q is None:
        raise ValueError("--p and --q: expected both of them, without FILE and --bank")
    return _typed(args.p, "--p"), _typed(args.q, "--q")


def _typed(text: str, name: str) -> Any:
    """Laws that were typed: numbers or fractions between commas or blanks, rows between semicolons."""
    from simspec.laws import check_law, exact

    rows = [row.replace(",", " ").split() for row in text.split(";")]
    try:
        laws = exact(rows)
    except ValueError:
        raise ValueError(f"{name}: {text!r}; expected numbers such as 1/2,1/2, with rows of equal length") from None
    return check_law(laws, name)
