"""The studies that ship: answers known by hand, rows that do not depend on their block, and how studies are found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import EntryPoint
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import simspec
from simspec import loading
from simspec.engine import run as engine
from simspec.engine.study import Rows, cross, simulate
from simspec.kernels import random as philox
from simspec.kernels.synthetic import law_bound
from simspec.laws import overlap, softmax
from simspec.methods.block import accepted_length
from simspec.studies import Share, Study
from simspec.studies.catalogue import GAMMAS, acceptance, blocks, catalogue, find, pruning
from simspec.studies.joint import budgets
from simspec.studies.pairs import synthetic_logits

STUDY = "from simspec.studies import Study\nimport helper\nx = 1\ns = Study('s', '?', ({},), helper.f)\ndef make(): return s\n"


def values(study: Study, cell: dict, rows: range = range(64)) -> dict[str, np.ndarray]:
    return simulate(study, cell, 0, rows)


def test_a_draft_that_is_the_target_is_always_accepted() -> None:
    cell = {"family": "gaussian", "scale": 2.0, "rho": 1, "vocab": 50}
    assert np.allclose(values(acceptance(), cell)["alpha"], 1, atol=1e-12)
    for laws in ("one a position", "one a block"):
        found = values(blocks(), {"laws": laws, "gamma": 4, "rho": 1, "scale": 2.0, "vocab": 10})
        assert found["kept"].shape == (64, 4) and found["kept"].all()
        assert (found["accepted on a path"] == 4).all() and (found["length"] == 5).all()
        assert np.allclose(found["accepted"], 4, atol=1e-12)  # products of rates, each 1 but for rounding


def test_one_token_is_always_accepted() -> None:
    assert (
        values(acceptance(), {"family": "student-t", "df": 10, "scale": 1.0, "rho": 0, "vocab": 1})["alpha"] == 1
    ).all()


def test_acceptance_is_that_of_the_stored_logits() -> None:
    """The same pairs, drawn and kept, from the same key and rows."""
    for cell in acceptance().grid:
        if cell["vocab"] == 1000:
            key = philox.make_key(0, "acceptance", dict(cell))
            expected = overlap(*map(softmax, synthetic_logits(cell, Rows(key, range(3, 9)))))
            found = values(acceptance(), cell, range(3, 9))["alpha"]
            assert (abs(found - expected) <= law_bound(1000, np.float64)).all()


def test_the_less_the_draft_follows_the_less_is_accepted() -> None:
    cell = {"family": "gaussian", "scale": 2.0, "vocab": 100}
    rates = [values(acceptance(), {**cell, "rho": rho})["alpha"].mean() for rho in (0, 0.5, 0.9, 0.99)]
    assert rates == sorted(rates)
    assert rates[0] < 0.5 < 0.8 < rates[-1]


SIZES = ({"vocab": 40}, {"vocab": 1000})  # one row goes to the reference, forty of a thousand tokens to compiled code
SMALL = {
    "pruning": ({"vocab": 2000},),
    "rounds": ({},),
    "threshold-paths": tuple({**size, "length": 8} for size in SIZES),
    "sequence-bias": ({"vocab": 16},),
    "unnecessary-rejections": ({"vocab": 8, "horizon": 8, "states": 8},),
    "pivot-labels": ({},),
    "edge-cloud": ({"longest": 8},),
    "drafted-siblings": ({"vocab": 40}, {"vocab": 300, "k": 2, "depth": 4}),
    "drafted-tokens": ({"vocab": 1000, "budget": 4},),
}
"""What makes the cells of a study small; `SIZES` where nothing is said."""
QUICK = sorted(set(catalogue()) - {"pivots"})
"""Studies whose values are the same to the bit in any block (a network's are so up to rounding)."""


@pytest.fixture(scope="module", autouse=True)
def trees_are_fitted_on_few_contexts() -> Iterator[None]:
    """On how many is of no account here, and each cell of drafted tokens fits its own; `joint` tests what they are fitted to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budgets, "FITTED", max(budgets.BUDGETS))
        budgets._synthetic_shapes.cache_clear()
        yield
    budgets._synthetic_shapes.cache_clear()


@pytest.mark.parametrize("name", QUICK)
def test_a_row_does_not_depend_on_its_block(name) -> None:
    study = catalogue()[name]
    for cell in (study.grid[0], study.grid[-1]):
        for size in SMALL.get(name, SIZES):
            whole = values(study, {**cell, **size}, range(3, 43))
            for row in (3, 20, 42):
                alone = engine.replay(study, {**cell, **size}, row)
                assert all(np.array_equal(whole[n][row - 3], alone[n]) for n in whole)


@pytest.mark.parametrize("name", QUICK)
def test_a_run_resumes(name, tmp_path) -> None:
    study = catalogue()[name]
    small = replace(study, grid=({**study.grid[-1], **SMALL.get(name, SIZES)[0]},), rows=4)
    (half,), (whole,) = (engine.run(small, tmp_path, max_rows=rows) for rows in (8, 16))
    (alone,) = engine.run(small, max_rows=16)
    assert half.rows == 8 and not whole.error and whole.totals.keys() == alone.totals.keys()
    assert all(np.array_equal(whole.totals[name], alone.totals[name]) for name in alone.totals)


@pytest.mark.parametrize("rho", [0.5, 0.9])
def test_the_formula_for_blocks_holds_where_positions_are_independent_and_only_there(rho) -> None:
    """Five standard errors each way: false alarm below 1e-6; the negative control has to miss by as much."""
    study, rows, gamma = blocks(), 8192, 8
    cell = {"gamma": gamma, "rho": rho, "scale": 2.0, "vocab": 16}
    misses = []
    for laws in ("one a position", "one a block"):
        found = values(study, {**cell, "laws": laws}, range(rows))
        predicted = accepted_length(found["alpha"].mean(), gamma)
        slope = accepted_length(found["alpha"].mean() + 1e-6, gamma) - predicted
        error = np.hypot(found["accepted"].std(), found["alpha"].std() * slope * 1e6) / np.sqrt(rows)
        misses.append((found["accepted"].mean() - predicted) / error)
    assert abs(misses[0]) < 5 < misses[1]


def test_accepted_drafts_given_the_laws_are_those_of_paths_on_average() -> None:
    """Five standard errors: false alarm below 1e-6; by hand for a single draft; a path that is one longer is found out."""
    for laws in ("one a position", "one a block"):
        found = values(blocks(), {"laws": laws, "gamma": 4, "rho": 0.9, "scale": 2.0, "vocab": 16}, range(8192))
        difference = found["accepted on a path"] - found["accepted"]
        assert abs(difference.mean()) < 5 * difference.std() / np.sqrt(8192) < abs(difference.mean() + 1)
        assert found["accepted"].var() < found["accepted on a path"].var() / 2
        single = values(blocks(), {"laws": laws, "gamma": 1, "rho": 0.9, "scale": 2.0, "vocab": 16})
        assert (single["accepted"] == single["alpha"]).all()


def test_a_kept_draft_is_kept_as_often_as_alpha_says() -> None:
    """The first position against its exact rate, row by row: the uniforms alone are random; five standard errors."""
    found = values(blocks(), {"laws": "one a block", "gamma": 2, "rho": 0.5, "scale": 2.0, "vocab": 16}, range(8192))
    difference = found["kept"][:, 0] - found["alpha"]
    assert abs(difference.mean()) < 5 * difference.std() / np.sqrt(8192)
    assert abs((found["kept"][:, 1] - found["alpha"]).mean()) > 5 * difference.std() / np.sqrt(8192)  # the second: not


def test_histogram_of_lengths_has_a_place_for_each() -> None:
    cell = {"laws": "one a block", "gamma": max(GAMMAS), "rho": 1, "scale": 2.0, "vocab": 8}
    block = engine.simulate_block(replace(blocks(), rows=4), cell, 0, "00", 0)
    assert block.statistics["length.counts"].tolist() == [0] * 8 + [4]


def test_pruning_measures_every_scheme() -> None:
    study = replace(pruning(), rows=1)
    block = engine.simulate_block(study, {**study.grid[-1], "vocab": 2000}, 0, "00", 0)
    assert block.error is None
    assert "none[0,0].sum" in block.statistics and "top.sum" in block.statistics
    assert {n.partition("[")[0].partition(".")[0] for n in block.statistics} == set(study.measures)


def test_studies_are_found_by_name_file_and_module(tmp_path, monkeypatch) -> None:
    assert find("blocks").name == "blocks"
    (tmp_path / "helper.py").write_text("def f(cell, rows, device): return {}\n")
    (tmp_path / "mine.py").write_text(STUDY)
    monkeypatch.setattr("sys.path", ["first"])
    import sys

    known = set(sys.modules)
    assert find(f"{tmp_path / 'mine.py'}:s").name == find(f"{tmp_path / 'mine.py'}:make").name == "s"
    assert set(sys.modules) - known == {"helper"}  # the file itself stays unknown, so that it travels by value
    del sys.modules["helper"]
    assert find("simspec.studies.catalogue:blocks").grid == blocks().grid


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (
            "nothing",
            "study: 'nothing' is not known; expected one of acceptance, blocks, pruning, .*, edge-cloud, .*FILE.py:OBJECT",
        ),
        ("mine.py", r"expected .* mine.py:OBJECT"),
        ("missing.py:s", "no file missing.py"),
        ("mine.py:y", r"is not there; expected a Study, such as mine.py:s"),
        ("mine.py:x", "is a int; expected a Study"),
        ("broken.py:s", r"broken.py cannot be loaded \(ZeroDivisionError"),
        ("no.such.module:s", "module 'no.such.module' cannot be loaded"),
        ("json:dumps", r"study: 'json:dumps'\(\) fails \(TypeError"),
    ],
)
def test_what_is_no_study_is_refused(reference, message, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    (tmp_path / "mine.py").write_text(STUDY.replace("import helper\n", "").replace("helper.f", "print"))
    (tmp_path / "broken.py").write_text("1 / 0\n")
    with pytest.raises(ValueError, match=message):
        find(reference)


def test_a_study_that_a_package_has_registered_is_found_by_name(monkeypatch) -> None:
    point = EntryPoint("ours", "simspec.studies.catalogue:blocks", "simspec.studies")
    monkeypatch.setattr(loading, "entry_points", lambda group: [point] if group == "simspec.studies" else [])
    assert find("ours").name == "blocks"
    with pytest.raises(
        ValueError, match="study: 'theirs' is not known; expected one of acceptance, .*, ours, or FILE.py:OBJECT"
    ):
        find("theirs")


def test_a_study_of_a_file_can_be_pickled_by_value(tmp_path) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    text = "from simspec.studies import Study\ndef f(c, r, d): return g()\ndef g(): return {}\ns = Study('s', '?', ({},), f)\n"
    (tmp_path / "mine.py").write_text(text)
    data = cloudpickle.dumps(find(f"{tmp_path / 'mine.py'}:s"))
    (tmp_path / "mine.py").unlink()
    assert cloudpickle.loads(data).simulate({}, None, "cpu") == {}


def test_make_key_separates_the_studies() -> None:
    keys = [philox.make_key(0, s.name, dict(c)) for s in catalogue().values() for c in s.grid]
    assert len(set(keys)) == len(keys) > 76
    assert Share() in blocks().measures.values()


def telling(grid: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Cells in which every two values that stand together in some cell do so, each time the cell with most new pairs."""
    pairs = [{*combinations(sorted(cell.items()), min(2, len(cell)))} for cell in grid]
    left, chosen = set().union(*pairs), []
    while left:
        chosen.append(max(range(len(grid)), key=lambda at: len(pairs[at] & left)))
        left -= pairs[chosen[-1]]
    return [grid[at] for at in sorted(chosen)]


def test_cells_that_hold_every_two_values() -> None:
    """Four cells for two values of each of three parameters; a pair that stands in one cell only takes that cell."""
    assert [*map(dict, telling(cross(a=(1, 2), b=(1, 2), c=(1, 2))))] == [
        {"a": 1, "b": 1, "c": 1},
        {"a": 1, "b": 2, "c": 2},
        {"a": 2, "b": 1, "c": 2},
        {"a": 2, "b": 2, "c": 1},
    ]
    assert telling(({"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 1}, {"a": 2})) == [{"a": 1, "b": 1, "c": 1}, {"a": 2}]
    assert telling(({"a": 1}, {"a": 1})) == [{"a": 1}] and telling(({},)) == [{}]


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_every_two_values_of_every_study_give_numbers_that_are_kept(name) -> None:
    """One row of a cell, the smallest block, as it ships: all values lie where their measures say."""
    study = catalogue()[name]
    for cell in telling(study.grid):
        made = simulate(study, cell, 0, range(1))
        for measure, how in study.measures.items():
            assert how.reduce(measure, made[measure]), (cell, measure)


def test_a_study_is_run_by_its_name() -> None:
    named, given = simspec.run("acceptance", max_rows=64), engine.run(acceptance(), max_rows=64)
    assert [r.estimates["alpha"].mean for r in named] == [r.estimates["alpha"].mean for r in given]
    assert simspec.run(acceptance(), max_rows=64)[0].rows == named[0].rows
    with pytest.raises(
        ValueError,
        match="study: 'acceptanze' is not known, the nearest is acceptance; expected one of acceptance, blocks",
    ):
        simspec.run("acceptanze")
    with pytest.raises(ValueError, match="study: a int; expected a Study, or the name of a study such as 'acceptance'"):
        simspec.run(3)
