"""The audit of a black box: calls on laws that reveal, until the evidence suffices; then the smallest laws that show it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, Literal, Unpack

from simspec.audit.calling import Broken, Late, Sampler, Stuck, begun, called, ends_threads
from simspec.audit.dependence import Dependence, RowTest, dependence_of
from simspec.audit.diagnosis.boundary_inputs import notice
from simspec.audit.diagnosis.cause import Diagnosis
from simspec.audit.diagnosis.explanation import explained
from simspec.audit.diagnosis.price import measured
from simspec.audit.diagnosis.processing import processing_cause
from simspec.audit.drafting import Drawn, drawn_inside, given_drafts
from simspec.audit.forms import check_form
from simspec.audit.handing import Processor, Raw, handed
from simspec.audit.observing import cause_on_unchanged_rows, marginal_cause, observe
from simspec.audit.pairs import Pair, checked
from simspec.audit.report import Report, Verdict
from simspec.audit.settings import More, Settings, settled
from simspec.audit.smaller import smaller
from simspec.audit.sparse import judged_pairs, pairs_to_try
from simspec.audit.trial import Plan, Trial
from simspec.checks import whole_number

__all__ = ["assert_lossless", "audit"]

AUTO = 4_000_000
"""Most calls on each pair where they go on until all is decided."""
LAUNCHES = 16
ROWS = 8
"""Least launches of so many rows by which rows are compared where a bias is shown or rows depend on each other."""
MOST_LAUNCHES = 4000
"""Most launches by which the law of a row is judged where rows depend on each other."""
ATTEMPTS = 60
"""Most smaller pairs that are tried."""
SMALLER = 3
"""Smaller pairs that are tried after a sampler has not returned."""


@ends_threads
def audit(
    sampler: Sampler,
    gamma: int = 2,
    *,
    vocab: int = 3,
    pairs: Sequence[Pair] | None = None,
    calls: int | Literal["auto"] = 50_000,
    tv_limit: float = 0.05,
    error: float = 1e-6,
    drawn: Drawn | None = None,
    processor: Processor | None = None,
    **options: Unpack[More],
) -> Report:
    """Judge a sampler by calling it: is the law of the next gamma + 1 tokens the target's?

    Parameters
    ----------
    sampler : (p, q, n, rng) -> tokens
        n calls that draft and verify on target laws p (gamma + 1, V) and draft laws q (gamma, V), with random numbers
        from the generator rng; returns the emitted tokens, integers (n, gamma + 1), each row filled up with -1.
        `simspec.audit.calling.Sampler` says what else it may return.
    gamma, vocab : int; size of the laws tried (smaller ones are tried as well).  Rows of more than 52 tokens, up to 256,000,
        have mass at few ids (`simspec.audit.sparse.sparse`)
    pairs : laws to try in place of `revealing(gamma, vocab)`
    calls : int or "auto"; most calls on each pair.  "auto" goes on on each pair until its TV is known to be at most `tv_limit`
        (or `max_tv`), a bias is shown, or `AUTO` calls are made
    tv_limit : float; the verdict is lossless where TV is at most this on every pair tried
    error : float; probability that a lossless sampler is ever called biased, however long it is called; and that one whose
        rows are independent, with whatever law, is ever called dependent
    processor : (rows (n, V), prefix (n, t)) -> weights (n, V); what the sampler must do to target rows before it verifies, as
        an option of an engine does.  It is handed raw rows, and judged by the processed law (`simspec.audit.processors`)
    drawn : how the sampler drafts, as in `exact`, where it is known: the price of the repair rests on it, no verdict does
    options : seed, max_tv, cost, call_timeout, time_limit, prefixes, diagnose: see `simspec.audit.settings.More`

    Returns
    -------
    Report
        `verdict`: lossless, biased, dependent (rows of a launch depend on each other, and no bias of a row is shown), lossy
        (as declared), broken (does not return tokens, raises, changes its input, has not returned in time) or undecided;
        then `needed` says how many calls decide.  `price` and `diagnosis` say what it costs and the likely cause.

    Notes
    -----
    A verdict is about the laws that were tried.  Unless `prefixes` is set they depend on the position only, so that a
    sampler that looks up the wrong prefix is not seen.

    Examples
    --------
    >>> from simspec.audit.reference import speculative
    >>> print(audit(speculative, gamma=1, calls=20_000).verdict)
    lossless
    >>> def uniform(p, q, n, rng):
    ...     return rng.integers(p.shape[1], size=(n, len(p)))
    >>> report = audit(uniform)
    >>> print(report.verdict, report.shown.pair.p.tolist())
    biased [[0.0, 1.0]]
    """
    check_form(sampler, "sampler")
    if calls != "auto":
        calls = whole_number("calls", calls, 1, None, 'a positive number of calls, or "auto"')
    for name, value in (("tv_limit", tv_limit), ("error", error)):
        if not 0 < value < 1:
            raise ValueError(f"{name}: {value}; expected a number between 0 and 1")
    settings = settled(options)
    pairs = pairs_to_try(gamma, vocab, prefixes=settings.prefixes) if pairs is None else checked(pairs)
    pairs = judged_pairs(pairs, processor, settings.prefixes)
    numbers = count(1)
    rows = RowTest(error)
    calls_per_pair, enough = (AUTO, max(tv_limit, settings.max_tv)) if calls == "auto" else (calls, 0.0)
    plan = Plan(
        sampler,
        begun(settings),
        calls_per_pair,
        error,
        settings.max_tv,
        settings.seed,
        enough,
    )

    def trial(pair: Pair) -> Trial:
        return Trial(plan, pair, next(numbers))

    trials = [trial(pair) for pair in pairs]
    first, broken, dependence = _in_turn(trials, rows)
    caught = calls_made = sum(t.evidence.calls for t in trials)
    if first is not None:
        caught = first.evidence.calls
        calls_made += first.exhaust()
        if not first.frozen:
            calls_made += first.small_launches(LAUNCHES, ROWS)
            dependence = rows.shown([first.launches])
    if dependence is not None:
        dependent = first or _most_dependent(trials, error)
        report = _dependent(dependent, trial(dependent.pair), trials, dependence, caught, settings.diagnose)
        report = replace(report, tv_limit=tv_limit, settings=settings, calls=calls_made + report.calls)
        return replace(report, notes=tuple(plan.monitor.notes.values()))
    needed = None
    if first is not None:
        smallest, more_calls = _smallest(first, trial)
        calls_made += more_calls
        verdict = Verdict.BIASED
        shown_finding = smallest.finding()
        first_finding = first.finding()
    elif broken is not None:
        caught = broken[0].evidence.calls
        shown_finding = broken[0].finding(broken[1])
        verdict = Verdict.BROKEN
        first_finding = shown_finding
    else:
        first = worst = max(trials, key=lambda t: t.evidence.high)
        caught = worst.evidence.calls
        shown_finding = worst.finding()
        verdict = _calm(trials, tv_limit)
        first_finding = shown_finding
        needed = _needed(trials, tv_limit) if verdict is Verdict.UNDECIDED else None
    findings = tuple(t.finding() for t in trials if t.evidence.calls)
    was_cut = verdict is Verdict.UNDECIDED and plan.monitor.is_over
    report = Report(
        verdict=verdict,
        shown=shown_finding,
        first=first_finding,
        caught=caught,
        tried=findings,
        calls=calls_made,
        tv_limit=tv_limit,
        error=error,
        settings=settings,
        needed=needed,
        stopped=(len(findings), len(trials)) if was_cut else None,
    )
    return report if first is None or was_cut else _explained(report, first, trials, settings, drawn)


def _most_dependent(trials: Sequence[Trial], error: float) -> Trial:
    """The first pair whose own launches show that rows depend on each other, else the one that shows it best."""
    evidence = [dependence_of([t.launches]).log_wealth for t in trials]
    dependent_trials = [t for t, log_wealth in zip(trials, evidence, strict=True) if log_wealth >= -math.log(error)]
    return dependent_trials[0] if dependent_trials else trials[evidence.index(max(evidence))]


def _needed(trials: Sequence[Trial], tv_limit: float) -> int | None:
    """Calls on each pair that decide the audit of a sampler which is lossless, or as lossy as it seems; None where none do."""
    declared = trials[0].plan.max_tv
    biased = any(t.evidence.biased(t.error) for t in trials)
    limit = declared if biased else max(tv_limit, declared)
    needed = [t.calls_to_decide(limit) for t in trials if t.evidence.high > limit]
    numbers = [calls for calls in needed if calls is not None]
    return max(numbers) if numbers and len(numbers) == len(needed) else None


def _dependent(
    dependent_trial: Trial,
    fresh: Trial,
    trials: Sequence[Trial],
    dependence: Dependence,
    caught: int,
    is_diagnosed: bool,
) -> Report:
    """The report where rows of a launch depend on each other: the law of a row, from launches of few rows, is judged apart."""
    plan = dependent_trial.plan
    number = max(min(plan.calls // ROWS, MOST_LAUNCHES), LAUNCHES)
    try:
        fresh.look_by_launch(number, ROWS)
        finding = fresh.finding()
        verdict = Verdict.BIASED if fresh.shown else Verdict.DEPENDENT
    except Late:
        finding = dependent_trial.finding(by_launch=True)
        verdict = Verdict.DEPENDENT
    except Broken as fault:
        finding = dependent_trial.finding(f"later {fault}", by_launch=True)
        verdict = Verdict.DEPENDENT
    findings = tuple(t.finding(by_launch=True) for t in trials if t.evidence.calls)
    cause = Diagnosis("uniforms", "", False, 0.0, (dependence.words(),))
    if verdict is Verdict.BIASED and is_diagnosed and all(t.pair.handed is None for t in trials):
        cause = marginal_cause(plan, [t.pair for t in trials], ROWS, dependence.words()) or cause
    return Report(
        verdict,
        finding,
        finding,
        caught,
        findings,
        fresh.evidence.calls,
        error=plan.error,
        tv_limit=0.0,
        diagnosis=cause,
        dependence=dependence,
    )


def _calm(trials: Sequence[Trial], tv_limit: float) -> Verdict:
    """The verdict where no bias beyond the declared one was shown."""
    high = max(t.evidence.high for t in trials)
    declared = trials[0].plan.max_tv
    if high <= tv_limit and not any(t.evidence.biased(t.error) for t in trials):
        return Verdict.LOSSLESS
    return Verdict.LOSSY if high <= declared else Verdict.UNDECIDED


def _in_turn(
    trials: Sequence[Trial], rows: RowTest
) -> tuple[Trial | None, tuple[Trial, str] | None, Dependence | None]:
    """A look on each pair in turn until one shows a bias, or all together that rows depend on each other.

    Else the smallest pair on which the sampler is broken; none where the time of the audit ends before.
    """
    broken: list[tuple[Trial, str]] = []
    compared = 0  # launches whose rows were compared: later ones are not kept
    while not broken and (open_ := [t for t in trials if t.open]):
        for trial in open_:
            try:
                trial.look()
            except Late:
                return None, None, None
            except Stuck as fault:
                return None, _smallest_stuck(trial, trials, str(fault)), None
            except Broken as fault:
                broken.append((trial, str(fault)))
                continue
            if trial.shown:
                return trial, None, None
        if (launches := sum(len(t.launches) for t in trials)) > compared and not broken:
            compared = launches
            if (dependence := rows.shown([t.launches for t in trials])) is not None:
                return None, None, dependence
    return None, min(broken, key=lambda b: (b[0].pair.gamma, b[0].pair.vocab), default=None), None


def _smallest_stuck(stuck: Trial, trials: Sequence[Trial], fault: str) -> tuple[Trial, str]:
    """The smallest of a few smaller pairs on which one call has not returned either, in the same time."""
    plan = stuck.plan
    size = (stuck.pair.gamma, stuck.pair.vocab)
    small = sorted({(t.pair.gamma, t.pair.vocab): t for t in trials}.items())
    for _, smaller_trial in [item for item in small if item[0] < size][:SMALLER]:
        try:
            small_pair = smaller_trial.pair
            small_sampler = handed(plan.sampler, small_pair)
            called(small_sampler, small_pair.p, small_pair.q, 1, smaller_trial.random[0], plan.monitor)
        except Late:  # what follows would not be called
            break
        except Stuck as again:
            return smaller_trial, str(again)
        except Broken:
            continue
    return stuck, fault


def _smallest(biased_trial: Trial, trial: Callable[[Pair], Trial]) -> tuple[Trial, int]:
    """The smallest pair found by steps that each still show the bias, called until its TV is known; and the calls made."""
    best = biased_trial
    calls = 0
    attempts = iter(range(ATTEMPTS))
    while (smaller_trial := _first_shown(best.pair, trial, attempts))[0] is not None:
        best = smaller_trial[0]
        calls = calls + smaller_trial[1]
    return best, calls + smaller_trial[1] + best.exhaust()


def _first_shown(pair: Pair, trial: Callable[[Pair], Trial], attempts: Iterator[int]) -> tuple[Trial | None, int]:
    """The first smaller pair on which the bias still shows, and the calls made."""
    calls = 0
    for one_smaller, _ in zip(smaller(pair), attempts, strict=False):
        smaller_trial = trial(one_smaller)
        try:
            while not smaller_trial.shown and smaller_trial.open:
                smaller_trial.look()
        except Stuck:  # or late: the pairs that showed it before remain
            break
        except Broken:
            continue
        calls += smaller_trial.evidence.calls
        if smaller_trial.shown:
            return smaller_trial, calls
    return None, calls


def _explained(
    report: Report, first: Trial, trials: Sequence[Trial], settings: Settings, drawn: Drawn | None = None
) -> Report:
    """The report with notes, the price on the laws of `first`, the likely cause, and what the calls could have seen."""
    plan = first.plan
    pairs = [t.pair for t in trials]
    notice(plan.sampler, first.pair, plan.monitor, plan.seed)
    report = replace(report, notes=tuple(plan.monitor.notes.values()))
    if not settings.diagnose:
        return report
    if isinstance(first.pair.handed, Raw):  # known faults have laws of their own, which no processor has changed
        if report.verdict not in (Verdict.BIASED, Verdict.LOSSY):
            return replace(report, diagnosis=None)
        cause = cause_on_unchanged_rows(plan, first.pair.handed.processor)
        return replace(report, diagnosis=cause or processing_cause(first.observation()))
    observations = []
    if report.verdict in (Verdict.BIASED, Verdict.LOSSY):
        observations = observe(plan, pairs, first.observation())
    paced = first if report.verdict is Verdict.BIASED else trials[0]
    pace = measured(paced.lengths(), settings.cost, plan.error)
    drafts = (
        None
        if drawn in (None, drawn_inside) or not paced.pair.gamma
        else given_drafts(paced.pair.q, drawn(paced.pair.q))
    )
    return explained(report, paced.pair, pace, observations, frozen=first.frozen, drafts=drafts)


def assert_lossless(sampler: Sampler, gamma: int = 2, **settings: Any) -> None:
    """One line for a test file: AssertionError with the report's words unless the verdict is lossless.

    Parameters as in `audit`; where `max_tv` is set, lossy as declared passes too.

    >>> from simspec.audit.reference import speculative
    >>> assert_lossless(speculative, gamma=1, calls=20_000)
    """
    report = audit(sampler, gamma, **settings)
    if report.exit_status:
        raise AssertionError(report.words())
