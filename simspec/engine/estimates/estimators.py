r"""Which estimator a measured value comes from, and how many rows it saved: both from the statistics of the run itself.

A mean can be estimated from several kinds of rows.  What a row costs aside, the rows that an interval needs grow with the
variance of a row, so that

.. math:: \text{saving} = \frac{\operatorname{Var}(\text{row of the plain estimator})}{\operatorname{Var}(\text{row})}

says how many rows of the plain estimator one row is worth in the limit of many.  Where rows vary less than the rounding of
their sums adds to a variance, the saving has a lower bound only (`saving_above`).  Each kind of measure names its plain
estimator:

* conditional expectation: a single draw of the event, whose variance is m(1 − m) for an event of probability m, or
  another value of the same rows that counts single draws;
* paired difference: two arms on rows of their own, whose variances add up;
* control variate: the value without its control;
* levels: whole rows, which the same rows hold; the tokens that both draw are counted too.

Nothing here chooses an estimator or decides when to stop.

Sources: Owen, "Monte Carlo theory, methods and examples" (2013), chapter 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from simspec.engine.estimates.derived import Controlled, Difference
from simspec.engine.estimates.statistics import SCALE, Mean, Measure, Share, Totals, mean, variance

__all__ = ["Conditional", "Estimator", "Levels", "estimator_name", "is_plain", "saving", "saving_above"]


class Estimator(NamedTuple):
    """How an estimate came about.

    Attributes
    ----------
    name : str
        "single draws", "rows", "conditional expectation", "paired difference", "control variate" or "levels".
    saving : number or None
        how many times as many rows (of levels: drawn tokens) the plain estimator takes for the same variance, by the
        variances of this run; None where there is no other estimator, or the rows vary less than rounding.
    validity : str
        for which laws and stops the interval holds: `simspec.engine.estimates.stopping.validity`.
    saving_above : number or None
        what the saving is larger than, where the rows vary less than rounding; None where `saving` is known, and where rounding
        leaves nothing to be shown.
    is_plain : bool
        whether the rows are those of the plain estimator itself, so that there is no saving.
    """

    name: str
    saving: float | None
    validity: str
    saving_above: float | None = None
    is_plain: bool = False


@dataclass(frozen=True)
class Conditional(Mean):
    """Measure of a conditional expectation: what single draws give on average, given what else the row has drawn.

    Attributes
    ----------
    low, high : numbers
        bounds of a row.
    of : str
        the measure of the single draws on the same rows; "" for the probability of an event, whose single draw is 0 or 1.

    Raises
    ------
    ValueError
        for the probability of an event with other bounds than 0 and 1.

    >>> Conditional(0, 8, of="accepted on a path").high
    8
    """

    of: str = ""

    def __post_init__(self) -> None:
        if not self.of and (self.low, self.high) != (0, 1):
            raise ValueError(
                f"low, high: {self.low}, {self.high}; expected 0 and 1 for the probability of an event, or the name of the "
                "measure of single draws: Conditional(low, high, of=NAME)"
            )


@dataclass(frozen=True)
class Levels(Mean):
    """Measure of rows of levels (`simspec.studies.levels`), in cells with ``vocab`` and ``levels``: tokens and copies.

    Attributes
    ----------
    of : str
        the measure of whole rows, which the same rows hold.

    >>> Levels(-11, 12, "whole rows").cost({"vocab": 1000, "levels": [4, 250]})
    2.0
    """

    of: str = ""

    def cost(self, cell: Mapping[str, Any]) -> float:
        """Tokens that a row draws, over those of a whole row: 1 + tokens · copies / vocab."""
        tokens, copies = cell["levels"]
        return float(1 + tokens * copies / cell["vocab"])


def estimator_name(measure: Measure) -> str:
    """Name of the estimator that a measure stands for.

    >>> estimator_name(Conditional()), estimator_name(Mean()), estimator_name(Share())
    ('conditional expectation', 'rows', 'single draws')
    """
    names: dict[type, str] = {
        Conditional: "conditional expectation",
        Difference: "paired difference",
        Controlled: "control variate",
        Levels: "levels",
        Share: "single draws",
    }
    return names.get(type(measure), "rows")


def saving(measures: Mapping[str, Measure], cell: Mapping[str, Any], totals: Totals, label: str) -> float | None:
    """How many times as many rows (of levels: tokens) the plain estimator takes for the same variance; None if not measurable.

    Parameters
    ----------
    measures : {name: measure}
        of the study.
    cell : mapping
        parameters of the cell.
    totals : {statistic: integer}
        of its rows.
    label : str
        the estimate: a measure's name, with its place for a value with further axes.

    Examples
    --------
    Two rows, 1/4 and 3/4: a coin with the mean 1/2 has the variance 1/4, the rows (1/4² + 1/4²) / (2 − 1) = 1/8.

    >>> import numpy as np
    >>> from simspec.engine.estimates.statistics import bounded
    >>> rates = bounded("alpha", np.array([0.25, 0.75]))
    >>> saving({"alpha": Conditional()}, {}, rates, "alpha"), saving({"alpha": Mean()}, {}, rates, "alpha")
    (2.0, None)
    """
    measure = measures[label.partition("[")[0]]
    own_variance = _variance(measures, totals, label)
    if is_plain(measure) or own_variance is None or own_variance <= _rounding(measure):
        return None
    plain_variance = _plain_variance(measures, totals, label)
    return plain_variance / own_variance / _cost(measure, cell) if plain_variance else None


def saving_above(measures: Mapping[str, Measure], cell: Mapping[str, Any], totals: Totals, label: str) -> float | None:
    """What the saving is larger than where rows vary less than rounding; None elsewhere, and where that is no more than 1.

    Rounding moves a variance by at most (high − low)² 2⁻³² (`simspec.engine.estimates.statistics.variance`): twice that is added
    to the variance of a row, and taken from those of the plain estimator.  Parameters as of `saving`.

    >>> import numpy as np
    >>> from simspec.engine.estimates.statistics import bounded
    >>> rates = bounded("alpha", np.array([0.5, 0.5 + 1e-9]))
    >>> saving({"alpha": Conditional()}, {}, rates, "alpha"), saving_above({"alpha": Conditional()}, {}, rates, "alpha") > 1e8
    (None, True)
    """
    measure = measures[label.partition("[")[0]]
    own_variance = _variance(measures, totals, label)
    if is_plain(measure) or own_variance is None or own_variance > _rounding(measure):
        return None
    plain_variance = _plain_variance(measures, totals, label)
    if plain_variance is None:
        return None
    least_plain = plain_variance - 2 * sum(_rounding(measures[name]) for name in _plain_measures(measure))
    bound = least_plain / (own_variance + 2 * _rounding(measure)) / _cost(measure, cell)
    return bound if bound > 1 else None


def is_plain(measure: Measure) -> bool:
    """Whether rows of a measure are those of its plain estimator: single draws, or a value that stands for no other.

    >>> is_plain(Share()), is_plain(Conditional())
    (True, False)
    """
    return not isinstance(measure, Conditional | Levels | Difference | Controlled)


def _plain_measures(measure: Measure) -> tuple[str, ...]:
    """Measures whose variances add up to that of the plain estimator; none for the probability of an event."""
    if isinstance(measure, Conditional | Levels):
        return (measure.of,) if measure.of else ()
    if isinstance(measure, Difference):
        return (measure.first, measure.second)
    return (measure.value,) if isinstance(measure, Controlled) else ()


def _plain_variance(measures: Mapping[str, Measure], totals: Totals, label: str) -> float | None:
    """Variance of a row of the plain estimator; None where it is not measured."""
    name, bracket, place = label.partition("[")
    names = _plain_measures(measures[name])
    if not names:
        m = mean(totals, label)
        return m * (1 - m)
    variances = [_variance(measures, totals, f"{plain_name}{bracket}{place}") for plain_name in names]
    return None if None in variances else sum(v for v in variances if v is not None)


def _cost(measure: Measure, cell: Mapping[str, Any]) -> float:
    return measure.cost(cell) if isinstance(measure, Levels) else 1.0


def _rounding(measure: Measure) -> float:
    """What rounding rows to the grid of their integers may add to a variance: below it, rows do not vary."""
    return float(measure.high - measure.low) ** 2 / SCALE if isinstance(measure, Mean) else 0.0


def _variance(measures: Mapping[str, Measure], totals: Totals, label: str) -> float | None:
    """Variance of a row of one estimate, in its unit; None for fewer than two rows, or where it is not measured."""
    measure = measures.get(label.partition("[")[0])
    low, high = (measure.low, measure.high) if isinstance(measure, Mean) else (0.0, 1.0)
    rows = totals.get(f"{label}.n", 0)
    return variance(totals, label, low, high) if rows >= 2 else None
