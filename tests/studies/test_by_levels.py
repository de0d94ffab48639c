"""Levels in place of whole rows: where they pay by the bench's own record, off by a parameter, resumed, and what they cover."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from simspec.cli import main
from simspec.engine import run as engine
from simspec.engine.choice import chosen_estimator
from simspec.engine.estimates.stopping import EVERY_LAW, IN_THE_LIMIT, AnyOf, Decision, Rows
from simspec.engine.study import Request
from simspec.engine.study import Rows as Numbers
from simspec.studies import HalfWidth, Mean, levels
from simspec.studies.catalogue import acceptance
from simspec.studies.levels import ENOUGH, LEVELS, WHOLE_ROWS, by_levels, levels_pay
from simspec.studies.pairs import synthetic_acceptance

RECORD = Path(__file__).parents[2] / "docs" / "benchmarks" / "interval-amd-epyc-2-cores.json"
SMALL = replace(acceptance(), grid=({"family": "gaussian", "scale": 2.0, "rho": 0.9, "vocab": 2000},))
GOAL = HalfWidth("alpha", 0.004)


@pytest.fixture
def always(monkeypatch) -> None:
    monkeypatch.setattr(levels, "levels_pay", lambda *asked: True)


def request(stop, device="cpu", stored=()):
    return Request(stop, 0.95, device, stored)


def _seconds(case, name):
    return sorted(next(timed["seconds"] for timed in case["timed"] if timed["name"] == name))[2]


def test_the_time_of_a_row_is_that_of_the_bench() -> None:
    """Of each recorded case: the row's time is within `ROW_TIME`, levels were faster, and are chosen."""
    cases = [case for case in json.loads(RECORD.read_text())["cases"] if "acceptance" in case["title"]]
    assert len(cases) == 2
    for case in cases:
        whole_row = _seconds(case, "simspec, whole rows") / 8  # eight times as many rows were timed
        assert 1 < _seconds(case, "simspec") / whole_row <= levels.ROW_TIME
        medians = {r["name"]: r["median"] for r in case["results"]}
        assert medians["simspec"] < medians["simspec, whole rows"]
        cell = {"vocab": case["vocab"], "scale": 2.0, "rho": 0.9}
        assert case["vocab"] == levels.MEASURED_VOCAB and case["half_width"] == levels.MEASURED_WIDTH
        assert levels_pay((cell,), case["half_width"])


def test_what_pays_depends_on_vocabulary_and_width() -> None:
    wide = ({"vocab": 128_256},)
    assert [levels_pay(wide, h) for h in (0.05, 0.02, 0.005, 0.002, 0.001)] == [False, False, False, True, True]
    assert levels_pay(wide, 0.0002)
    assert not levels_pay(({"vocab": 1000},), 0.001) and not levels_pay(wide, 1e-4)
    low, high = levels.bounds(1)[
        0
    ]  # a rounded square is off by a unit's standard deviation, of so many rows on average
    rounding = (high - low) ** 2 / 2**32 / 12**0.5 / ENOUGH**0.5
    assert rounding < 0.05 * levels.row_spread(levels.FINEST_WIDTH) ** 2
    assert levels_pay(acceptance().grid, 0.001) and not levels_pay(acceptance().grid, 0.01)


def test_the_form_decides(always) -> None:
    """Another rule, another measure, a GPU, pairs without levels, or rows that are stored: the study as it is."""
    for stop in (None, Rows(9), HalfWidth("beta", 0.1), HalfWidth("alpha", 0.1, asymptotic=9), Decision("alpha", 0.5)):
        assert by_levels(SMALL, request(stop)) == (SMALL, stop)
    assert by_levels(SMALL, request(GOAL, device="gpu")) == (SMALL, GOAL)
    assert by_levels(SMALL, request(GOAL, stored=SMALL.grid)) == (SMALL, GOAL)
    heavy = replace(SMALL, grid=({"df": 1.0, "scale": 2.0, "rho": 0.9, "vocab": 2000},))
    assert by_levels(heavy, request(GOAL)) == (heavy, GOAL)
    study, rule = by_levels(SMALL, request(GOAL))
    assert study.name == SMALL.name and study.steadier is None and [*study.measures] == ["alpha", WHOLE_ROWS]
    assert isinstance(rule, HalfWidth) and rule.asymptotic == 4 * ENOUGH and rule.value == GOAL.value
    assert by_levels(SMALL, request(GOAL)) == (study, rule)  # a pilot is no chance
    several, low = by_levels(SMALL, request(AnyOf(GOAL, Rows(9), Decision("alpha", 0.5)), stored=study.grid))
    assert isinstance(low, AnyOf) and [type(part) for part in low.rules] == [HalfWidth, Rows, Decision]
    assert several.grid == study.grid and low.rules[2].low == rule.low
    with pytest.raises(ValueError, match="store: its rows are levels of other cells .* use another directory"):
        by_levels(SMALL, request(GOAL, stored=({"vocab": 7, LEVELS: [4, 1]},)))


def test_the_choice_can_be_switched_off(always) -> None:
    (steady,) = engine.run(SMALL, stop=GOAL)
    (plain,) = engine.run(SMALL, stop=HalfWidth("alpha", 0.03), estimator="plain")
    assert (steady.estimators["alpha"].name, plain.estimators["alpha"].name) == ("levels", "conditional expectation")
    assert (steady.estimators["alpha"].validity, plain.estimators["alpha"].validity) == (IN_THE_LIMIT, EVERY_LAW)
    assert steady.decided and steady.rows >= ENOUGH and steady.estimators["alpha"].saving > 1
    with pytest.raises(ValueError, match="estimator: 'plane'.* expected one of auto, plain"):
        engine.run(SMALL, stop=GOAL, estimator="plane")
    assert chosen_estimator(replace(SMALL, steadier=None), GOAL)[1] == GOAL


def test_what_is_stored_is_continued(tmp_path, monkeypatch) -> None:
    """Whole rows as whole rows, levels as levels, whatever would be chosen anew; and other rows are refused with the cure."""
    monkeypatch.setattr(levels, "levels_pay", lambda cells, half_width, level: half_width < 0.005)
    engine.run(SMALL, tmp_path / "whole", stop=HalfWidth("alpha", 0.1))
    (narrower,) = engine.run(SMALL, tmp_path / "whole", stop=GOAL, max_rows=512)
    assert narrower.estimators["alpha"].name == "conditional expectation" and narrower.rows == 512
    (first,) = engine.run(SMALL, tmp_path / "levels", stop=GOAL)
    monkeypatch.setattr(levels, "chosen", None)  # no pilot again
    (again,) = engine.run(SMALL, tmp_path / "levels", stop=HalfWidth("alpha", 0.1))
    (read,) = engine.results(SMALL, tmp_path / "levels", stop=GOAL)
    assert again.design == first.design == read.design and read.estimates == first.estimates
    assert again.rows <= first.rows and again.estimators["alpha"].name == "levels"
    with pytest.raises(ValueError, match="block_size: 16; expected 4 .* use another directory"):
        engine.run(SMALL, tmp_path / "levels", stop=GOAL, estimator="plain")


def test_the_command_says_which_and_switches_it_off(always, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setattr("simspec.studies.catalogue.catalogue", lambda: {"acceptance": SMALL})
    options = ["study", "run", "acceptance", "--half-width", "0.01", "--dir"]
    assert main([*options, str(tmp_path / "a")]) == 0
    out = capsys.readouterr().out
    assert "levels" in out and "in the limit" in out and "valid: every law" in out
    assert main(["study", "status", str(tmp_path / "a"), "--json"]) == 0
    estimate = json.loads(capsys.readouterr().out)["cells"][0]["estimates"]["alpha"]
    assert (estimate["estimator"], estimate["valid"]) == ("levels", IN_THE_LIMIT) and estimate["saving"] > 1
    row = ["study", "replay", "acceptance", "--cell", "0", "--row", "1", "--dir", str(tmp_path / "a")]
    assert main(row) == 0 and f"{WHOLE_ROWS} = " in capsys.readouterr().out
    assert main([*options, str(tmp_path / "b"), "--estimator", "plain", "--rows", "64"]) == 0
    assert "in the limit" not in capsys.readouterr().out


@pytest.fixture(scope="module")
def runs():
    """Seeded runs at two vocabularies, with the truth from many whole rows: error of the truth below a tenth of a half-width."""
    out = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "levels_pay", lambda *asked: True)
        for vocab, seeds, count in ((2000, 60, 100_000), (32_000, 40, 10_000)):
            cell = {**SMALL.grid[0], "vocab": vocab}
            truth = synthetic_acceptance(cell, Numbers(7, range(count)), np.float32).mean()
            study, rule = by_levels(replace(SMALL, grid=(cell,)), request(GOAL))
            results = [engine.run(study, stop=rule, seed=seed)[0] for seed in range(seeds)]
            out += [(truth, *result.estimates["alpha"]) for result in results]
    return np.array(out)


def test_intervals_by_levels_hold_the_truth(runs) -> None:
    """100 runs that stop by themselves: more misses than 5 % allows with probability 1e-6 are a false alarm."""
    truth, mean, low, high = runs.T
    assert ((high - low) / 2 <= GOAL.value).all()
    allowed = binom.isf(1e-6, len(runs), 0.05)
    assert ((truth < low) | (truth > high)).sum() <= allowed
    # negative controls: intervals a fifth as wide, and rows without what large tokens say on average
    assert (abs(truth - mean) > (high - low) / 10).sum() > allowed
    assert abs(mean - truth).mean() < 0.5 * GOAL.value


def test_rows_whose_copies_are_lost_do_not_hold_it(always, monkeypatch) -> None:
    """The negative control of the estimator itself: its interval misses in every run."""
    study, rule = by_levels(SMALL, request(GOAL))
    truth = synthetic_acceptance(SMALL.grid[0], Numbers(7, range(100_000)), np.float32).mean()
    drawn = levels._copies
    monkeypatch.setattr(levels, "_copies", lambda *asked: 0.9 * drawn(*asked))
    results = [engine.run(study, stop=rule, seed=seed)[0] for seed in range(5)]
    assert all(not r.estimates["alpha"].low <= truth <= r.estimates["alpha"].high for r in results)


def test_a_whole_row_beside_its_levels_is_that_row() -> None:
    cell = SMALL.grid[0]
    columns = levels._columns(cell, Numbers(3, range(4)), (8,), (4,))
    assert (columns[:, 2] == levels.whole_rows(cell, Numbers(3, range(4)))[0]).all()
    alpha, gain = levels.levelled(cell, Numbers(3, range(4)), (8,), (4,))
    assert ([alpha, gain] == columns[:, :2].T).all()
    assert Mean() == by_levels(SMALL, request(GOAL, stored=({**cell, LEVELS: [8, 4]},)))[0].measures[WHOLE_ROWS]
