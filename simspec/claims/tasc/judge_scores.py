"""The difference of judge scores between no added tokens and each budget is negligible.

`tasc.judge-scores`, with its correction: TASC, Table 2 and 6.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simspec.checks import needs
from simspec.claims.claim import Printed
from simspec.claims.deciding.evidence import illustration, measured
from simspec.claims.measured import Found, Interval, Result, Results, Study, empirical, level_of
from simspec.engine.study import Cell, Rows, Values

__all__ = ["Scores", "difference", "study_of"]

NEGLIGIBLE = 0.1
ROUNDING = 0.005


class Scores(NamedTuple):
    """Printed mean and standard deviation of a number of scores."""

    mean: float
    deviation: float
    number: int


N = 1260
PRINTED = {
    0: Scores(3.53, 0.73, N),
    150: Scores(3.21, 0.79, N),
    300: Scores(3.15, 0.82, N),
    500: Scores(3.23, 0.77, N),
    750: Scores(3.25, 0.76, N),
    1000: Scores(3.18, 0.79, N),
}
"""Table 2, by the number of added tokens; 1,260 output samples (B.1), read as 1,260 scores a budget."""


def difference(
    one: Scores, other: Scores, level: float = 0.95, correlation: float = 0.0, rounding: float = ROUNDING
) -> Interval:
    r"""Interval for the difference of two means, from printed figures.

    .. math::
        \bar x - \bar y \pm \left(t\,\sqrt{s_x^2/n_x + s_y^2/n_y - 2\rho\,s_x s_y / \sqrt{n_x n_y}} + 2\epsilon\right)

    with Welch's degrees of freedom; :math:`\epsilon` is half a unit of the last printed place, of means and deviations.

    Parameters
    ----------
    one, other : Scores
    level : in (0, 1)
    correlation : in [-1, 1]
        of paired scores; 0 is the two-sample interval, -1 the widest that any pairing could give.
    rounding : number >= 0

    Raises
    ------
    ValueError
        for fewer than two scores, or a correlation outside [-1, 1].

    Examples
    --------
    >>> interval = difference(Scores(3.0, 1.0, 200), Scores(2.0, 1.0, 200), rounding=0)  # standard error 0.1
    >>> interval.estimate, round(interval.high, 3)
    (1.0, 1.197)
    """
    (special,) = needs("an interval", "scipy.special")
    if min(one.number, other.number) < 2 or not -1 <= correlation <= 1:
        raise ValueError(
            f"number, correlation: {one.number}, {other.number}, {correlation}; expected two scores or more of each, "
            "and a correlation in [-1, 1]"
        )
    a, b = ((s.deviation + rounding) / s.number**0.5 for s in (one, other))
    error = (a * a + b * b - 2 * correlation * a * b) ** 0.5
    freedom = (a * a + b * b) ** 2 / (a**4 / (one.number - 1) + b**4 / (other.number - 1))
    half = float(special.stdtrit(freedom, (1 + level) / 2)) * error + 2 * rounding
    gap = one.mean - other.mean
    return Interval(gap, gap - half, gap + half, level)


def study_of(printed: dict[int, Scores]) -> Study:
    """The printed figures as a study: a cell for each budget, beside no added tokens."""
    base = printed[0]
    grid: tuple[Cell, ...] = tuple(
        {"added": added, "base": list(base), "scores": list(scores)} for added, scores in printed.items() if added
    )

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        gap = cell["base"][0] - cell["scores"][0]
        return {"loss": np.full(len(rows.numbers), gap, dtype=np.float64)}

    return Study(
        "judge-scores", "Is the printed loss of judge score negligible?", grid, simulate, "printed differences"
    )


def _pair(result: Result) -> tuple[Scores, Scores]:
    return Scores(*result.cell["base"]), Scores(*result.cell["scores"])


def _size(interval: Interval) -> Interval:
    """Interval of the size of a quantity."""
    low = interval.low
    high = interval.high
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return Interval(abs(interval.estimate), nearest, max(abs(low), abs(high)), interval.level)


def _label(result: Result) -> str:
    base, scores = _pair(result)
    return (
        f"Table 2: {base.mean:.2f} ± {base.deviation:.2f} without, {scores.mean:.2f} ± {scores.deviation:.2f} with "
        f"{result.cell['added']:,} added tokens"
    )


def _beside(results: Results, level: float) -> Found:
    """The widest intervals that another pairing, or another reading of the number of outputs, allows."""
    for result in results:
        base, scores = _pair(result)
        sixth = base._replace(number=N // 6), scores._replace(number=N // 6)
        for reading, first_scores, second_scores, correlation in (
            ("if paired as badly as can be", base, scores, -1.0),
            (f"if {N:,} are the outputs of all six budgets", *sixth, 0.0),
        ):
            interval = difference(first_scores, second_scores, level, correlation)
            yield measured(f"beside: {_label(result)}, {reading}", None, first_scores.number, interval)
        control = {"in standard deviations": (base.mean - scores.mean) / base.deviation}
        yield illustration(_label(result), None, base.number, base.mean - scores.mean, control)


def _negligible(results: Results) -> Found:
    level = level_of(len(results))
    for r in results:
        base, scores = _pair(r)
        size = _size(difference(base, scores, level))
        yield measured(f"{_label(r)}: size of the difference", None, scores.number, size, below=NEGLIGIBLE)
    yield from _beside(results, level)


def _lost(results: Results) -> Found:
    level = level_of(len(results))
    for r in results:
        base, scores = _pair(r)
        label = f"{_label(r)}: loss, paired as badly as can be"
        yield measured(label, None, scores.number, difference(base, scores, level, -1.0), exceed=NEGLIGIBLE)
    yield from _beside(results, level)


_FIGURES = (
    "From the printed means, standard deviations and 1,260 outputs alone, with the rounding of each figure against the "
    "claim that it bounds. "
)

JUDGE = empirical(
    name="tasc.judge-scores",
    statement=r"the difference between the judge score without added tokens, $3.53 \pm 0.73$, and that of each budget, "
    r"$3.15 \ldots 3.25 \pm 0.76 \ldots 0.82$, is negligible (below 0.1)",
    reference="TASC, Table 2 and 6.1",
    corrected_by=("tasc.judge-scores-corrected",),
    note="The printed deviations are those of single outputs; means of 1,260 are 35 times as sharp, and all "
    "five budgets lie 0.28 to 0.38 points, nearly half a deviation, below. That ± overlaps ± says nothing about means.",
    study=lambda data: study_of(PRINTED),
    estimate=_negligible,
    criterion=_FIGURES + "Pairing is not printed, so the two means count as independent. Supported when the size of "
    "each budget's difference is below 0.1, by two-sample t-intervals that hold together at 95 % (equivalence); "
    "unsupported when one interval lies at or above 0.1.",
    printed=Printed(
        place="TASC 6.1",
        text="showing negligible impact on the output quality",
        read="Negligible: below a tenth of a point, by the figures of Table 2.",
    ),
)

JUDGE_CORRECTED = empirical(
    name="tasc.judge-scores-corrected",
    statement="each budget's judge score lies more than 0.1 below that without added tokens, however outputs are paired",
    reference="own statement: TASC, Table 2, what its figures show",
    note="The widest interval belongs to scores with correlation −1; even that stays above 0.1. With only 210 outputs a "
    "budget, another reading of the number, some budgets could not be told from a loss of 0.1.",
    study=lambda data: study_of(PRINTED),
    estimate=_lost,
    criterion=_FIGURES + "Supported when each budget's loss exceeds 0.1, by t-intervals for correlation −1, the "
    "least favourable pairing, that hold together at 95 %; unsupported when one interval lies at or below 0.1.",
)
