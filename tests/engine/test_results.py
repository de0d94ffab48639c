"""Results of a run as a table for people and for pandas: every number is that of its cell."""

from __future__ import annotations

import sys
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from simspec.engine import run as engine
from simspec.engine.cells import CellResult, Estimate
from simspec.engine.estimates.estimators import Estimator
from simspec.engine.results import Results
from simspec.engine.show.nouns import study_html
from simspec.engine.study import Study
from simspec.notebook import html, plot
from tests.engine.coins import COINS

BAD = "<b>&</b>"


def rows(html):
    return [["".join(cell.itertext()) for cell in row] for row in ET.fromstring(html).iter("tr")]


def words(html) -> str:
    return "".join(ET.fromstring(html).itertext())


@pytest.fixture
def two() -> Results:
    made = Study("coins", BAD, ({"bias": 0.25, "side": BAD}, {"bias": 0.5, "side": BAD}), lambda *_: {})
    first = CellResult(made.grid[0], "0a", 100, 2, True, {"heads": Estimate(0.25, 0.125, 0.375)}, {}, 0.95)
    second = CellResult(made.grid[1], "0b", 0, 0, False, {}, {}, 0.95, "a traceback")
    return Results(made, [first, second])


def test_a_run_returns_a_list_that_knows_its_study() -> None:
    done = engine.run(COINS, max_rows=100)
    assert isinstance(done, list)
    assert done.study.name == COINS.name
    assert [r.cell for r in done] == list(COINS.grid)


def test_a_frame_has_a_row_a_cell(two) -> None:
    pytest.importorskip("pandas")
    frame = two.frame()
    assert list(frame["cell.bias"]) == [0.25, 0.5]
    assert list(frame["decided"]) == [True, False]
    assert frame.loc[0, ["heads", "heads.low", "heads.high"]].tolist() == [0.25, 0.125, 0.375]
    assert frame["heads"].isna().tolist() == [False, True]
    assert frame["error"][1] == "a traceback"


def test_a_frame_says_which_study_and_seed_it_is_of(tmp_path) -> None:
    pytest.importorskip("pandas")
    drawn = engine.run(COINS, tmp_path, seed=7, max_rows=100)
    read = engine.results(COINS, tmp_path, seed=7)
    for frame in (drawn.frame(), read.frame()):
        assert frame.columns[:2].tolist() == ["study", "seed"]
        assert set(frame["study"]) == {COINS.name} and set(frame["seed"]) == {7}
    assert drawn.to_csv().startswith("study,seed,cell.")


def test_without_pandas_the_message_names_the_command(two, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ValueError, match=r"frame needs pandas: .*pip install -e '\S*\[studies\]'"):
        two.frame()


def test_a_notebook_sees_intervals_and_state(two) -> None:
    shown = html(two)
    assert rows(shown)[1] == ["heads", "0.25", "100", "0.25", "[0.12, 0.38]", "", "", "", "", "yes"]
    assert "1 cells without a result" in words(shown)
    assert f"every cell: side = {BAD}" in words(shown)
    assert "warning" not in words(shown)
    two[0] = replace(two[0], estimators={"heads": Estimator("single draws", None, "every law", is_plain=True)})
    assert rows(html(two))[1][-4:] == ["every law", "single draws", "nothing", "yes"]
    assert "valid: every law: at every stop, for every law within the bounds" in words(html(two))
    two[0] = replace(two[0], warning="rows depend on each other")
    assert "warning: rows depend on each other" in words(html(two))
    pytest.importorskip("pandas")
    warnings = two.frame()["warning"]
    assert warnings[0] == "rows depend on each other" and warnings.isna().tolist() == [False, True]


def test_a_study_shows_its_grid_and_the_state_of_its_results(tmp_path) -> None:
    made = COINS
    bare = words(study_html(made, tmp_path))
    assert made.question in bare
    assert "nothing is stored" in bare
    done = engine.run(made, tmp_path / made.name, max_rows=made.rows)
    decided = sum(r.decided for r in done)
    assert f"state: {decided} of {len(done)} cells decided, 0 failed, {sum(r.rows for r in done):,} rows" in words(
        study_html(made, tmp_path)
    )
    assert rows(html(made))[0][0] == f"{len(made.grid)} cells"


def test_results_that_cannot_be_read_are_no_error(tmp_path) -> None:
    made = COINS
    engine.run(made, tmp_path / made.name, seed=1, max_rows=made.rows)
    assert "cannot be read" in words(study_html(made, tmp_path))


def test_text_of_studies_and_results_says_how_much_there_is(two) -> None:
    assert repr(two) == "Results('coins', 1 of 2 cells decided, 100 rows)"
    assert repr(COINS) == "Study('coins', 3 cells: How often heads?)"


def test_csv_is_the_frame(two, tmp_path) -> None:
    pytest.importorskip("pandas")
    assert two.to_csv(tmp_path / "a.csv") is None
    assert (tmp_path / "a.csv").read_text() == two.to_csv() == two.frame().to_csv(index=False)


def test_the_picture_is_the_one_of_study_plot(two) -> None:
    picture = plot(two, x="bias")
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert picture.figure.get_supxlabel() == "bias" and picture.figure.get_supylabel() == "heads"
    with pytest.raises(ValueError, match="'tails'; expected one of heads"):
        plot(two, y="tails")
