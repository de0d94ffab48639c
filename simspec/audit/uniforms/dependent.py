"""Rows of a batch that depend on each other where uniforms are arguments: certain, because the other rows alone are changed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import Broken, CallMonitor, Late, Sampler, UniformSampler, called_with_uniforms
from simspec.audit.dependence import Dependence
from simspec.audit.diagnosis.cause import plain_cause
from simspec.audit.drafting import Drafts
from simspec.audit.pairs import Pair
from simspec.audit.report import Report, Verdict
from simspec.audit.settings import Settings
from simspec.audit.trial import Plan, Trial
from simspec.audit.uniforms.separate import share_changed
from simspec.laws import Array

__all__ = ["black_box_of", "dependent_report"]

PATTERN = "rows change with the uniforms of other rows"
ERROR = 1e-6
"""Risk of the interval for TV of single rows."""
ROWS = 8
LAUNCHES = (16, 4000)
"""Rows of the launches by which single rows are judged, and how many launches there are at least and at most."""


def black_box_of(sampler: UniformSampler, drafts: Drafts, uniforms: int) -> Sampler:
    """A sampler that takes drafts and uniforms as one that draws them.

    >>> def first(p, q, drafts, uniforms):
    ...     return drafts
    >>> from fractions import Fraction
    >>> box = black_box_of(first, Drafts(np.array([[4]]), [Fraction(1)]), 1)
    >>> box(None, None, 2, np.random.default_rng(0)).tolist()
    [[4], [4]]
    """
    chances = np.array([float(chance) for chance in drafts.chances])

    def sampler_of_calls(p: Any, q: Any, n: int, rng: np.random.Generator) -> Any:
        rows = rng.choice(len(chances), size=n, p=chances / chances.sum())
        return sampler(p, q, drafts.tokens[rows], rng.random((n, uniforms)))

    return sampler_of_calls


def dependent_report(
    report: Report, sampler: UniformSampler, drafts: Drafts, uniforms: int, monitor: CallMonitor
) -> Report:
    """The report on a sampler whose rows depend on each other, in place of one that calls it broken.

    The dependence is certain.  The law of single rows is judged from launches of few rows, as that of a black box is
    (`simspec.audit.trial.Trial.look_by_launch`): the interval holds with risk `ERROR`, however rows of a launch depend on each
    other.

    Parameters
    ----------
    sampler : on the laws of the pair `report.shown.pair`
    drafts, uniforms : all drafts with their probabilities, and the uniforms of a call
    """
    settings: Settings = report.settings
    shown_pair = report.shown.pair
    pair: Pair = shown_pair._replace(handed=None)  # `sampler` is already on its laws

    def look(row: NDArray[np.int64], u: Array) -> NDArray[np.int64]:
        return called_with_uniforms(sampler, pair.p, pair.q, drafts.tokens[row], u, monitor)

    plan = Plan(
        black_box_of(sampler, drafts, uniforms), monitor, settings.confirmed, ERROR, settings.max_tv, settings.seed
    )
    trial = Trial(plan, pair, 1)
    least, most = LAUNCHES
    try:
        share = share_changed(look, len(drafts.tokens), uniforms, settings.seed)
        trial.look_by_launch(max(min(settings.confirmed // ROWS, most), least), ROWS)
    except Late:
        return report
    except Broken as fault:
        return replace(report, shown=report.shown._replace(fault=str(fault)))
    dependence = Dependence(math.inf, PATTERN, share, 0.0)
    finding = trial.finding()._replace(pair=shown_pair)
    return replace(
        report,
        verdict=Verdict.BIASED if trial.shown else Verdict.DEPENDENT,
        shown=finding,
        first=finding,
        caught=trial.evidence.calls,
        calls=report.calls + trial.evidence.calls,
        error=ERROR,
        diagnosis=plain_cause("uniforms", dependence.words()),
        dependence=dependence,
    )
