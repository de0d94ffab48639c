"""How results show themselves in a notebook: as many lines as stated, and the rest counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simspec.engine import run as engine
from simspec.engine.estimates.statistics import Share
from simspec.engine.estimates.stopping import HalfWidth, Rows
from simspec.engine.results import Results
from simspec.engine.show.nouns import MOST, results_html, study_html
from simspec.engine.study import Study, cross


def _yes(cell, rows, device):
    return {"yes": [number % 2 == 0 for number in rows.numbers]}


def shown(cells: int) -> str:
    study = Study("yes", "How often?", cross(x=range(cells)), _yes, rows=4, measures={"yes": Share()}, stop=Rows(4))
    return str(results_html(engine.run(study)))


@pytest.mark.parametrize(("cells", "more"), [(MOST - 1, 0), (MOST, 0), (MOST + 1, 1), (MOST + 5, 5)])
def test_lines_beyond_the_most_are_counted(cells, more) -> None:
    """A line for each cell, and one of names."""
    page = shown(cells)
    assert page.count("<tr>") == 1 + min(cells, MOST)
    assert (f">{more} more lines: frame() returns all<" in page) == (more > 0) == ("more lines" in page)


def test_cells_without_a_result_are_counted() -> None:
    study = Study("yes", "How often?", cross(x=range(3)), _yes, rows=4, measures={"yes": Share()}, stop=Rows(4))
    results = engine.run(study)
    without = [replace(result, estimates={}) for result in results[1:]]
    page = str(results_html(Results(study, [results[0], *without])))
    assert "2 cells without a result" in page and "cells without a result" not in str(results_html(results))


@pytest.mark.parametrize(
    ("values", "more"), [(MOST, ""), (MOST + 1, ", and 1 more<"), (MOST + 1200, ", and 1,200 more<")]
)
def test_values_of_a_parameter_beyond_the_most_are_counted(tmp_path, values, more) -> None:
    study = Study("yes", "How often?", cross(x=range(values)), _yes, rows=4, measures={"yes": Share()})
    page = str(study_html(study, tmp_path))
    assert f", {MOST - 1}{more or '<'}" in page and f", {MOST}" not in page and (" more<" in page) == bool(more)


def test_when_a_study_stops_is_said_in_words() -> None:
    study = Study("yes", "?", ({},), _yes, measures={"yes": Share()}, stop=HalfWidth("yes", 0.1))
    page = str(study_html(study))
    assert "stops when half the interval of yes is at most 0.1" in page and "HalfWidth" not in page
