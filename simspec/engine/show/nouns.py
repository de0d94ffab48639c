"""What a notebook shows of a study, and of its results: the question, the grid, and how far each cell is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from simspec.engine.cells import CellResult
from simspec.engine.estimates.wording import stop_in_words
from simspec.engine.results import Results
from simspec.engine.run import results as stored_results
from simspec.engine.show.live import (
    constant,
    digits,
    estimator_notes,
    estimator_texts,
    labels,
    varying,
)
from simspec.engine.study import Study
from simspec.html import Html, interval, table, tag

__all__ = ["results_html", "study_html"]

MOST = 40
"""Rows of a table, and values of a parameter, that are shown."""


def study_html(study: Study, folder: Path = Path("results")) -> Html:
    """Question, grid and measures of a study, and the state of its cells where `folder` has results under its name."""
    axes: dict[str, dict[str, None]] = {}
    for cell in study.grid:
        for name, value in cell.items():
            axes.setdefault(name, {})[_text(value)] = None
    values = [[name, _some(list(distinct_values))] for name, distinct_values in axes.items()]
    measures = ", ".join(f"{name} ({measure})" for name, measure in study.measures.items()) or "none"
    return tag(
        "div",
        tag("div", tag("b", study.name), f"  {study.question}"),
        table([f"{len(study.grid)} cells", "values"], values),
        tag("div", f"measures: {measures}; blocks of {study.rows:,} rows; {stop_in_words(study.stop)}"),
        tag("div", _state(study, folder / study.name)),
    )


def _some(values: Sequence[str]) -> str:
    hidden = len(values) - MOST
    return ", ".join(values[:MOST]) + (f", and {hidden:,} more" if hidden > 0 else "")


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _state(study: Study, folder: Path) -> str:
    if not folder.is_dir():
        return (
            f"state: nothing is stored in {folder}; simspec.run(study) runs the study, simspec.run(study, "
            "folder) also stores its results"
        )
    try:
        stored = stored_results(study, folder)
    except (ValueError, OSError) as error:
        return f"state: {folder} cannot be read: {error}"
    decided = sum(result.decided for result in stored)
    rows = sum(result.rows for result in stored)
    failed = sum(result.error is not None for result in stored)
    return f"state: {decided} of {len(stored)} cells decided, {failed} failed, {rows:,} rows in {folder}"


def results_html(results: Results) -> Html:
    """A line for each cell and measure: parameters, rows, mean, interval (drawn on one scale a measure), decided, estimator."""
    study = results.study
    shown_results = results
    names = varying([result.cell for result in shown_results])
    shown_labels = labels(shown_results)
    lines = []
    for label in shown_labels:
        there = [result.estimates[label] for result in shown_results if label in result.estimates]
        span = (min(e.low for e in there), max(e.high for e in there))
        for result in shown_results:
            if label in result.estimates:
                mean, low, high = digits(result.estimates[label])
                place = [_text(result.cell.get(name)) for name in names]
                drawing = interval(*result.estimates[label], span)
                valid, estimator, saves = estimator_texts(result, label)
                line = [label, *place, f"{result.rows:,}", mean, f"[{low}, {high}]", drawing, valid, estimator, saves]
                lines.append([*line, _decided(result)])
    open_ = [result for result in shown_results if not result.estimates]
    level = f"{100 * shown_results[0].level:.6g} % interval" if shown_results else "interval"
    same = ", ".join(f"{name} = {_text(value)}" for name, value in constant([r.cell for r in shown_results]).items())
    notes = [f"every cell: {same}"] if same else []
    notes += [f"{len(lines) - MOST:,} more lines: frame() returns all"] if len(lines) > MOST else []
    notes += [f"{len(open_):,} cells without a result"] if open_ else []
    notes += estimator_notes(results)
    notes += [f"warning: {result.warning}" for result in results if result.warning][:1]
    return tag(
        "div",
        tag("div", tag("b", study.name), f"  {study.question}"),
        table(["measure", *names, "rows", "mean", level, "", "valid", "estimator", "saves", "decided"], lines[:MOST]),
        *(tag("div", note) for note in notes),
    )


def _decided(result: CellResult) -> str:
    return "failed" if result.error else "yes" if result.decided else "no"
