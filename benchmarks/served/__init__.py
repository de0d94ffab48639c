"""The audit of a running engine: tokens until a fault is found, beside a chi-squared test and scores of yes/no questions.

No server runs and no time is taken: the laws are those of SmolLM2 at 1,344 places of texts (bank `smollm2`), the engine's law is
that of a fault with a total variation of 2, 5 or 20 % a token, its tokens are drawn from that law exactly, and the e-process is
the one that `simspec audit URL` runs on the sampled tokens, at its level and with what it knows of the reference.  The yardstick
is ln(1/level) over the KL of the categories, about what a bettor needs that knows the fault, its strength and the draft; what
such a bettor needs is measured beside it.  Runs of an engine without a fault are the negative control.

Prefixes are those of the texts: what was drawn does not change them.  So what a fault does later in its own text is not here, nor
what shows only in company, under options or in greedy texts.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

from benchmarks.cases import Bench, Done, columns, shown
from benchmarks.harness import thread_counts
from benchmarks.served.faults import FAULTS, strength_of
from benchmarks.served.page import label
from benchmarks.served.peers import chi_square_power, chi_square_size, questions_of
from benchmarks.served.rows import Judgements, Rows, categories, judgements, rows_of_bank, yes_or_no
from benchmarks.served.runs import (
    LEVEL,
    false_alarms,
    information,
    median_of,
    median_ranks,
    oracle_median,
    tokens_until,
)

__all__ = ["BENCH", "FULL", "QUICK", "Sizes", "cost", "places", "silence"]

LONGEST_RUN = 10
"""Tokens of a run at most, over the yardstick."""
ORACLE = (0.5, 1.6)
"""Where the median of a bettor that knows all may lie, over the yardstick.

The yardstick is about the mean; a median is below it by a third where steps are small, and above it where few steps overshoot.
"""
POWER_TOLERANCE = 0.1
"""How far the simulated power of the chi-squared test may be from one half: its size is computed for many tokens."""
LARGEST_SIMULATED = 100_000
"""Tokens of a chi-squared test whose power is simulated too."""


class Sizes(NamedTuple):
    """Variations and kinds of faults; runs and tokens without a fault; simulated chi-squared tests; most tokens of a run."""

    variations: tuple[float, ...]
    faults: tuple[str, ...]
    silent_runs: int
    silent_tokens: int
    chi_square_runs: int
    max_tokens: int


FULL = Sizes((0.02, 0.05, 0.2), tuple(FAULTS), 2000, 2000, 1000, 10**6)
QUICK = Sizes((0.2,), ("mode", "recovery from the target"), 10, 40, 100, 100)


@cache
def places(knows_draft: bool = False) -> tuple[Rows, Judgements, Rows]:
    """Rows of the bank, what the audit sees of them, and the rows as questions."""
    from simspec.logits.bank import open_bank

    rows = rows_of_bank(open_bank("smollm2"))
    return rows, judgements(rows, knows_draft), yes_or_no(rows)


def cost(name: str, tv: float, knows_draft: bool, runs: int, sizes: Sizes = FULL) -> dict[str, Any] | None:
    """Tokens that a fault takes; None where no strength of it has this total variation.

    Parameters
    ----------
    name : of `FAULTS`
    tv : total variation a token
    knows_draft : bool; whether the audit is given the draft, as with --draft
    runs : number of runs of the e-process
    """
    rows, judged, question_rows = places(knows_draft)
    fault = FAULTS[name]
    strength = strength_of(fault, rows, tv)
    if strength is None:
        return None
    laws = fault.law(rows, strength)
    engine = categories(laws, rows)
    kl = information(engine, judged.masses)
    limit = -math.log(LEVEL) / kl
    max_tokens = min(math.ceil(LONGEST_RUN * limit), sizes.max_tokens)
    enough = median_ranks(runs)[1] + 1
    medians = median_of(tokens_until(engine, judged, rows.documents, runs, max_tokens, enough=enough))
    oracle = oracle_median(engine, judged.masses, rows.documents, runs, max_tokens)
    chi_square = chi_square_size(engine, judged.masses)
    is_simulated = chi_square < LARGEST_SIMULATED
    power = (
        chi_square_power(engine, judged.masses, math.ceil(chi_square), sizes.chi_square_runs) if is_simulated else None
    )
    question_counts = questions_of(fault, strength, question_rows)
    return {
        "fault": name,
        "meaning": fault.meaning,
        "knows_draft": knows_draft,
        "is_aimed": fault.is_aimed or knows_draft,
        "tv": tv,
        "strength": strength,
        "kl": kl,
        "limit": limit,
        "most": max_tokens,
        "tokens": [_plain(value) for value in medians],
        "oracle": _plain(oracle),
        "chi_square": _plain(chi_square),
        "chi_square_power": power,
        "questions": _plain(question_counts.usual),
        "questions_known": _plain(question_counts.known),
    }


def _plain(number: float) -> float | None:
    """A number for JSON: None where it is infinite."""
    return number if math.isfinite(number) else None


def _cost_of(job: tuple[str, float, bool, int, Sizes]) -> dict[str, Any] | None:
    return cost(*job)


def _silent(job: tuple[int, int, int, bool]) -> int:
    """False alarms of so many runs of so many tokens, by seed."""
    runs, tokens, seed, knows_draft = job
    rows, judged, _ = places(knows_draft)
    return false_alarms(judged, rows.documents, runs, tokens, seed)


def _in_processes(work: Callable[[Any], Any], jobs: Sequence[Any], workers: int) -> Iterator[Any]:
    """Results of jobs in their order, on so many processes; in this one where that is 1."""
    if workers == 1:
        yield from map(work, jobs)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(work, jobs)


def _jobs(sizes: Sizes, runs: int) -> list[tuple[str, float, bool, int, Sizes]]:
    """Arguments of `cost`: all variations of a fault follow each other."""
    return [
        (name, tv, knows_draft, runs, sizes)
        for name in sizes.faults
        for knows_draft in ((False, True) if FAULTS[name].depends_on_draft else (False,))
        for tv in sizes.variations
    ]


def _costs(name: str, jobs: Sequence[Any], results: Iterator[dict[str, Any] | None], runs: int) -> Done:
    """Tokens until a fault is found, over the yardstick, beside the other tests; `results` are those of the jobs, in order."""
    title = f"tokens until a fault is found: {name}, level {LEVEL:g}"
    caption = (
        f"median of {runs} runs; ratio: over ln(1/{LEVEL:g})/KL, which knows the fault, its strength and the draft"
    )
    shown_table = columns(title, caption, ("TV", "limit", "tokens", "ratio", "chi-squared", "questions"))
    records = []
    with shown(title, len(jobs)) as tick:
        for job in jobs:
            record = next(results)
            tick(f"TV {job[1]:g}")
            if record is not None:
                records.append(record)
                shown_table.add_row(label(record), f"{job[1]:g}", *_cells(record))
    is_right = all(_is_consistent(record) for record in records)
    return Done({"level": LEVEL, "runs": runs, "faults": records}, shown_table, is_right)


def _cells(record: dict[str, Any]) -> list[str]:
    """Numbers of a fault as they are printed."""
    median = record["tokens"][0]
    tokens = f"> {record['most']:,}" if median is None else f"{median:,.0f}"
    ratio = f"> {record['most'] / record['limit']:.0f}" if median is None else f"{median / record['limit']:.2f}"
    sizes = (record[name] for name in ("chi_square", "questions"))
    return [
        f"{record['limit']:,.0f}",
        tokens,
        ratio,
        *("never" if size is None else f"{size:,.0f}" for size in sizes),
    ]


def _is_consistent(record: dict[str, Any]) -> bool:
    """Whether a bettor that knows all needs what the KL says, and the chi-squared test has the power it was sized for."""
    oracle = record["oracle"]
    power = record["chi_square_power"]
    if record["limit"] < 100:  # in so few tokens neither the yardstick nor a size that is computed for many is exact
        return True
    is_oracle_right = oracle is not None and ORACLE[0] < oracle / record["limit"] < ORACLE[1]
    return is_oracle_right and (power is None or abs(power - 0.5) <= POWER_TOLERANCE)


def silence(runs: int, tokens: int, knows_draft: bool = False, workers: int = 1) -> dict[str, Any]:
    """False alarms without a fault, with an exact 95 % upper bound on their probability."""
    from scipy.stats import beta

    groups = max(runs // 100, 1)  # of a hundred runs each, which advance together
    jobs = [(len(range(group, runs, groups)), tokens, 10**6 + group, knows_draft) for group in range(groups)]
    alarms = sum(_in_processes(_silent, [job for job in jobs if job[0]], workers))
    upper = 1.0 if alarms == runs else float(beta.ppf(0.95, alarms + 1, runs - alarms))
    return {"knows_draft": knows_draft, "runs": runs, "tokens": tokens, "alarms": alarms, "upper": upper}


def _silences(sizes: Sizes, runs: int, workers: int) -> Done:
    """The negative control."""
    from scipy.stats import binom

    title = (
        f"false alarms in {sizes.silent_runs:,} runs of {sizes.silent_tokens:,} tokens without a fault, level {LEVEL:g}"
    )
    records = []
    with shown(title, 2) as tick:
        for knows_draft in (False, True):
            records.append(silence(sizes.silent_runs, sizes.silent_tokens, knows_draft, workers))
            tick("done")
    shown_table = columns(title, "upper: exact 95 % bound on the probability", ("runs", "alarms", "upper"))
    for record in records:
        name = "simspec, draft known" if record["knows_draft"] else "simspec"
        shown_table.add_row(name, f"{record['runs']:,}", f"{record['alarms']:,}", f"{record['upper']:.4f}")
    # more than these have a probability below 1e-6 where each run alarms with the level's probability
    is_right = all(record["alarms"] <= binom.isf(1e-6, record["runs"], LEVEL) for record in records)
    return Done({"level": LEVEL, "silences": records}, shown_table, is_right)


def _cases(args: argparse.Namespace, repeats: int) -> list[Callable[[], Done]]:
    sizes = QUICK if args.quick else FULL
    workers = 1 if args.quick else thread_counts()[-1]
    jobs = _jobs(sizes, repeats)
    # all jobs are handed to the processes when the first result is asked for; each case takes its own, in order
    results = _in_processes(_cost_of, jobs, workers)
    costs = [partial(_costs, name, [job for job in jobs if job[0] == name], results, repeats) for name in sizes.faults]
    return [partial(_silences, sizes, repeats, workers), *costs]


BENCH = Bench(
    name="served",
    summary="the audit of a server: tokens until a fault is found, against chi-squared and yes/no questions",
    repeats=200,
    quick="two faults and few runs",
    cases=_cases,
)
