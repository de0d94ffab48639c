r"""Values made of others, row by row: the difference of two arms, and a value with a control variate.

Both arms of a pair are measured on the same rows, on the same random numbers; whatever moves both leaves their difference,

.. math:: \operatorname{Var}(a - b) = \operatorname{Var} a + \operatorname{Var} b - 2 \operatorname{Cov}(a, b).

It is a value of its own: bounded, since both arms are, with integers, an interval, stops, frames and plots like all others.

A control is a value x whose mean μ is known exactly.  The row :math:`y - c (x - \mu)` has the mean of y whatever the constant c
is, since x − μ has mean zero; with :math:`c = \operatorname{Cov}(y, x) / \operatorname{Var} x` its variance is
:math:`(1 - \mathrm{corr}^2) \operatorname{Var} y`.  It is unbiased because c is fixed before the rows: by a formula, or by
`regression` on rows of another seed.  A c fitted to the rows themselves would depend on them, and so bias the mean.

Bounds matter as much as variance: an interval that knows nothing but bounds cannot be narrower than about their distance
times log(2/a) over the number of rows.  Where narrower ones are proved, state them; then every row is held against them.

Sources: Owen, "Monte Carlo theory, methods and examples" (2013), chapter 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from simspec.engine.estimates.statistics import Mean, Measure, Share
from simspec.engine.estimates.stopping import Blocks, intervals
from simspec.laws import Array

__all__ = ["Control", "Controlled", "Difference", "contradiction", "controlled", "derive", "paired", "regression"]

ALARM = 1e-6
"""Probability with which a control whose mean is right is ever said to be wrong."""

Named: TypeAlias = Mapping[str, Any]


class Control(NamedTuple):
    """A value, what controls it, the exact mean of that, and the coefficient.

    Attributes
    ----------
    value, control : str
        names of measured values: bounded means or shares.
    mean : (cell) -> number
        the control's exact mean in a cell.
    coefficient : number
        c, fixed before the rows.
    """

    value: str
    control: str
    mean: Callable[[Named], float]
    coefficient: float = 1.0


@dataclass(frozen=True)
class Difference(Mean):
    """Measure of the difference of two values on the same rows.

    >>> Difference(-1, 1, "a", "b").row({"a": np.array([True]), "b": np.array([0.25])}).tolist()
    [0.75]
    """

    first: str = ""
    second: str = ""

    def row(self, values: Named) -> Array:
        """first − second."""
        return _of(values, self.first) - _of(values, self.second)


@dataclass(frozen=True)
class Controlled(Mean):
    """Measure of a value less its control's deviation from the known mean.

    >>> Controlled(-1, 2, "y", "x", 0.5).row({"y": np.array([1.0]), "x": np.array([0.5])}, 0.25).tolist()
    [0.875]
    """

    value: str = ""
    control: str = ""
    coefficient: float = 1.0

    def row(self, values: Named, known_mean: float) -> Array:
        """value − c (control − known mean)."""
        return _of(values, self.value) - self.coefficient * (_of(values, self.control) - known_mean)


def _of(values: Named, name: str) -> Array:
    return np.asarray(values[name], dtype=np.float64)


def _bounds(name: str, measures: Mapping[str, Measure], option: str) -> tuple[float, float]:
    """Bounds of a named value."""
    measure = measures.get(name)
    if isinstance(measure, Mean):
        return measure.low, measure.high
    if isinstance(measure, Share):
        return 0, 1
    raise ValueError(f"{option}: {name!r} is {measure}; expected the name of a Mean or a Share among the measures")


def _given(name: str, measures: Mapping[str, Measure], option: str) -> Mean | None:
    """Bounds that are stated for the derived value itself, or None."""
    measure = measures.get(name)
    if measure is None or type(measure) is Mean:
        return measure
    raise ValueError(f"{option}: {name!r} is also measured as {measure}; expected another name, or Mean(low, high)")


def paired(pair: Mapping[str, tuple[str, str]], measures: Mapping[str, Measure]) -> dict[str, Measure]:
    """The measures, with one for each difference: between the least and the greatest that the two arms' bounds allow.

    >>> paired({"gain": ("a", "b")}, {"a": Mean(0, 3), "b": Share()})["gain"]
    Difference(low=-1, high=3, first='a', second='b')

    Raises
    ------
    ValueError
        for an arm that is no mean or share, or a name that has another measure.
    """
    out = dict(measures)
    for name, (first, second) in pair.items():
        there = out.get(name)
        if isinstance(there, Difference) and (there.first, there.second) == (first, second):
            continue  # made before: the study is a copy
        (a, b) = _bounds(first, measures, "pair")
        (c, d) = _bounds(second, measures, "pair")
        stated = None if isinstance(there, Difference) else _given(name, out, "pair")
        low, high = (stated.low, stated.high) if stated else (a - d, b - c)
        out[name] = Difference(low, high, first, second)
    return out


def controlled(control: Mapping[str, Control], measures: Mapping[str, Measure]) -> dict[str, Measure]:
    """The measures, with one for each controlled value: as far beyond the value's bounds as the control can move it.

    >>> controlled({"z": Control("y", "x", lambda cell: 0.5, -2)}, {"y": Mean(0, 3), "x": Mean()})["z"]
    Controlled(low=-2.0, high=5.0, value='y', control='x', coefficient=-2)

    Raises
    ------
    ValueError
        for a value or a control that is no mean or share, a name that has another measure, or a coefficient that is not finite.
    """
    out = dict(measures)
    for name, (value, by, _, c) in control.items():
        there = out.get(name)
        if isinstance(there, Controlled) and (there.value, there.control, there.coefficient) == (value, by, c):
            continue
        if not np.isfinite(c):
            raise ValueError(f"control: coefficient {c} of {name!r}; expected a finite number")
        (low, high) = _bounds(value, measures, "control")
        (control_low, control_high) = _bounds(by, measures, "control")
        stated = None if isinstance(there, Controlled) else _given(name, out, "control")
        widening = float(abs(c) * (control_high - control_low))
        low, high = (stated.low, stated.high) if stated else (low - widening, high + widening)
        out[name] = Controlled(low, high, value, by, c)
    return out


def derive(measures: Mapping[str, Measure], known_means: Mapping[str, float], values: Named) -> dict[str, Array]:
    """The derived values of some rows.

    Parameters
    ----------
    measures : as `paired` and `controlled` make them
    known_means : exact mean of each control, by the name of what it controls
    values : {name: (rows, ...)} what was simulated

    Raises
    ------
    ValueError
        where a value is missing, has another shape than its partner, or already bears the name.

    Examples
    --------
    >>> values = {"a": np.array([1.0, 0.5]), "b": np.array([0.5, 0.5])}
    >>> derive(paired({"gain": ("a", "b")}, {"a": Mean(), "b": Mean()}), {}, values)["gain"].tolist()
    [0.5, 0.0]
    """
    out: dict[str, Array] = {}
    for name, measure in measures.items():
        if not isinstance(measure, Difference | Controlled):
            continue
        parts = (measure.first, measure.second) if isinstance(measure, Difference) else (measure.value, measure.control)
        shapes = [np.shape(values[part_name]) if part_name in values else None for part_name in parts]
        if name in values or None in shapes or shapes[0] != shapes[1]:
            raise ValueError(
                f"simulate: {name!r} is made of {parts[0]!r} and {parts[1]!r}, of shapes {shapes[0]} and {shapes[1]} "
                f"among {sorted(values)}; expected both, of one shape, and no {name!r}"
            )
        out[name] = measure.row(values) if isinstance(measure, Difference) else measure.row(values, known_means[name])
    return out


def contradiction(control: Mapping[str, Control], cell: Named, measures: Named, blocks: Blocks) -> str | None:
    """What is wrong with a control whose confidence sequence excludes the mean that was said to be known, or None.

    The sequence has confidence 1 − `ALARM`, so that a mean that is right is refused in no more than so many of all runs, however
    long and however often they are looked at.

    >>> from simspec.engine.estimates.statistics import bounded
    >>> blocks = {name: [total] for name, total in bounded("x", np.full(1000, 0.5)).items()}
    >>> for mean in (0.5, 0.7):
    ...     print(contradiction({"z": Control("y", "x", lambda cell: mean)}, {}, {"x": Mean()}, blocks))
    None
    control: the mean of 'x' lies in [0.426239, 0.573761] with confidence 1 - 1e-06, which excludes 0.7, said to be known: \
what it controls is biased
    """
    for by, mean in {(c.control, float(c.mean(cell))) for c in control.values()}:
        low, high = _bounds(by, measures, "control")
        for label in _labels(by, blocks):
            lower, upper = (float(end[-1]) for end in intervals(blocks, label, 1 - ALARM, low, high))
            if not lower <= mean <= upper:
                return (
                    f"control: the mean of {label!r} lies in [{lower:.6g}, {upper:.6g}] with confidence 1 - {ALARM:g}, which "
                    f"excludes {mean:.6g}, said to be known: what it controls is biased"
                )
    return None


def _labels(name: str, blocks: Blocks) -> Iterator[str]:
    for key in blocks:
        label, _, kind = key.rpartition(".")
        if kind == "n" and label.partition("[")[0] == name:
            yield label


def regression(value: Array, control: Array) -> float:
    """The coefficient with the least variance, Cov(value, control) / Var(control), of some rows; 0 where the control is constant.

    >>> regression(np.array([1.0, 3.0, 5.0]), np.array([0.0, 1.0, 2.0]))
    2.0
    """
    x, y = (np.asarray(v, dtype=np.float64) for v in (control, value))
    if not np.ptp(
        x, axis=0
    ).any():  # asked before the mean is subtracted, which rounding can leave a hair beside the rows
        return 0.0
    x = x - x.mean(axis=0)
    y = y - y.mean(axis=0)
    return float((x * y).sum() / (x * x).sum())
