"""What a run shows of itself: a display that moves in terminals and notebooks, plain lines elsewhere, and the table at the end.

Nothing here changes a result; `Live` is a callback that `simspec.run` takes as `progress`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simspec.engine.cells import CellResult, Estimate
from simspec.engine.estimates.estimators import Estimator
from simspec.engine.estimates.stopping import EVERY_LAW, IN_THE_LIMIT, ONE_LOOK
from simspec.engine.run import Snapshot
from simspec.engine.show.columns import fit
from simspec.engine.store.segment import canonical
from simspec.engine.study import Cell, Study

__all__ = [
    "PROMISES",
    "SAVINGS",
    "Live",
    "constant",
    "digits",
    "duration",
    "estimator_notes",
    "estimator_texts",
    "found_columns",
    "labels",
    "line",
    "table",
    "varying",
]

EVERY = 5.0
"""Seconds between plain lines."""
LATEST = 8
"""Cells in the moving display."""
PROMISES = {
    EVERY_LAW: f"{EVERY_LAW}: at every stop, for every law within the bounds of the measure",
    IN_THE_LIMIT: f"{IN_THE_LIMIT}: at every stop, in the limit of many rows",
    ONE_LOOK: f"{ONE_LOOK}: at this number of rows only, in the limit of many rows",
}
"""What intervals promise, in words."""
MORE_THAN = "more than"
NOTHING = "nothing"
NOT_MEASURED = "not measured"
SAVINGS = {
    "times": "rows of the plain estimator that one row is worth, by the variances of these rows",
    MORE_THAN: f"{MORE_THAN}: these rows vary less than the rounding of their sums, which gives a lower bound",
    NOTHING: f"{NOTHING}: rows of the plain estimator itself",
    NOT_MEASURED: f"{NOT_MEASURED}: too few rows, or they and those of the plain estimator vary less than rounding",
}
"""What an estimator saved, in words, and what these mean."""
FEW = 12
"""So many estimates of one cell are all shown; of more, only those without places."""


def varying(grid: Sequence[Cell]) -> list[str]:
    """Parameters whose values differ between the cells of a grid.

    >>> varying([{"a": 1, "b": 2}, {"a": 1, "b": 3}])
    ['b']
    """
    names = dict.fromkeys(name for cell in grid for name in cell)
    return [n for n in names if len({canonical(cell.get(n)) for cell in grid}) > 1]


def constant(grid: Sequence[Cell]) -> dict[str, Any]:
    """Parameters that are the same in every cell.

    >>> constant([{"a": 1, "b": 2}, {"a": 1, "b": 3}])
    {'a': 1}
    """
    return {name: value for name, value in grid[0].items() if name not in varying(grid)} if grid else {}


def duration(seconds: float) -> str:
    """A time in words, one unit finer than needed.

    >>> duration(42), duration(200), duration(2 * 86400), duration(float("inf"))
    ('42 s', '3 min 20 s', '2 d 0 h', 'unknown')
    """
    if not math.isfinite(seconds):
        return "unknown"
    whole_seconds = round(seconds)
    for size, unit, finer, name in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole_seconds >= size:
            return f"{whole_seconds // size} {unit} {whole_seconds % size // finer} {name}"
    return f"{whole_seconds} s"


def digits(estimate: Estimate) -> tuple[str, str, str]:
    """Mean, low and high with two digits of the interval's half-width.

    >>> digits(Estimate(0.62178, 0.6117, 0.6319))
    ('0.622', '0.612', '0.632')
    """
    half = (estimate.high - estimate.low) / 2
    places = min(12, max(0, 1 - math.floor(math.log10(half)))) if half > 0 else 6
    mean, low, high = (f"{value:.{places}f}" for value in estimate)
    return mean, low, high


def labels(results: Iterable[CellResult], measure: str | None = None) -> list[str]:
    """Which estimates to show: those called `measure` (with their places), or all if they are few, or those without places.

    >>> result = CellResult({}, "0f", 1, 1, True, {"a": Estimate(0, 0, 0), "b[0]": Estimate(0, 0, 0)}, {}, 0.95)
    >>> labels([result]), labels([result], "b")
    (['a', 'b[0]'], ['b[0]'])
    """
    names = list(dict.fromkeys(name for result in results for name in result.estimates))
    if measure is not None:
        return [n for n in names if measure in (n, n.partition("[")[0])]
    return names if len(names) <= FEW else [n for n in names if "[" not in n] or names[:FEW]


def line(snapshot: Snapshot, seconds: float) -> str:
    """Progress in words; `seconds` is the time since the start.

    >>> result = CellResult({}, "0f", 1, 1, True, {}, {}, 0.95)
    >>> line(Snapshot(1, 0, 2, 5000, 100.0, 90.0, result), 7)
    '1/2 cells decided, 5,000 rows, 100 rows/s, at most 1 min 30 s left, 7 s so far'
    >>> line(Snapshot(1, 0, 2, 5000, 100.0, 36000.0, result, 360.0), 7)
    '1/2 cells decided, 5,000 rows, 100 rows/s, about 6 min 0 s left, at most 10 h 0 min, 7 s so far'
    """
    failed = f", {snapshot.failed} failed" if snapshot.failed else ""
    remaining_text = ""
    if math.isfinite(snapshot.left) and snapshot.left >= 0.5:
        longest = duration(snapshot.left)
        expected = duration(snapshot.expected)
        # the longest alone where nothing is foretold, or the same
        is_sooner = snapshot.expected < snapshot.left and expected != longest
        remaining_text = f", about {expected} left, at most {longest}" if is_sooner else f", at most {longest} left"
    return (
        f"{snapshot.decided}/{snapshot.cells} cells decided{failed}, {snapshot.rows:,} rows, "
        f"{snapshot.rate:,.0f} rows/s{remaining_text}, {duration(seconds)} so far"
    )


def _brief(result: CellResult, names: Sequence[str]) -> str:
    parts = [f"{n} {m} [{low}, {high}]" for n in names for m, low, high in [digits(result.estimates[n])]]
    return ", ".join(parts)


def _state(result: CellResult) -> str:
    return "failed" if result.error else "yes" if result.decided else "no"


def _text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def table(
    study: Study, results: Sequence[CellResult], measure: str | None = None, title: str = "", plain: bool = False
) -> Any:
    """A rich table with a line for each cell and estimate: number and parameters of the cell, rows, mean, interval, decided.

    Beside the interval stands what it promises (`simspec.engine.estimates.stopping.validity`), then the estimator, and how
    many rows of the plain estimator one row was worth.

    Parameters
    ----------
    results : list of CellResult
        any of the study's cells.
    measure : str, optional
        the one measure to show.
    plain : bool
        no frame, for files and pipes.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    names = varying(study.grid)
    shown_labels = labels(results, measure)
    number = {canonical(cell): i for i, cell in enumerate(study.grid)}
    level = f"{100 * results[0].level:.6g} %" if results else ""
    out = Table(
        title=Text(title, "table.title") if title else None,
        box=None if plain else box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
    )
    out.add_column("cell", justify="right")
    for name in names:
        numeric = all(isinstance(c.get(name, 0), int | float) for c in study.grid)
        out.add_column(Text(name), justify="right" if numeric else "left")
    out.add_column("rows", justify="right")
    if len(shown_labels) != 1:
        out.add_column("measure")
    for heading in (*(shown_labels if len(shown_labels) == 1 else ["mean"]), f"interval {level}".strip()):
        out.add_column(Text(heading), justify="right", no_wrap=True)
    out.add_column("valid", no_wrap=True)
    out.add_column("estimator", no_wrap=True)
    out.add_column("saves", justify="right", no_wrap=True)
    out.add_column("decided", no_wrap=True)
    styles = {"failed": "red", "yes": "green", "no": "yellow"}
    for result in results:
        first = [str(number[canonical(result.cell)]), *(_text(result.cell.get(n)) for n in names), f"{result.rows:,}"]
        for label in [n for n in shown_labels if n in result.estimates] or [""]:
            mean, low, high = digits(result.estimates[label]) if label else ("", "", "")
            middle = [] if len(shown_labels) == 1 else [label]
            interval = f"[{low}, {high}]" if label else ""
            state = _state(result)
            cells_of_row = (Text(text) for text in (*first, *middle, mean, interval))  # brackets are no markup
            valid, estimator, saves = estimator_texts(result, label)
            out.add_row(*cells_of_row, valid, estimator, saves, Text(state, styles[state]))
            if not plain:
                first = [""] * len(first)
    return out


def estimator_texts(result: CellResult, label: str) -> tuple[str, str, str]:
    """What an interval promises, its estimator and what that saved, in words; nothing where a cell has no such estimate.

    >>> from simspec.engine.estimates.estimators import Estimator
    >>> conditional = Estimator("conditional expectation", 312.6, "every law")
    >>> estimators = {"a": conditional, "b": Estimator("rows", None, "every law", is_plain=True)}
    >>> result = CellResult({}, "0f", 1, 1, True, {}, {}, 0.95, estimators=estimators)
    >>> estimator_texts(result, "a"), estimator_texts(result, "b"), estimator_texts(result, "c")
    (('every law', 'conditional expectation', '313 times'), ('every law', 'rows', 'nothing'), ('', '', ''))
    """
    estimator = result.estimators.get(label)
    if estimator is None:
        return "", "", ""
    return estimator.validity, estimator.name, _saving_text(estimator)


def _saving_text(estimator: Estimator) -> str:
    if estimator.saving is not None:
        return _factor_text(estimator.saving)
    if estimator.saving_above is not None:
        return f"{MORE_THAN} {_factor_text(estimator.saving_above)}"
    return NOTHING if estimator.is_plain else NOT_MEASURED


def _factor_text(factor: float) -> str:
    return f"{factor:,.{0 if factor >= 10 else 1}f} times"


def estimator_notes(results: Iterable[CellResult]) -> list[str]:
    """A sentence for each promise that the intervals of some results make, and one on what their estimators saved.

    >>> from simspec.engine.estimates.estimators import Estimator
    >>> estimators = {"a": Estimator("rows", None, "every law", is_plain=True)}
    >>> for note in estimator_notes([CellResult({}, "0f", 1, 1, True, {}, {}, 0.95, estimators=estimators)]):
    ...     print(note)
    valid: every law: at every stop, for every law within the bounds of the measure
    saves: nothing: rows of the plain estimator itself
    """
    estimators = [estimator for result in results for estimator in result.estimators.values()]
    promises = [PROMISES[name] for name in PROMISES if any(e.validity == name for e in estimators)]
    notes = ["valid: " + "; ".join(promises)] if promises else []
    texts = [_saving_text(estimator) for estimator in estimators]
    meanings = [meaning for word, meaning in SAVINGS.items() if any(word in text for text in texts)]
    return [*notes, "saves: " + "; ".join(meanings)] if meanings else notes


def found_columns(cells: Any) -> list[str]:
    """Headings of the columns of a `table` that say what was found, in place of which cell it is or how it was estimated."""
    headings = [str(column.header) for column in cells.columns]
    end = headings.index("valid")
    start = headings.index("measure") if "measure" in headings else end - 2
    return [*headings[start : end + 1], "decided"]


class Live:
    """Shows a run while it goes on: give it to `simspec.run` as `progress`, inside a ``with``.

    Moves in terminals and notebooks; anywhere else writes a plain line every few seconds, to stderr.

    Parameters
    ----------
    study : Study
    wanted : str, optional
        the one measure to show.
    console : rich.console.Console, optional
        by default stderr.
    every : float
        seconds between plain lines.

    Examples
    --------
    >>> import io
    >>> from rich.console import Console
    >>> study = Study("coin", "?", ({},), lambda cell, rows, device: {})
    >>> with Live(study, console=Console(file=io.StringIO(), width=200), interval_seconds=0) as live:
    ...     live(Snapshot(0, 0, 1, 10, 1.0, float("inf"), CellResult({}, "0f", 10, 1, False, {}, {}, 0.95)))
    ...     print(live.console.file.getvalue())
    0/1 cells decided, 10 rows, 1 rows/s, 0 s so far; cell 0
    """

    def __init__(
        self, study: Study, measure: str | None = None, console: Any = None, interval_seconds: float = EVERY
    ) -> None:
        from rich.console import Console

        self.study, self.wanted, self.every = study, measure, interval_seconds
        self.console = console or Console(stderr=True, highlight=False)
        self._start, self._said = time.monotonic(), time.monotonic()
        self._latest: dict[str, CellResult] = {}
        self._snapshot: Snapshot | None = None
        self._display: Any = None
        self._number: Mapping[str, int] = {canonical(cell): i for i, cell in enumerate(study.grid)}

    def __enter__(self) -> Live:
        if self.console.is_jupyter:
            from IPython.display import display

            self._display = display(self._render(), display_id=True)
        elif self.console.is_terminal:
            from rich.live import Live as RichLive

            self._display = RichLive(
                console=self.console, get_renderable=self._render, transient=True, refresh_per_second=4
            )
            self._display.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._display is not None and not self.console.is_jupyter:
            self._display.stop()

    def __call__(self, snapshot: Snapshot) -> None:
        """Take a snapshot."""
        self._snapshot = snapshot
        self._latest.pop(snapshot.latest.design, None)
        self._latest[snapshot.latest.design] = snapshot.latest
        while len(self._latest) > LATEST:
            del self._latest[next(iter(self._latest))]
        if self._display is not None:
            if self.console.is_jupyter:
                self._display.update(self._render())
        elif time.monotonic() - self._said >= self.every:
            self._said = time.monotonic()
            result = snapshot.latest
            number = self._number[canonical(result.cell)]
            brief = _brief(result, [n for n in labels([result], self.wanted) if n in result.estimates][:2])
            text = f"{line(snapshot, self._said - self._start)}; cell {number}" + (f": {brief}" if brief else "")
            self.console.print(text, markup=False, soft_wrap=True)

    def _render(self) -> Any:
        """Return the display: the bar, and the latest cells as many as the terminal's height holds."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        snapshot = self._snapshot
        seconds = time.monotonic() - self._start
        finished = snapshot.decided + snapshot.failed if snapshot else 0
        bar = Table.grid(padding=(0, 1))
        text = line(snapshot, seconds) if snapshot else f"{len(self.study.grid)} cells, {duration(seconds)} so far"
        bar.add_row(ProgressBar(total=max(1, len(self.study.grid)), completed=finished, width=24), text)
        layout = Table.grid()
        layout.add_row(bar)
        if self._latest:
            results = sorted(self._latest.values(), key=lambda r: self._number[canonical(r.cell)])
            # eight lines are left to the bar and to the frame of the table
            visible_cells = max(1, (self.console.height - 8) // max(1, len(labels(results, self.wanted))))
            cells = table(self.study, results[-visible_cells:], self.wanted)
            fit(self.console, cells, found_columns(cells))
            layout.add_row(cells)
        return layout
