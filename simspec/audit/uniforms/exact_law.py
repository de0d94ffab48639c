"""The audit of a sampler whose uniforms are arguments: its exact law, from its own code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Unpack

from simspec.audit.calling import STUCK, Broken, CallMonitor, Late, UniformSampler, begun, ends_threads
from simspec.audit.diagnosis.cause import MISMATCH, plain_cause
from simspec.audit.diagnosis.explanation import explained
from simspec.audit.diagnosis.known_laws import small_enough
from simspec.audit.diagnosis.observations import Observation, probes
from simspec.audit.diagnosis.price import pace_of
from simspec.audit.diagnosis.processing import processing_cause, step_cause, unchanged_pairs
from simspec.audit.drafting import Drafts, Drawn, drawn_inside, given_drafts
from simspec.audit.forms import check_form
from simspec.audit.handing import Processor, Raw, handed_with_uniforms
from simspec.audit.levels import Laws, is_tree
from simspec.audit.pairs import Pair, checked, for_exact, searched
from simspec.audit.report import Finding, Report, Verdict
from simspec.audit.settings import More, Settings, settled
from simspec.audit.smaller import smaller
from simspec.audit.sparse import judged_pairs, pairs_to_try
from simspec.audit.uniforms.dependent import dependent_report
from simspec.audit.uniforms.edges import AT_ENDS, by_grid, impossible, impossible_at_ends
from simspec.audit.uniforms.emitted import Emitted, emitted, uniforms_of
from simspec.audit.uniforms.ragged import shorter_rows
from simspec.audit.uniforms.reported import is_right_from_report, reads_other_rows, rounds_rows
from simspec.audit.uniforms.roles import shared_uniforms
from simspec.audit.uniforms.separate import DEPENDS
from simspec.checks import whole_number

__all__ = ["exact"]

ATTEMPTS = 60
"""Most smaller pairs that are tried."""
DIAGNOSED = 4
"""Most of the pairs tried on which the cause is looked for too, beside `probes`."""
SMALL = 10
"""How many times the bound on overlooked cells a bias must be to need no more random calls."""
MORE = 10
"""How many times as many these are then."""
GLANCE = 5000
"""Most random calls there by which the cells are confirmed."""
SHORTER_ROWS = plain_cause(
    "bookkeeping",
    "rows with as many drafts as the batch are right; shorter ones get distributions, uniforms or tokens of other places",
)
"""The cause where only rows are wrong that are shorter than others of their batch."""


class _Looks(NamedTuple):
    """A sampler, and how it is looked at on a pair of laws."""

    sampler: UniformSampler
    uniforms: int | Callable[[int], int]
    drawn: Drawn | None
    monitor: CallMonitor
    settings: Settings

    def found(self, pair: Pair) -> Finding:
        return self._found(self._on(pair), pair, self.settings.confirmed, self._number(pair))

    def sure(self, pair: Pair) -> Finding:
        """With more random calls where what is found is so small that an overlooked cell may explain it."""
        finding = self.found(pair)
        if finding.emitted is None or finding.fault or not 0 < finding.tv[0] <= SMALL * finding.emitted.unseen:
            return finding
        return self._found(self._on(pair), pair, MORE * self.settings.confirmed, self._number(pair))

    def glanced(self, pair: Pair) -> Finding:
        """With fewer random calls."""
        return self._found(self._on(pair), pair, min(self.settings.confirmed, GLANCE), self._number(pair))

    def shorter(self, pair: Pair) -> Finding:
        """On rows that are shorter than others of a batch, which has uniforms for the longest."""
        sampler, shorter = shorter_rows(self._on(pair), pair, self._drafts(pair))
        return self._found(sampler, shorter, self.settings.confirmed, self._number(pair))

    def dependent(self, report: Report) -> Report:
        """The report on a sampler whose rows depend on each other."""
        pair = report.shown.pair
        drafts = given_drafts(pair.q, self._drafts(pair))
        return dependent_report(report, self._on(pair), drafts, self._number(pair), self.monitor)

    def shared(self, pair: Pair) -> tuple[str, ...]:
        """Uniforms that do two things, in words."""
        return shared_uniforms(self._on(pair), pair, self._number(pair), self.monitor, self._drafts(pair))

    def drafts(self, pair: Pair) -> Drafts | None:
        """All drafts that the sampler gets, with their probabilities; None where it draws them itself."""
        return None if self.drawn is drawn_inside else given_drafts(pair.q, self._drafts(pair))

    def other_rows(self, pair: Pair, pairs: Sequence[Pair]) -> str:
        """Which rows the sampler reads in place of those it is given, in words; "" where none show, or several are drafted."""
        if self.drawn is not None or is_tree(pair.p) or pair.handed is not None or not pair.gamma:
            return ""
        return reads_other_rows(self.sampler, _with_chains(pair, pairs), self._number, self.monitor)

    def is_right_from_report(self, pair: Pair, pairs: Sequence[Pair]) -> bool:
        """Whether other drafts than those of the reported law are given, one path a call, and with its own all is right."""
        if self.drawn is None or self.drawn is drawn_inside or is_tree(pair.p) or pair.handed is not None:
            return False
        if isinstance(self._drafts(pair), Drafts):
            return False
        return is_right_from_report(self.sampler, _with_chains(pair, pairs), self._number, self.monitor)

    def rounded_rows(self, pair: Pair) -> str:
        """To which format the sampler rounds its rows, in words; "" where none shows."""
        if self.drawn is not None or is_tree(pair.p) or pair.handed is not None:
            return ""
        return rounds_rows(self.sampler, searched(pair.gamma), self._number, self.monitor)

    def _on(self, pair: Pair) -> UniformSampler:
        return handed_with_uniforms(self.sampler, pair)

    def _number(self, pair: Pair) -> int:
        number = self.uniforms(pair.gamma) if callable(self.uniforms) else self.uniforms
        return whole_number("uniforms", number, 0, None, "a number of uniforms, 0 or more")

    def _drafts(self, pair: Pair) -> Laws | Drafts | None:
        return None if self.drawn is None else self.drawn(pair.q)

    def _found(self, sampler: UniformSampler, pair: Pair, confirmed: int, number: int) -> Finding:
        """Enumerate a sampler on one pair, and return TV in an interval with the fault that it shows."""
        drafts = self._drafts(pair)
        settings = self.settings
        try:
            all_ = emitted(
                sampler,
                pair,
                number,
                drafts,
                monitor=self.monitor,
                confirmed=confirmed,
                seed=settings.seed,
                grid=settings.grid,
            )
            fault = "" if settings.grid else impossible_at_ends(sampler, pair, number, drafts, self.monitor)
        except Late:
            raise
        except Broken as broken:
            return Finding(pair, 0, 0.0, (0.0, 1.0), str(broken))
        low, high = all_.tv
        if settings.grid:
            fault = impossible(all_.facts)
            low = low if fault else max(low - by_grid(pair, number, settings.grid), 0.0)
        elif fault:
            low = max(low, AT_ENDS[0])
            high = max(high, AT_ENDS[1])
        return Finding(pair, all_.calls, 0.0, (low, high), fault, all_)


def _with_chains(pair: Pair, others: Sequence[Pair]) -> list[Pair]:
    """A pair, and those of the others that have drafts, one after the other."""
    return [pair, *(chain for chain in others if chain.gamma and not is_tree(chain.p))]


@ends_threads
def exact(
    sampler: UniformSampler,
    gamma: int = 2,
    *,
    vocab: int = 3,
    pairs: Sequence[Pair] | None = None,
    uniforms: int | Callable[[int], int] = uniforms_of,
    drawn: Drawn | None = None,
    processor: Processor | None = None,
    tv_limit: float = 0.05,
    **options: Unpack[More],
) -> Report:
    """Judge a sampler by its exact law: every cut of every uniform is found in its own code.

    Parameters
    ----------
    sampler : (p, q, drafts, uniforms) -> tokens
        n calls that verify drafts (n, gamma) with uniforms (n, C), float64 in [0, 1), on target laws
        p (gamma + 1, V) and draft laws q (gamma, V), all in one launch; row i of what it returns depends on row i of
        drafts and uniforms only.  Returns the emitted tokens, integers (n, gamma + 1), each row filled up with -1.
    gamma, vocab : int; size of the laws tried (smaller ones are tried as well); up to 4 and 6 take seconds
    pairs : laws to try in place of `simspec.audit.pairs.for_exact(gamma, vocab)`
    uniforms : int, or gamma -> int; C, uniforms of a call, those that a call does not need included; 2 gamma + 1 by default
    drawn : draft laws q -> laws from which the drafts really come, where the sampler is told others; or -> all drafts
        with their probabilities, `simspec.audit.drafting.Drafts`, for several paths or a tree of them: drafts (n, K, gamma);
        `simspec.audit.drafting.drawn_inside` for a sampler that draws its drafts from its own uniforms
    processor : (rows (n, V), prefix (n, t)) -> weights (n, V); what the sampler must do to target rows before it verifies: it is
        handed raw rows, and judged by the processed law (`simspec.audit.processors`)
    tv_limit : float; where TV is known as an interval only, lossless means at most this
    options : seed, max_tv, cost, call_timeout, time_limit, prefixes, ragged, grid, diagnose, shrink, confirmed: see
        `simspec.audit.settings.More`

    Returns
    -------
    Report
        `shown.emitted.facts` holds the law as emitted, TV, acceptance and lengths, as fractions;
        `shown.emitted.width` how far TV may be off where a cut was not recognised as a fraction.

    Notes
    -----
    On a grid of 2^-b a lossless rule is off too, since each cut moves by less than 2^-b: by at most `by_grid`, which is
    not called a bias.  What the target never says is one, however rare.

    Cells of uniforms narrower than about 1/16, which begin and end at no place that the laws suggest, may be overlooked;
    random calls bound their mass (`unseen`).  A bias of less than ten times this bound is looked at again with ten times
    as many random calls, so that an overlooked cell of an honest sampler is no bias.

    Examples
    --------
    >>> def fresh(p, q, drafts, uniforms):  # after a refusal draw from p
    ...     kept = uniforms[:, 0] * q[0, drafts[:, 0]] < p[0, drafts[:, 0]]
    ...     def draw(law, u):
    ...         return (u[:, None] >= law.cumsum()).sum(axis=1)
    ...     first = np.where(kept, drafts[:, 0], draw(p[0], uniforms[:, 1]))
    ...     return np.stack([first, np.where(kept, draw(p[1], uniforms[:, 1]), -1)], axis=1)
    >>> import numpy as np
    >>> from simspec.audit.pairs import revealing
    >>> report = exact(fresh, gamma=1, vocab=2, pairs=revealing(1, 2, edges=False))
    >>> print(report.verdict, report.first.emitted.facts.tv, report.shown.emitted.facts.tv)
    biased 1/8 1/4
    """
    settings = settled(options)
    if pairs is None:
        pairs = pairs_to_try(gamma, vocab, prefixes=settings.prefixes, small=for_exact)
    else:
        pairs = checked(pairs)
    pairs = judged_pairs(pairs, processor, settings.prefixes)
    check_form(sampler, "uniforms")
    if not 0 < tv_limit < 1:
        raise ValueError(f"tv_limit: {tv_limit}; expected a number between 0 and 1")
    monitor = begun(settings)
    looks = _Looks(sampler, uniforms, drawn, monitor, settings)
    report = _judged(pairs, looks.sure, tv_limit, settings, looks if settings.shrink else None)
    if settings.ragged and report.verdict in (Verdict.LOSSLESS, Verdict.LOSSY):
        longer = [pair for pair in pairs if pair.gamma and not is_tree(pair.p)]
        ragged = _judged(longer, looks.shorter, tv_limit, settings)
        if ragged.exit_status:
            cause = SHORTER_ROWS if ragged.verdict is Verdict.BIASED and settings.diagnose else None
            return replace(ragged, notes=tuple(monitor.notes.values()), diagnosis=cause)
        report = replace(report, tried=report.tried + ragged.tried, calls=report.calls + ragged.calls)
    report = replace(report, notes=tuple(monitor.notes.values()))
    if report.verdict is Verdict.BROKEN and report.shown.fault == DEPENDS:
        return looks.dependent(report)
    if not settings.diagnose or monitor.is_over:
        return report
    try:
        return _explained(report, pairs, looks)
    except Late:
        return report


def _explained(report: Report, pairs: Sequence[Pair], looks: _Looks) -> Report:
    """The report with the price and the likely cause."""
    first = report.first if report.verdict is Verdict.BIASED else report.tried[0]
    if first.emitted is None:
        return report
    pace = pace_of(first.emitted.facts, first.pair.gamma, report.settings.cost)
    drafts = looks.drafts(first.pair)
    if isinstance(first.pair.handed, Raw):  # known faults have laws of their own, which no processor has changed
        is_biased = report.verdict in (Verdict.BIASED, Verdict.LOSSY)
        if not is_biased:
            return replace(report, diagnosis=None)
        glances = [looks.glanced(pair) for pair in unchanged_pairs(first.pair.handed.processor)]
        cause = step_cause(
            [_observation(glance.pair, glance.emitted) for glance in glances if glance.emitted is not None]
        )
        return replace(report, diagnosis=cause or processing_cause(_observation(first.pair, first.emitted)))
    if report.verdict not in (Verdict.BIASED, Verdict.LOSSY):
        return explained(report, first.pair, pace, [])
    rare = by_grid(first.pair, first.emitted.uniforms, report.settings.grid) if report.settings.grid else 0
    if first.fault and first.emitted.facts.tv <= rare:
        return explained(report, first.pair, pace, [], at_ends=first.fault, drafts=drafts)
    if first.tv[0] <= first.emitted.unseen:  # random calls do not tell it from 0, so that a lossless rule would fit
        report = explained(report, first.pair, pace, [], drafts=drafts)
        line = looks.rounded_rows(first.pair) or "the bias is too small to compare it with known faults"
        return replace(report, diagnosis=plain_cause("numerics", line))
    observations = [_observation(first.pair, first.emitted)]
    for pair in (*small_enough(pairs, DIAGNOSED), *probes()):
        glance = looks.glanced(pair) if pair is not first.pair else first
        if glance.emitted is not None and glance is not first:
            observations.append(_observation(pair, glance.emitted))
        if glance.fault.startswith(STUCK):
            break
    report = explained(report, first.pair, pace, observations, drafts=drafts)
    if report.diagnosis is not None and not report.diagnosis.fits and looks.is_right_from_report(first.pair, probes()):
        line = "lossless if drafts come from the reported probabilities: those that are passed are not those they come from"
        lines = (line, *report.diagnosis.lines[1:])
        return replace(report, diagnosis=report.diagnosis._replace(part=MISMATCH, lines=lines))
    report = _with_uniforms(report, first.pair, looks)
    return _with_rows(report, first.pair, looks)


def _with_uniforms(report: Report, pair: Pair, looks: _Looks) -> Report:
    """The report whose cause is that one uniform does two things, where it is no known fault.

    Of siblings a second test may never succeed on the pair that shows the bias, so others are looked at after it.
    """
    cause = report.diagnosis
    # a uniform that draws a draft decides on more than one test, rightly
    if cause is None or cause.fits or looks.drawn is drawn_inside:
        return report
    further = [] if looks.drawn is None else searched(pair.gamma)
    shared = next(filter(None, map(looks.shared, (pair, *further))), ())
    if not shared:
        return report
    return replace(report, diagnosis=cause._replace(part="uniforms", lines=(*shared, *cause.lines)[: len(cause.lines)]))


def _with_rows(report: Report, pair: Pair, looks: _Looks) -> Report:
    """The report whose cause is that other rows are read, where it is no known fault and they explain it."""
    cause = report.diagnosis
    if cause is None or cause.fits:
        return report
    wrong_part = MISMATCH
    line = looks.other_rows(pair, probes())
    if not line:
        wrong_part = "numerics"
        line = looks.rounded_rows(pair)
    if not line:
        return report
    return replace(report, diagnosis=cause._replace(part=wrong_part, lines=(line, *cause.lines[1:])))


def _observation(pair: Pair, outcome: Emitted) -> Observation:
    return Observation(
        pair,
        {tokens: float(mass) for tokens, mass in outcome.ends.items()},
        0,
        outcome.width + outcome.rounding + outcome.unseen,
    )


def _judged(
    pairs_to_try: Sequence[Pair],
    find: Callable[[Pair], Finding],
    tv_limit: float,
    settings: Settings,
    looks: _Looks | None = None,
) -> Report:
    """The report on pairs tried in turn until one shows a bias that was not declared; `looks` are had at smaller pairs."""

    def shown(finding: Finding) -> bool:
        return finding.emitted is not None and finding.tv[0 if not finding.fault else 1] > settings.max_tv

    findings: list[Finding] = []
    was_cut = False
    for pair in pairs_to_try:
        try:
            findings.append(find(pair))
        except Late:
            was_cut = True
            break
        if shown(findings[-1]) or findings[-1].fault.startswith(STUCK):
            break
    tried = tuple(findings)
    if not findings:  # there was no time for one pair
        findings.append(Finding(pairs_to_try[0], 0, 0.0, (0.0, 1.0)))
    first = findings[-1]
    calls = sum(finding.calls for finding in findings)
    report = partial(Report, tried=tried, tv_limit=tv_limit, error=0.0, settings=settings)
    if shown(first):
        smallest, further_calls = _smallest(first, looks, shown) if looks else (first, 0)
        return report(
            verdict=Verdict.BIASED, shown=smallest, first=first, caught=first.calls, calls=calls + further_calls
        )
    if broken := [finding for finding in tried if finding.emitted is None]:
        smallest_broken = min(broken, key=lambda finding: (finding.pair.gamma, finding.pair.vocab))
        return report(verdict=Verdict.BROKEN, shown=smallest_broken, first=smallest_broken, caught=0, calls=calls)
    worst = max(findings, key=lambda finding: finding.tv[1])
    verdict = Verdict.UNDECIDED
    if was_cut:
        report = partial(report, stopped=(len(tried), len(pairs_to_try)))
    elif worst.tv[1] <= tv_limit and not any(finding.tv[0] for finding in findings):
        verdict = Verdict.LOSSLESS
    elif worst.tv[1] <= settings.max_tv:
        verdict = Verdict.LOSSY
    return report(verdict=verdict, shown=worst, first=worst, caught=worst.calls, calls=calls)


def _smallest(first: Finding, looks: _Looks, is_shown: Callable[[Finding], bool]) -> tuple[Finding, int]:
    """The smallest pair found by steps that each still show the bias, and the calls made.

    The steps are taken with few random calls.  The last pair is looked at again with all of them, and where it does not
    stand the pair before it is.
    """
    steps: list[Finding] = []
    calls = 0
    attempts = iter(range(ATTEMPTS))
    try:
        while True:
            step, step_calls = _step(steps[-1] if steps else first, looks, is_shown, attempts)
            calls += step_calls
            if step is None:
                break
            steps.append(step)
        for step in reversed(steps):
            finding = looks.found(step.pair)
            calls += finding.calls
            if is_shown(finding):
                return finding, calls
    except Late:
        return first, calls
    return first, calls


def _step(
    best: Finding, looks: _Looks, is_shown: Callable[[Finding], bool], attempts: Iterator[int]
) -> tuple[Finding | None, int]:
    """The first of the next smaller pairs that shows the bias, or None; and the calls made."""
    calls = 0
    for pair, _ in zip(smaller(best.pair), attempts, strict=False):
        finding = looks.glanced(pair)
        calls += finding.calls
        if is_shown(finding):
            return finding, calls
    return None, calls
