"""Every figure is drawn again from its rows; the numbers in the picture are those of the rows, and no others."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import simspec
from simspec.claims import registry
from simspec.figures import gallery
from simspec.figures.gallery import (
    EVERY,
    PAPERS,
    agreement,
    caption,
    draw,
    figures,
    find,
    of_claim,
    picture,
    rerun,
    stored,
)
from simspec.figures.marks import curve
from simspec.figures.page import page
from simspec.figures.table import Point, Points
from tests.figures.drawn import missing, numbers

mpl.use("agg")

ALL = sorted(figures())
LARGEST = 10 * 2**20
"""All stored rows together."""


@pytest.mark.parametrize("name", ALL)
def test_what_is_drawn_are_the_numbers_of_the_rows(name) -> None:
    figure = figures()[name]
    rows, _ = stored(figure)
    shown = numbers(picture(figure, rows))
    there = np.unique(np.array([[p.y, p.low, p.high, p.z] for p in rows] + [[0.0] * 4]))
    assert missing(shown, there[np.isfinite(there)]) == []
    maps = [p for p in rows if np.isfinite(p.z)]
    marks = [p.y for p in rows if not np.isfinite(p.z)]
    assert missing([p.z for p in maps] + marks, shown) == []


@pytest.mark.parametrize("name", ALL)
def test_a_changed_row_changes_the_picture(name) -> None:
    figure = figures()[name]
    rows, _ = stored(figure)
    at = len(rows) // 2
    fields = ["z"] if np.isfinite(rows[at].z) else ["y", "low", "high"]
    changed = rows[at]._replace(**{name: 0.123456789 for name in fields if np.isfinite(getattr(rows[at], name))})
    shown = numbers(picture(figure, Points((*rows[:at], changed, *rows[at + 1 :]))))
    assert missing([0.123456789], shown) == []


@pytest.mark.parametrize("name", ALL)
def test_a_quick_rerun_makes_rows_of_the_same_form(name) -> None:
    figure = figures()[name]
    rows, manifest = stored(figure)
    quick, made = rerun(figure, "quick")
    assert {(p.panel, p.series) for p in quick} <= {(p.panel, p.series) for p in rows}
    assert quick.panels() and len(quick.panels()) <= len(rows.panels())
    assert made["study"] == manifest["study"] and made["effort"] == "quick"
    assert all(p.low <= p.y <= p.high for p in quick if np.isfinite(p.low))
    again, _ = rerun(figure, "quick")
    np.testing.assert_equal(again.column("y"), quick.column("y"))


@pytest.mark.parametrize("name", ALL)
def test_the_manifest_says_where_the_rows_come_from(name) -> None:
    figure = figures()[name]
    rows, manifest = stored(figure)
    assert manifest["figure"] == name and manifest["command"].startswith(f"simspec figures {name} --rerun")
    assert all(p.low <= p.y <= p.high for p in rows if np.isfinite(p.low))
    assert bool(figure.intervals) == any(np.isfinite(p.low) for p in rows)
    assert set(figure.claims) <= set(registry())
    for word in (manifest["command"], figure.data, agreement(figure), figure.missing):
        assert word in caption(figure, manifest)


def test_the_page_of_the_gallery_is_that_of_the_rows() -> None:
    assert (gallery.root() / "README.md").read_text(encoding="utf-8") == page()
    for name in ALL:
        assert (gallery.root() / f"{figures()[name].file}.png").is_file()


def test_there_are_no_rows_or_pictures_without_a_figure_and_few_bytes() -> None:
    stored_rows = sorted((gallery.root() / "data").iterdir())
    assert [p.name.removesuffix(".parquet") for p in stored_rows] == ALL
    assert sum(p.stat().st_size for p in stored_rows) <= LARGEST
    pictures = {p.relative_to(gallery.root()) for paper in PAPERS for p in (gallery.root() / paper).iterdir()}
    assert pictures == {Path(f"{figures()[name].file}.png") for name in ALL}


@pytest.mark.parametrize("name", ALL)
def test_a_figure_is_written_where_its_name_says(name) -> None:
    """What computes its points may be shared with others of the study; what draws it is its own."""
    path = Path(inspect.getsourcefile(figures()[name].draw))
    paper, _, file = figures()[name].file.partition("/")
    package = EVERY if paper == "all" else paper
    assert path == Path(simspec.figures.__file__).parent / package / f"{file}.py"


def test_a_wrong_picture_is_caught() -> None:
    rows = Points([Point("", "SD", 1, 0.25, 0.2, 0.3), Point("", "SD", 2, 0.5, 0.4, 0.6)])
    from matplotlib.figure import Figure

    canvas = Figure()
    curve(canvas.subplots(), Points([rows[0], rows[1]._replace(y=0.51)]))
    shown = numbers(canvas)
    assert missing([p.y for p in rows], shown) == [0.5]
    assert missing(shown, np.array([0.2, 0.25, 0.3, 0.4, 0.5, 0.6])) == [0.51]


def test_figures_are_found_by_name_paper_and_claim() -> None:
    assert [f.name for f in find(["rdk.pruning"])] == ["rdk.pruning"]
    assert {f.name for f in find(["rdk"])} == {name for name in ALL if name.startswith("rdk.")}
    assert [f.name for f in of_claim("rdk.plateau-flat")] == ["rdk.pruning"]
    with pytest.raises(ValueError, match="figure: 'rdk.nothing'; expected a name"):
        find(["rdk.nothing"])


def test_a_figure_is_drawn_on_the_axes_that_are_given() -> None:
    from matplotlib.figure import Figure

    axes = list(Figure().subplots(2, 3).ravel())
    assert draw("rdk.pruning", axes) is axes[0].figure
    assert axes[2].get_lines()
    drawn = draw("rdk.pruning")
    assert drawn._repr_png_().startswith(b"\x89PNG") and len(drawn.axes) == 6
    with pytest.raises(ValueError, match="ax: 1 axes; expected 6 for rdk.pruning"):
        draw("rdk.pruning", axes[0])


def test_an_unknown_effort_is_named() -> None:
    with pytest.raises(ValueError, match="effort: 'much'; expected one of quick, default, deep"):
        rerun(figures()["rdk.pruning"], "much")


def test_the_manifest_is_plain_json() -> None:
    _, manifest = stored(figures()["rdk.pruning"])
    assert json.loads(json.dumps(manifest)) == manifest
