"""`simspec advise`: which rule, how many drafts and what speed, for a pair of models or a bank."""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simspec.cli.cascades import ROUNDS, advise_cascade
from simspec.cli.heads import advise_heads
from simspec.cli.models import add_model_arguments
from simspec.cli.options import add_kind_argument, named_as_option, whole_range
from simspec.cli.output import put

if TYPE_CHECKING:
    from simspec.cli.progress import Report
    from simspec.engine.estimates.intervals import Interval
    from simspec.logits.capture import Prepared
    from simspec.tools.advise import Advice, Plan
    from simspec.tools.advise.running import Checked
    from simspec.tools.advise.steps import StepTimes
    from simspec.tools.reading import Pairs

__all__ = ["add_arguments", "run"]

PICTURES = (".svg", ".png", ".pdf")
OUTPUTS = ("csv", "json", "markdown", "html")
GAMMAS = "1-16"
"""Numbers of draft tokens that are tried where none are named."""
WITHIN = 300.0
"""Seconds in which the steps of two running servers are measured."""


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add = p.add_argument
    option_help = (
        "logit bank (wiki, stories or a file), an .npz file as for rates (with heads too), or TARGET and DRAFT, as for simspec "
        "capture"
    )
    add("models", nargs="*", metavar="BANK|MODEL", help=f"{option_help}; models also need --text or --chat")
    add("--bank", metavar="BANK", help="logit bank: `simspec advise --bank wiki` is `simspec advise wiki`")
    add_kind_argument(p)
    add_model_arguments(p, "models")
    add(
        "--contexts",
        type=int,
        default=480,
        metavar="N",
        help="with models: number of contexts to measure on (default 480)",
    )
    option_help = (
        "with models: number of consecutive contexts at each place, used to measure how steps are "
        "correlated (default 16)"
    )
    add("--neighbours", type=int, default=16, metavar="N", help=option_help)
    add("--window", type=int, default=128, metavar="N", help="with models: longest input in tokens (default 128)")
    for name, use in (("tuning", "to tune rules on"), ("statistics", "to estimate the mean distribution")):
        option_help = f"with models: number of contexts {use}, from other documents (default 0)"
        add(f"--{name}", type=int, default=0, metavar="N", help=option_help)
    add(
        "--rule",
        action="append",
        metavar="RULE",
        help=(
            "rule to measure; may be repeated (default: all that apply and draft one token a level; `simspec "
            "rates --rules` lists them); also rrs:4 and the like, tree-top, tree-iid, tree-swor"
        ),
    )
    add(
        "--gamma",
        default=GAMMAS,
        metavar="N-M",
        help=f"numbers of draft tokens to try per target step (default {GAMMAS}; of a file with heads: all of them)",
    )
    add(
        "--temperature",
        type=float,
        action="append",
        metavar="T",
        help="temperature of both models; may be repeated (default 1 and 0.7)",
    )
    add(
        "--top-p",
        type=float,
        action="append",
        metavar="P",
        help="top-p of both models; may be repeated (default 1 and 0.9)",
    )
    add(
        "--cost",
        type=float,
        metavar="C",
        help="time of a draft step / time of a target step (default 0.1; with models: measured)",
    )
    option_help = "time of verifying one more draft token / time of a target step (default 0; with models: measured)"
    add("--verify-cost", type=float, metavar="V", help=option_help)
    option_help = (
        "CSV with the times of steps by batch size (columns batch, tokens, milliseconds, and optionally draft, the "
        "milliseconds of a draft step): adds the best number of drafts by batch size and load"
    )
    add("--steps", metavar="FILE", help=option_help)
    option_help = "with --steps: tokens per second that requests ask for; may be repeated"
    add("--load", type=float, action="append", metavar="RATE", help=option_help)
    option_help = (
        "with models or --endpoint: measure these steps at so many sequences, such as 1,4,16, and advise by batch size"
    )
    add("--batches", metavar="N,N", help=option_help)
    option_help = "with --batches: URL of a running llama.cpp server with drafts, whose steps are measured"
    add("--endpoint", metavar="URL", help=option_help)
    option_help = "with --endpoint: URL of a server of the same model without drafts"
    add("--endpoint-alone", metavar="URL", help=option_help)
    option_help = f"with --endpoint: seconds of the measurement (default {WITHIN:g}); what was answered by then counts"
    add("--within", type=float, metavar="S", help=option_help)
    add("--save-steps", type=Path, metavar="FILE", help="with --batches: write the times as a file for --steps")
    option_help = (
        "compare a number of draft tokens that adapts, along the text: heuristic, moving:64, confidence:0.4 or fixed:4; may be "
        "repeated; all compares a default list"
    )
    add("--policy", action="append", metavar="NAME", help=option_help)
    add(
        "--link",
        type=float,
        default=math.inf,
        metavar="BITS",
        help="bits that the link carries during one target step (default: no limit)",
    )
    add(
        "--pruned",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="share of the vocabulary that the drafter keeps (default 1)",
    )
    option_help = "with models: also decode with and without drafts, and compare the measured speed with the prediction"
    add("--run", dest="decode", action="store_true", help=option_help)
    add("--run-prompts", type=int, default=24, metavar="N", help="with --run: number of prompts (default 24)")
    add(
        "--length",
        type=int,
        default=48,
        metavar="N",
        help="with --run: number of tokens to write after each prompt (default 48)",
    )
    add(
        "--middle",
        metavar="DRAFT",
        help=(
            "with a bank or a file: a middle model on the same contexts that verifies the drafts before the target does; a file "
            "with q or draft, a bank, or FILE.py:NAME"
        ),
    )
    add(
        "--middle-cost",
        type=float,
        metavar="C",
        help="with --middle: time of a pass of the middle model / time of a target step",
    )
    add("--rounds", metavar="N-M", help=f"with --middle: passes of it to try per target step (default {ROUNDS})")
    add("--plot", type=Path, metavar="FILE", help="plot speed-up against the number of draft tokens (.svg, .png, .pdf)")
    for kind in OUTPUTS:
        add(
            f"--{kind}",
            type=Path,
            metavar="FILE",
            help=f"also write the rows as {kind}; - prints them instead of the table",
        )


def run(args: argparse.Namespace) -> int:
    """Measure, then print a table, the advice and what engines are told."""
    from simspec.checks import check_extra
    from simspec.cli.progress import progress
    from simspec.tools.advise import advise
    from simspec.tools.heads import holds_heads
    from simspec.tools.reading import placed

    bank, models = _sources(args)
    _check(args, bank)
    check_extra("simspec advise", "measure")
    gammas = _gammas(args.gamma)
    source: Any = placed(bank)
    if args.middle is not None:
        return advise_cascade(source, args, gammas, add_arguments)
    if holds_heads(source):
        return advise_heads(source, args, None if args.gamma == GAMMAS else gammas, add_arguments)
    source = _of_kind(source, args.kind)
    plan = _plan(args, bank)
    from simspec.tools.advise import show

    times = _given_times(args)
    if times is not None:
        plan = _plan_of_steps(args, plan, times)
    counted_cost = None
    with tempfile.TemporaryDirectory() as name:
        if bank is None:
            prepared = _prepared(args, models, Path(name))
            counted_cost = _counted_cost(args, models, prepared)
            if times is None:
                plan = _timed(args, plan, prepared)
                times = _batches(args, prepared)
            source = _laws(prepared, Path(name))
        with progress() as report_progress:
            advice = advise(source, plan, progress=report_progress)
            advice.counted_cost = counted_cost
            if args.policy:
                from simspec.tools.advise.policies import POLICIES

                names = [name for policy in args.policy for name in (POLICIES if policy == "all" else (policy,))]
                with named_as_option("policy"):
                    advice.policy_rule, advice.policies = advice.by_policy(names)
            if times is not None:
                cost = None if times.draft else args.cost
                advice.batches = advice.by_batch(times, cost=cost, loads=tuple(args.load or ()))
            ran = _run(args, advice, prepared, source, report_progress) if args.decode else None
    if args.plot is not None:
        from simspec.engine.show.plots import save

        save(show.picture(advice), args.plot)
    texts: dict[str, Callable[[], str]] = {
        "csv": lambda: advice.to_csv() or "",
        "json": lambda: show.json_text(advice, ran, models),
        "markdown": lambda: show.markdown(advice),
        "html": lambda: show.page(advice),
    }
    requested = [(kind, path) for kind in OUTPUTS if (path := getattr(args, kind)) is not None]
    for _, path in requested:
        path.parent.mkdir(parents=True, exist_ok=True)
    printed = [put(texts[kind](), path) for kind, path in requested]
    if not any(printed):
        show.print_advice(advice, plan.cost, plan.verify, models)
        if ran is not None:
            print("\n" + ran.words())
    return 0


def _of_kind(source: Any, kind: str | None) -> Any:
    """A source with the kind of text that is read of it, as `simspec.tools.advise.advise` takes it."""
    from simspec.tools.reading import load

    return source if kind is None else partial(load, source, kind=kind)


def _sources(args: argparse.Namespace) -> tuple[str | None, list[str]]:
    """The bank, or the names of the models; a single name without a text is a bank's: `simspec advise wiki`."""
    for name in args.models:
        if name.startswith(("http://", "https://")):
            raise ValueError(
                f"MODEL: {name!a} is the URL of a server, which states the times of its steps but not the distributions "
                "of its models; expected a bank or an .npz of the pair, and --endpoint URL --endpoint-alone URL --batches 1,4"
            )
    if len(args.models) == 1 and args.bank is None and not args.text and not args.chat:
        return args.models[0], []
    if bool(args.bank) == bool(args.models):
        raise ValueError(
            "MODEL: expected a logit bank (`simspec advise wiki`), or TARGET DRAFT with --text FILE, but not both"
        )
    return args.bank or None, args.models


def _check(args: argparse.Namespace, bank: str | None) -> None:
    """What can be refused before anything is read."""
    if bank and (args.text or args.chat):
        raise ValueError("--text, --chat: a logit bank has its own contexts; give them only with TARGET and DRAFT")
    if args.kind is not None and not bank:
        raise ValueError("--kind: --text and --chat say which texts models are recorded on; leave it out")
    if args.decode and bank:
        raise ValueError("--run: a logit bank cannot generate text; give --run only with TARGET and DRAFT")
    if args.decode and (args.run_prompts < 2 or args.length < 1):
        raise ValueError(
            f"--run-prompts, --length: {args.run_prompts}, {args.length}; expected at least 2 prompts and at least 1 token"
        )
    _check_steps(args, bank)
    _check_policies(args.policy)
    if args.middle is None and (args.middle_cost is not None or args.rounds is not None):
        raise ValueError("--middle-cost, --rounds: belong to --middle DRAFT; expected it too, or neither of them")
    if args.plot is not None and args.plot.suffix not in PICTURES:
        raise ValueError(f"--plot: {args.plot}; expected a file name that ends in {', '.join(PICTURES)}")


def _check_policies(names: Sequence[str] | None) -> None:
    """Refuse a name that is no policy."""
    if not names:
        return
    from simspec.tools.advise.policies import check_policy

    with named_as_option("policy"):
        for name in names:
            if name != "all":
                check_policy(name)


def _check_steps(args: argparse.Namespace, bank: str | None) -> None:
    """What can be refused of the options about batches."""
    _check_endpoint(args)
    if args.batches is not None and args.endpoint is None and (bank or args.steps):
        raise ValueError(
            "--batches: steps are measured on TARGET and DRAFT; expected these without --steps, or --steps FILE"
        )
    if args.batches is not None:
        _batch_sizes(args.batches)
    if args.save_steps is not None and args.batches is None:
        raise ValueError("--save-steps: nothing is measured; expected --batches 1,4,16")
    if args.load and args.steps is None and args.batches is None:
        raise ValueError("--load: the times of steps are not known; expected --steps FILE, or --batches with models")
    if not all(0 < load < math.inf for load in args.load or ()):
        raise ValueError(f"--load: {args.load}; expected tokens per second, more than 0")


def _given_times(args: argparse.Namespace) -> StepTimes | None:
    """Times of steps from a file or from running servers; those of an endpoint hold the drafts, which then cost nothing more."""
    from simspec.tools.advise.steps import read_steps

    if args.endpoint is not None:
        args.cost = 0.0
        return _endpoint_times(args)
    if args.steps is None:
        return None
    try:
        text = Path(args.steps).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise ValueError(
            f"--steps: {args.steps!r}: {error.strerror}; expected a CSV file with the columns batch, tokens and milliseconds"
        ) from None
    return read_steps(text)


def _check_endpoint(args: argparse.Namespace) -> None:
    """Refuse endpoints of which one is missing, or that stand beside other times."""
    if args.within is not None and (args.endpoint is None or not 0 < args.within < math.inf):
        raise ValueError(f"--within: {args.within:g}; expected seconds, more than 0, with --endpoint URL")
    if args.endpoint is None and args.endpoint_alone is None:
        return
    if args.endpoint is None or args.endpoint_alone is None or args.batches is None:
        raise ValueError("--endpoint: expected --endpoint URL, --endpoint-alone URL and --batches 1,4,16 together")
    if args.steps is not None or args.cost is not None or args.verify_cost is not None:
        raise ValueError(
            "--endpoint: it measures the time of steps; expected it without --steps, --cost and --verify-cost"
        )


def _endpoint_times(args: argparse.Namespace) -> StepTimes:
    """Times of steps of two running servers, with drafts and without."""
    from simspec.audit.endpoint.exchange import Exchange
    from simspec.audit.endpoint.step_times import REPETITIONS, endpoint_steps
    from simspec.tools.advise.steps import csv_text, step_times

    rows: list[tuple[int, int, float, float | None]] = []
    sizes = _batch_sizes(args.batches)
    end = time.monotonic() + (WITHIN if args.within is None else args.within)
    for url, share in ((args.endpoint_alone, 0.5), (args.endpoint, 1.0)):
        seconds = max(0.0, end - time.monotonic()) * share
        with Exchange(url, seconds=max(1.0, seconds), cure="raise --within, or lower --batches") as exchange:
            progress = _batch_progress(exchange.url)
            measured = endpoint_steps(exchange, sizes, progress=progress, time_limit=seconds)
        repetitions = len(measured) // len(sizes)
        if repetitions < REPETITIONS:
            print(
                f"simspec: {ascii(url)[1:-1]}: {repetitions} of {REPETITIONS} repetitions before the end of --within",
                file=sys.stderr,
            )
        rows += measured
    if args.save_steps is not None:
        put(csv_text(rows), args.save_steps)
    return step_times(rows)


def _batch_progress(url: str) -> Callable[[int, int], None]:
    """A function that says how many batches of a server are done, and about how long the others take."""
    start = time.monotonic()

    def say(number: int, total: int) -> None:
        seconds_left = (time.monotonic() - start) / number * (total - number)
        print(
            f"simspec: {ascii(url)[1:-1]}: {number} of {total} batches, at most about {seconds_left:.0f} s left",
            file=sys.stderr,
        )

    return say


def _batch_sizes(text: str) -> list[int]:
    """Numbers of sequences, from 1,4,16."""
    sizes = text.split(",")
    if not all(size.isascii() and size.isdecimal() and len(size) < 6 and 1 <= int(size) <= 4096 for size in sizes):
        raise ValueError(f"--batches: {text!r}; expected numbers of sequences from 1 to 4096, such as 1,4,16")
    return [int(size) for size in sizes]


def _plan_of_steps(args: argparse.Namespace, plan: Plan, times: StepTimes) -> Plan:
    """The plan with the costs of the smallest batch, where they are not given, so that both tables speak of the same steps."""
    if times.draft and args.cost is not None:
        raise ValueError("--cost: --steps has the column draft; expected one of them")
    if not times.draft and args.cost is None:
        raise ValueError("--cost: no time of a draft step; expected a column draft in --steps, or --cost")
    from simspec.tools.advise.costs import a_token_more, quotient

    batch = times.batches[0]
    alone = times.alone(batch)
    if times.draft:
        cost = quotient(times.draft[batch], alone)
        plan = plan._replace(cost=cost.estimate, cost_range=_spread(cost))
    else:
        plan = plan._replace(cost=args.cost)
    if args.verify_cost is None and times.most_drafts >= 1:
        count = times.most_drafts
        verify = a_token_more(times.verifying(batch, count + 1), alone, count)
        plan = plan._replace(verify=verify.estimate, verify_range=_spread(verify))
    return plan


def _spread(cost: Interval) -> tuple[float, float] | None:
    """Both ends of a cost's interval; None where there were too few repetitions for one."""
    return None if math.isnan(cost.low) else (cost.low, cost.high)


def _batches(args: argparse.Namespace, prepared: Prepared) -> StepTimes | None:
    """Times of steps at the batch sizes that are asked for, measured on the models."""
    from simspec.logits.capture.timing import batch_timing
    from simspec.tools.advise.steps import csv_text, step_times

    if args.batches is None:
        return None
    if prepared.draft is None:
        raise ValueError("--batches: there is no draft model; expected TARGET and DRAFT")
    rows = batch_timing(prepared.target, prepared.draft, _batch_sizes(args.batches))
    if args.save_steps is not None:
        put(csv_text(rows), args.save_steps)
    return step_times(rows)


def _gammas(text: str) -> tuple[int, ...]:
    return whole_range(text, "--gamma", "draft tokens", GAMMAS)


def _plan(args: argparse.Namespace, bank: str | None) -> Plan:
    """The plan, with the default costs where none are given."""
    from simspec.tools.advise import Plan

    holds_laws = bank is not None and bank.endswith(".npz") and args.temperature is None
    return Plan(
        rules=tuple(args.rule) if args.rule else None,
        gammas=_gammas(args.gamma),
        temperatures=tuple(args.temperature or ((1.0,) if holds_laws else (1.0, 0.7))),
        top_ps=tuple(args.top_p or (1.0, 0.9)),
        cost=0.1 if args.cost is None else args.cost,
        verify=0.0 if args.verify_cost is None else args.verify_cost,
        link=args.link,
        pruned=args.pruned,
    )


def _prepared(args: argparse.Namespace, models: Sequence[str], folder: Path) -> Prepared:
    """The pair's contexts; with --run those of texts that the target writes."""
    from simspec.logits.capture import Options
    from simspec.tools.captured import prepared_of

    names = ("contexts", "window", "tuning", "statistics", "neighbours")
    options = Options(**{name: getattr(args, name) for name in names}, per_document=1)
    prepared = prepared_of(models, args, folder, options)
    if not args.decode or args.chat:
        return prepared
    from simspec.tools.advise.decoders import Setting
    from simspec.tools.advise.models import prompts, written

    setting = Setting(temperature=(args.temperature or [1.0])[0], top_p=(args.top_p or [1.0])[0])
    return written(prepared, prompts(prepared, args.run_prompts, args.window // 4), args.length, setting)


def _timed(args: argparse.Namespace, plan: Plan, prepared: Prepared) -> Plan:
    """The plan at costs that are measured, where none are given."""
    from simspec.logits.capture.timing import BLOCK, repetitions
    from simspec.tools.advise.costs import cost_interval, verify_interval

    if prepared.draft is None or (args.cost is not None and args.verify_cost is not None):
        return plan
    timed = repetitions(prepared.target, prepared.draft)
    print(f"simspec: measured: {timed.times}", file=sys.stderr)
    if args.cost is None:
        cost = cost_interval(timed.draft, timed.target)
        plan = plan._replace(cost=cost.estimate, cost_range=_spread(cost))
    if args.verify_cost is None:
        verify = verify_interval(timed.target, timed.block, BLOCK)
        plan = plan._replace(verify=verify.estimate, verify_range=_spread(verify))
    return plan


def _counted_cost(args: argparse.Namespace, models: Sequence[str], prepared: Prepared) -> float | None:
    """Cost of a draft that is made of the target, in bytes that are read for a token; None of others, and where it is given."""
    from simspec.logits.capture.drafts import counted_cost, parse_draft

    is_given = args.cost is not None or args.steps is not None
    if is_given or prepared.draft is None or parse_draft(models[1]) is None:
        return None
    return counted_cost(prepared.draft, prepared.target)


def _laws(prepared: Prepared, folder: Path) -> Callable[[float], Pairs]:
    """Temperature -> the pair's laws, from a bank in a folder that does not stay."""
    from simspec.tools.advise.models import source
    from simspec.tools.captured import recorded

    return source(prepared, recorded(prepared, folder / "advise.safetensors"))


def _run(
    args: argparse.Namespace,
    advice: Advice,
    prepared: Prepared,
    source: Callable[[float], Pairs],
    report_progress: Report,
) -> Checked:
    """Decode for real with the fastest rule that can be run."""
    from simspec.methods.registry import rule
    from simspec.tools.advise.decoders import Setting
    from simspec.tools.advise.models import runnable
    from simspec.tools.advise.running import Checked, run

    assert prepared.draft is not None  # two models were named
    row = runnable(advice)
    method = rule(row.rule, source(row.temperature).known).method
    setting = Setting(method, row.gamma, row.temperature, row.top_p)
    prompts = [w.target[: int(w.positions[0]) + 1] for w in prepared.chosen]  # as they were before they were written on
    models = (prepared.target, prepared.draft)
    ran = run(
        models,
        prompts,
        args.length,
        setting,
        progress=lambda tokens_done, of: report_progress("decoding", tokens_done, of),
    )
    return Checked(row, ran)
