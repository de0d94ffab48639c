"""What a study is: a question on a grid of cells, and a pure function that simulates numbered rows of one cell.

A study asks one question on a grid of cells; `simulate` is a pure function of the cell and of the numbered rows
(replications, contexts or document folds) it is asked for.  Randomness comes from the counter-based generator only,
under a key made from (seed, study, cell), so that any row can be replayed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.checks import short
from simspec.engine.devices import to_host
from simspec.engine.estimates.derived import Control, controlled, derive, paired
from simspec.engine.estimates.statistics import Measure
from simspec.engine.estimates.stopping import Rule
from simspec.engine.study_checks import check_parts, finite
from simspec.kernels import random as philox

__all__ = [
    "Cell",
    "Request",
    "Result",
    "Rows",
    "Study",
    "Values",
    "check_device",
    "checked_values",
    "cross",
    "remembered",
    "rows_of",
    "select",
    "simulate",
]

Cell = Mapping[str, Any]
"""Plain values (text, numbers, lists of them) that say what is simulated."""
Values = dict[str, NDArray[np.float64]]


def cross(**axes: Sequence[Any]) -> tuple[Cell, ...]:
    """Grid of every combination of some values; add listed cells to it with ``+``.

    >>> cross(vocab=(10, 20), df=(5,))
    ({'vocab': 10, 'df': 5}, {'vocab': 20, 'df': 5})
    """
    return tuple(dict(zip(axes, values, strict=True)) for values in product(*axes.values()))


class Rows(NamedTuple):
    """The replications asked for: their numbers, and the key of their random numbers."""

    key: int
    numbers: range


class Request(NamedTuple):
    """What is asked of a run, as far as the choice of an estimator depends on it.

    Attributes
    ----------
    stop : rule or None
    level : float
    device : str
    stored : tuple of cells
        grid of the results that are continued; empty where there are none.
    """

    stop: Rule | None
    level: float
    device: str
    stored: tuple[Cell, ...] = ()


class Result(NamedTuple):
    """A cell and what was simulated there: float arrays whose first axis is the row."""

    cell: Cell
    values: Values


@dataclass(frozen=True)
class Study:
    """A question, the grid of cells on which it is asked, and how one cell is simulated.

    Attributes
    ----------
    name : str
    question : str
    grid : tuple of cells
        a cell may hold ``rows``, the most rows it has (a bank has so many contexts).
    simulate : (cell, rows, device) -> {name: float array, first axis the row}
        pure: the same rows give the same values, in whatever blocks they are asked for.
    summary : str
        in a sentence: what the values are.
    rows : int
        how many rows a run takes when it is not told; for the engine (`simspec.engine.run`), the rows of a block.
    measures : {name: measure}
        for the engine: how each value becomes integers (`Mean`, `Share`, `Counts`); a value with further axes is one
        measure for each place, called ``name[i,j]``.  Values without a measure are not kept.
    stop : rule or None
        for the engine: when a cell has enough (`simspec.engine.estimates.stopping`).
    devices : tuple of "cpu", "gpu"
        where `simulate` can run; on "gpu" it makes CuPy arrays, on the GPU of its worker.
    pair : {name: (first, second)}
        differences of two values on the same rows, first less second, each measured as a value of its own.
    steadier : (study, Request) -> (study, rule), optional
        for the engine: the same question with an estimator of less variance, and the rule in its bounds, where that pays; the
        study and the rule themselves elsewhere (`simspec.engine.choice`).  Pure.
    advice : (study, Request) -> text, optional
        one line that `simspec study run` prints where the study's own rows are simulated: why, and which command is faster;
        empty where nothing is faster.  Pure.
    together : (((cell, rows), ...), device) -> ({name: float array}, ...), optional
        for the engine, on a GPU in this process: what `simulate` returns for some rows of each of several cells, to the last bit,
        in fewer launches.
    control : {name: Control}
        values less what a control with a known mean explains (`simspec.engine.estimates.derived` says why that is unbiased);
        where a control's rows exclude the known mean, the cell has an error.

        Bounds of both follow from those of their parts; a ``Mean(low, high)`` of the same name among the measures states
        narrower ones, where they are proved.

    Raises
    ------
    ValueError
        for a part of another kind, naming it, and for a pair or control of a value without a mean.

    Examples
    --------
    >>> study = Study("squares", "?", ({"power": 2},), lambda cell, rows, device: {
    ...     "y": np.array(rows.numbers, dtype=float) ** cell["power"]}, rows=3)
    >>> simulate(study, study.grid[0], 0, range(3))["y"].tolist()
    [0.0, 1.0, 4.0]
    >>> from simspec.studies import Mean
    >>> two = Study("two", "?", ({},), lambda cell, rows, device: {"a": np.ones(1), "b": np.zeros(1)},
    ...             measures={"a": Mean(), "b": Mean()}, pair={"gain": ("a", "b")})
    >>> two.measures["gain"].low, simulate(two, {}, 0, range(1))["gain"].tolist()
    (-1, [1.0])
    """

    name: str
    question: str
    grid: tuple[Cell, ...]
    simulate: Callable[[Cell, Rows, str], Values]
    summary: str = ""
    rows: int = 1
    measures: Mapping[str, Measure] = field(default_factory=dict)
    stop: Rule | None = None
    devices: tuple[str, ...] = ("cpu",)
    pair: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    control: Mapping[str, Control] = field(default_factory=dict)
    steadier: Callable[[Study, Request], tuple[Study, Rule | None]] | None = None
    advice: Callable[[Study, Request], str] | None = None
    together: Callable[[Sequence[tuple[Cell, Rows]], str], Sequence[Values]] | None = None

    def __post_init__(self) -> None:
        check_parts(self)
        if self.pair or self.control:
            object.__setattr__(self, "measures", controlled(self.control, paired(self.pair, self.measures)))

    def known(self, cell: Cell) -> dict[str, float]:
        """Known mean of each control in a cell, by the name of what it controls."""
        means = {name: control.mean(cell) for name, control in self.control.items()}
        for name, mean in means.items():
            if not finite(mean):
                raise ValueError(f"control: the mean of {name!r} is {short(mean)}; expected a finite number")
        return {name: float(mean) for name, mean in means.items()}

    def __repr__(self) -> str:
        return f"Study({self.name!r}, {len(self.grid)} cells: {self.question})"


def check_device(study: Study, device: str) -> None:
    """Refuse a device that a study has no version for.

    >>> check_device(Study("ones", "?", ({},), lambda cell, rows, device: {}), "cpu")
    """
    if device not in study.devices:
        raise ValueError(f"device: {device!r}; study {study.name!r} runs on {', '.join(study.devices)} only")


def _checked(study: Study, name: str, array: Any) -> Any:
    """An array of real numbers, of which none is masked."""
    if np.ma.isMaskedArray(array):
        raise ValueError(
            f"simulate: study {study.name!r} returned {name!r} as a masked array; expected plain numbers: fill it, or "
            "leave those rows out of the cell"
        )
    try:
        dtype = np.asarray(array).dtype
    except ValueError:
        raise ValueError(
            f"simulate: study {study.name!r} returned {name!r} as rows of several lengths; expected an array"
        ) from None
    if dtype.kind not in "biuf":
        raise ValueError(f"simulate: study {study.name!r} returned {name!r} of dtype {dtype}; expected real numbers")
    return array


def simulate(study: Study, cell: Cell, seed: int, numbers: range, device: str = "cpu") -> Values:
    """Values of some rows of one cell, checked to have one entry a row.

    >>> study = Study("ones", "?", ({},), lambda cell, rows, device: {"y": np.ones(len(rows.numbers))})
    >>> simulate(study, {}, 0, range(2))["y"].tolist()
    [1.0, 1.0]
    """
    check_device(study, device)
    before = deepcopy(cell)
    returned = study.simulate(cell, rows_of(study, cell, seed, numbers), device)
    if cell != before:
        raise ValueError(
            f"simulate: study {study.name!r} changed its cell from {before} to {cell}; expected it unchanged: copy it "
            "first, with dict(cell)"
        )
    return checked_values(study, cell, numbers, returned)


def rows_of(study: Study, cell: Cell, seed: int, numbers: range) -> Rows:
    """Some rows of a cell, with the key of its random numbers."""
    return Rows(philox.make_key(seed, study.name, dict(cell)), numbers)


def checked_values(study: Study, cell: Cell, numbers: range, returned: Any) -> Values:
    """What a study returned for some rows of a cell, on the host, with its pairs and controls; ValueError where it is no such.

    >>> study = Study("ones", "?", ({},), lambda cell, rows, device: {})
    >>> checked_values(study, {}, range(2), {"y": np.ones(2)})["y"].tolist()
    [1.0, 1.0]
    """
    if not isinstance(returned, Mapping) or not all(isinstance(name, str) for name in returned):
        raise ValueError(f"simulate: study {study.name!r} returned {short(returned)}; expected arrays by their names")
    values = {name: _checked(study, name, to_host(array)) for name, array in returned.items()}
    if study.pair or study.control:
        values |= derive(study.measures, study.known(cell), values)
    for name, array in values.items():
        if np.shape(array)[:1] != (len(numbers),):
            raise ValueError(
                f"simulate: study {study.name!r} returned {name!r} of shape {np.shape(array)}; "
                f"expected {len(numbers)} rows"
            )
    return values


def remembered(simulate: Callable[[Cell, Rows, str], Values]) -> Callable[[Cell, Rows, str], Values]:
    """The same pure function, which keeps its answers: for studies that several claims are decided on.

    >>> calls = []
    >>> double = remembered(lambda cell, rows, device: calls.append(1) or {"y": np.zeros(1)})
    >>> _ = double({}, Rows(0, range(1)), "cpu"), double({}, Rows(0, range(1)), "cpu")
    >>> len(calls)
    1
    """
    answers: dict[tuple[str, Rows, str], Values] = {}

    def lookup(cell: Cell, rows: Rows, device: str) -> Values:
        name = (repr(sorted(cell.items())), rows, device)
        if name not in answers:
            answers[name] = simulate(cell, rows, device)
        return answers[name]

    return lookup


def select(results: Sequence[Result], **fixed: Any) -> list[Result]:
    """Results of the cells that hold these values.

    >>> select([Result({"a": 1}, {}), Result({"a": 2}, {})], a=2)[0].cell
    {'a': 2}
    """
    return [r for r in results if all(r.cell.get(name) == value for name, value in fixed.items())]
