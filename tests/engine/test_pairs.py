"""Paired studies and control variates: known answers, broken controls, replay, resume, shards, and what stays as it was."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from simspec.engine import run as engine
from simspec.engine.design import designs
from simspec.engine.estimates.derived import Controlled, Difference, derive, regression
from simspec.engine.row_values import gather
from simspec.engine.store.fingerprint import fingerprint
from simspec.engine.store.goal import Goal, recorded, write_goal
from simspec.engine.store.results import merge
from simspec.engine.study import Study
from simspec.kernels import random as philox
from simspec.notebook import plot
from simspec.studies import Control, Counts, Decision, HalfWidth, Mean, Share
from tests.engine.coins import COINS, plain

BOTH = {"a": Mean(), "b": Mean()}


def _arms(cell, rows, device):
    """Two arms on one random number, an eighth apart; `apart`: the second on another, as an unpaired study has it."""
    u = philox.uniform(rows.key, rows.numbers, [0, 1])
    other = u[:, 1] if cell.get("apart") else u[:, 0]
    return {"a": 0.5 * u[:, 0] + 0.125, "b": 0.5 * other}


def _squares(cell, rows, device):
    u = philox.uniform(rows.key, rows.numbers, [0])[:, 0]
    return {"u": u, "square": u * u}


ARMS = Study("arms", "?", ({},), _arms, rows=64, measures=BOTH, pair={"gain": ("a", "b")})
CONTROL = Control("square", "u", lambda cell: cell.get("mean", 0.5))
SQUARES = Study(
    "squares", "?", ({},), _squares, rows=64, measures={"u": Mean(), "square": Mean()}, control={"steady": CONTROL}
)


def width(estimate: engine.Estimate) -> float:
    return estimate.high - estimate.low


def cut(results) -> list[tuple]:
    return [(r.design, r.rows, r.estimates, r.totals) for r in results]


# ------------------------------------------------------------------------------------------------------------- pairs


def test_a_difference_that_is_known_exactly() -> None:
    assert ARMS.measures["gain"] == Difference(-1, 1, "a", "b")
    (result,) = engine.run(ARMS, stop=HalfWidth("gain", 0.02, -1, 1))
    assert result.totals["gain.sum"] == 9 * 2**28 * result.rows  # (1/8 + 1) / 2 in each row
    assert result.estimates["gain"].mean == 0.125 and result.decided
    assert result.estimates["gain"].low <= 0.125 <= result.estimates["gain"].high


def test_independent_arms_and_a_swapped_pair_are_told_apart() -> None:
    """The controls: without common random numbers the interval is wider; with the arms exchanged the sign is."""
    common, apart = (engine.run(replace(ARMS, grid=({"apart": flag},)), max_rows=4096)[0] for flag in (False, True))
    assert width(apart.estimates["gain"]) > 2 * width(common.estimates["gain"])
    swapped = replace(ARMS, pair={"gain": ("b", "a")})
    assert swapped.measures["gain"] == Difference(-1, 1, "b", "a")
    (other,) = engine.run(swapped, max_rows=4096)
    assert other.estimates["gain"].mean == -0.125 and other.estimates["gain"].high < 0
    assert designs(swapped) != designs(ARMS) != designs(replace(ARMS, pair={}, measures=BOTH))
    (first,) = engine.run(ARMS, stop=Decision("gain", 0, -1, 1))
    assert first.estimates["gain"].low > 0 and first.rows < 200


def test_replay_gather_resume_and_shards(tmp_path) -> None:
    study = replace(ARMS, grid=({"apart": True},))
    whole = engine.run(study, max_rows=640)
    rows = gather(study, rows=640)[0].values
    assert (rows["gain"] == rows["a"] - rows["b"]).all()
    assert engine.replay(study, study.grid[0], 100)["gain"] == rows["gain"][100]
    engine.run(study, tmp_path / "one", max_rows=128)
    assert cut(engine.run(study, tmp_path / "one", max_rows=640)) == cut(whole)
    for mine in range(2):
        engine.run(study, tmp_path / str(mine), shard=(mine, 2), max_rows=640)
    merge([tmp_path / "0", tmp_path / "1"], tmp_path / "all")
    assert cut(engine.results(study, tmp_path / "all")) == cut(whole)
    write_goal(tmp_path / "all", engine.manifest(study, 0), Goal("arms", study.measures))
    read, _, goal = recorded(tmp_path / "all")  # without the code of the study
    assert goal is not None and goal.measures == study.measures
    assert cut(engine.results(read, tmp_path / "all")) == cut(whole)


def test_a_frame_and_a_picture_have_the_difference() -> None:
    results = engine.run(replace(ARMS, grid=({"x": 1}, {"x": 2})), max_rows=64)
    assert results.frame()["gain"].tolist() == [0.125, 0.125]
    assert plot(results, y="gain").figure.get_supylabel() == "gain"


def test_narrower_bounds_are_kept_and_every_row_is_held_against_them() -> None:
    near = replace(ARMS, measures={**BOTH, "gain": Mean(0, 0.25)})
    assert near.measures["gain"] == Difference(0, 0.25, "a", "b") == replace(near, rows=8).measures["gain"]
    loose, tight = (engine.run(study, max_rows=640)[0] for study in (ARMS, near))
    assert 5 * width(tight.estimates["gain"]) < width(loose.estimates["gain"])
    wrong = replace(ARMS, measures={**BOTH, "gain": Mean(0, 0.1)})
    (result,) = engine.run(wrong, max_rows=64)
    assert result.error is not None and "expected every value between 0 and 0.1" in result.error


def test_places_of_values_with_further_axes_are_paired_one_by_one() -> None:
    measures = {"a": Mean(), "b": Share()}
    made = {"a": np.array([[1.0, 0.5]]), "b": np.array([[True, False]])}
    study = Study("places", "?", ({},), lambda c, r, d: made, measures=measures, pair={"gain": ("a", "b")})
    (result,) = engine.run(study, max_rows=1)
    assert [result.estimates[f"gain[{i}]"].mean for i in range(2)] == [0, 0.5]


def test_what_has_no_pair_is_as_it_was() -> None:
    """Designs and code of a study of before, as they were recorded then: its stores are found."""
    assert designs(COINS)[:2] == ["815567931457b9975d4946223ae9f04d", "31022b3f0624643de6a027df4fc8a611"]
    assert fingerprint(COINS)["fingerprint"] == "9a23aeb32b11a0f0"
    assert plain(engine.run(replace(COINS, pair={}, control={}), max_rows=48)) == plain(engine.run(COINS, max_rows=48))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pair": {"gain": ("a", "c")}}, "pair: 'c' is None; expected the name of a Mean or a Share"),
        ({"pair": {"a": ("a", "b")}}, "'a' and 'b', of shapes"),
        ({"pair": {"gain": ("a", "b")}, "measures": {"a": Mean(), "b": Counts((1,))}}, "pair: 'b' is Counts"),
        ({"control": {"z": Control("a", "b", lambda cell: 0, np.nan)}}, "coefficient nan of 'z'; expected a finite"),
        ({"control": {"z": Control("a", "c", lambda cell: 0)}}, "control: 'c' is None"),
        (
            {"pair": {"gain": ("a", "b")}, "measures": {"a": Mean(), "b": Mean(), "gain": Share()}},
            "pair: 'gain' is also",
        ),
    ],
)
def test_refusals(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        made = replace(ARMS, **({"pair": {}, "measures": BOTH} | options))
        gather(made)


def test_a_rule_in_another_unit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"takes 'gain' to lie between 0 and 1; expected .* -1 and 1"):
        engine.run(ARMS, stop=HalfWidth("gain", 0.1))


# ---------------------------------------------------------------------------------------------------------- controls


def test_a_control_with_a_known_answer() -> None:
    """E u² = 1/3; Var u² = 4/45, and of u² − u, whose coefficient is the best, 1/180: a sixteenth."""
    assert SQUARES.measures["steady"] == Controlled(-1, 2, "square", "u", 1.0)
    (result,) = engine.run(replace(SQUARES, rows=1024), max_rows=2**16)
    steady, square = result.estimates["steady"], result.estimates["square"]
    assert result.error is None and steady.low <= 1 / 3 <= steady.high  # false alarm: 5 % of seeds, this one is fixed
    rows = gather(SQUARES, rows=20_000)[0].values
    assert rows["square"].var() / rows["steady"].var() == pytest.approx(16, rel=0.1)
    assert width(steady) < 0.5 * width(square)
    assert regression(rows["square"], rows["u"]) == pytest.approx(1, rel=0.02)
    other_seed = gather(SQUARES, seed=1, rows=2000)[0].values
    assert regression(other_seed["square"], other_seed["u"]) == pytest.approx(1, rel=0.05)


def test_a_wrong_mean_is_detected() -> None:
    """False alarm: one in a million runs of a control that is right."""
    (result,) = engine.run(replace(SQUARES, rows=2**13, grid=({"mean": 0.51},)), max_rows=2**17)
    assert result.error is not None and "excludes 0.51, said to be known" in result.error
    assert not result.estimates["steady"].low <= 1 / 3 <= result.estimates["steady"].high  # it is biased indeed
    (right,) = engine.run(replace(SQUARES, rows=2**13, grid=({"mean": 0.5},)), max_rows=2**17)
    assert right.error is None


@pytest.mark.parametrize("c", [-1.0, 0.5, 1.0, 3.0])
def test_a_fixed_coefficient_leaves_the_mean_and_a_fitted_one_does_not(c) -> None:
    """By all samples of two rows from three outcomes; the fitted coefficient is the broken control."""
    x = np.array([0, 0.5, 1])
    samples = np.array(list(itertools.product(x, repeat=2)))
    measures = {"y": Mean(), "x": Mean(), "z": Controlled(-9, 9, "y", "x", c)}
    fixed = derive(measures, {"z": 0.5}, {"y": samples**2, "x": samples})["z"]
    assert fixed.mean() == pytest.approx(5 / 12, abs=1e-15)
    fitted = [(s**2).mean() - regression(s**2, s) * (s.mean() - 0.5) for s in samples]
    assert abs(np.mean(fitted) - 5 / 12) > 0.01


def test_rows_of_another_mean_or_coefficient_are_not_mixed(tmp_path) -> None:
    """A coefficient is part of the design, a mean of the code."""
    half = replace(SQUARES, control={"steady": CONTROL._replace(coefficient=0.5)})
    assert designs(half) != designs(SQUARES)
    whole = engine.run(SQUARES, max_rows=256)
    engine.run(SQUARES, tmp_path, max_rows=64)
    assert cut(engine.run(SQUARES, tmp_path, max_rows=256)) == cut(whole)
    other = replace(SQUARES, control={"steady": CONTROL._replace(mean=lambda cell: 0.25)})
    with pytest.raises(ValueError, match="code: .* is the fingerprint"):
        engine.run(other, tmp_path, max_rows=256)
    write_goal(tmp_path, engine.manifest(SQUARES, 0), Goal("squares", SQUARES.measures))
    assert cut(engine.results(recorded(tmp_path)[0], tmp_path)) == cut(whole)
    assert engine.replay(SQUARES, {}, 70)["steady"] == gather(SQUARES, rows=71)[0].values["steady"][70]
