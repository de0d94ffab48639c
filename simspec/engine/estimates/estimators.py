r"""Which estimator a measured value comes from, and how many rows it saved: both from the statistics of the run itself.

A mean can be estimated from several kinds of rows.  What a row costs aside, the rows that an interval needs grow with the
variance of a row, so that

.. math:: \text{saving} = \frac{\operatorname{Var}(\text{row of the plain estimator})}{\operatorname{Var}(\text{row})}

says how many rows of the plain estimator one row is worth in the limit of many.  Each kind of measure names its plain estimator:

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

__all__ = ["Conditional", "Estimator", "Levels", "estimator_name", "saving"]


class Estimator(NamedTuple):
    """How an estimate came about.

    Attributes
    ----------
    name : str
        "single draws", "rows", "conditional expectation", "paired difference", "control variate" or "levels".
    saving : number or None
        how many times as many rows (of levels: drawn tokens) the plain estimator takes for the same variance, by the
        variances of this run; None where there is no other estimator, or the rows do not vary.
    validity : str
        for which laws and stops the interval holds: `simspec.engine.estimates.stopping.validity`.
    """

    name: str
    saving: float | None
    validity: str


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
    name, bracket, place = label.partition("[")
    measure = measures[name]
    own_variance = _variance(measures, totals, label)
    if own_variance is None or own_variance <= _rounding(measure):
        return None
    parts: tuple[str, ...] = ()
    if isinstance(measure, Conditional | Levels):
        parts = (measure.of,) if measure.of else ()
    elif isinstance(measure, Difference):
        parts = (measure.first, measure.second)
    elif isinstance(measure, Controlled):
        parts = (measure.value,)
    else:
        return None
    if parts:
        variances = [_variance(measures, totals, f"{part_name}{bracket}{place}") for part_name in parts]
        plain_variance = None if None in variances else sum(v for v in variances if v is not None)
    else:
        m = mean(totals, label)
        plain_variance = m * (1 - m)
    cost = measure.cost(cell) if isinstance(measure, Levels) else 1.0
    return plain_variance / own_variance / cost if plain_variance else None


def _rounding(measure: Measure) -> float:
    """What rounding rows to the grid of their integers may add to a variance: below it, rows do not vary."""
    return float(measure.high - measure.low) ** 2 / SCALE if isinstance(measure, Mean) else 0.0


def _variance(measures: Mapping[str, Measure], totals: Totals, label: str) -> float | None:
    """Variance of a row of one estimate, in its unit; None for fewer than two rows, or where it is not measured."""
    measure = measures.get(label.partition("[")[0])
    low, high = (measure.low, measure.high) if isinstance(measure, Mean) else (0.0, 1.0)
    rows = totals.get(f"{label}.n", 0)
    return variance(totals, label, low, high) if rows >= 2 else None
