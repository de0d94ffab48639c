"""The pipeline of PAD on small problems: what must hold whatever the classifier says."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Result
from simspec.studies.pad import pipeline as pivot_pipeline
from simspec.studies.pad.pipeline import ANSWER, SIGMAS, pipeline
from simspec.studies.pad.problems import bank_pairs
from tests.engine.fakes import FakeBank

CELL: dict[str, Any] = {
    **ANSWER,
    "vocab": 8,
    "horizon": 12,
    "states": 8,
    "ceiling": 0.6,
    "candidates": 20,
    "training": 15,
    "choosing": 3,
}
SOURCES: Any = {"bank": partial(bank_pairs, FakeBank(vocab=60, contexts=24))}  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return gather(pipeline(({**CELL, "noise": 0.0}, {**CELL, "laws": "bank"}), SOURCES, rows=5), seed=2)


def test_every_value_is_a_share_a_speed_or_absent(results):
    for _, v in results:
        assert v["utility"].shape == v["speed"].shape == (5, len(SIGMAS))
        assert v["label"].shape == (5, 20) and np.isin(v["label"][np.isfinite(v["label"])], (0, 1)).all()
        for name in ("utility", "share", "sd utility", "sd share", "strict utility", "random share"):
            assert (v[name] >= 0).all() and (v[name] <= 1 + 1e-12).all()
        assert (v["speed"] > 0).all() and (v["speed"] < 11).all()
        there = np.isfinite(v["label"])
        for name in ("score", "shuffled", "likelihood", "definition", "label rule", "chance"):
            assert np.array_equal(np.isfinite(v[name]), there) and (v[name][there] >= 0).all()
            assert (v[name][there] <= 1).all()
        assert len(set(v["sigma"])) == len(set(v["beta"])) == len(set(v["flagged"])) == 1


def test_speed_rises_with_the_threshold_and_rules_that_know_the_values_gain(results):
    for _, v in results:
        assert (np.diff(v["share"], axis=1) >= -0.02).all()
        assert (v["speed"][:, -1] >= v["sd speed"] - 1e-9).all()
        assert (v["replacement utility"] >= v["sd utility"] - 1e-6).all()  # overrides of tokens worth their replacement
        assert (v["strict utility"] >= v["sd utility"] - 1e-6).all()
        assert (v["replacement share"] >= v["sd share"]).all()


def test_rows_do_not_depend_on_the_block():
    study = pipeline(({**CELL, "noise": 0.0},), rows=3)
    whole, parts = gather(study, seed=2)[0].values, gather(study, seed=2, block=1)[0].values
    for name in whole:
        assert np.allclose(whole[name], parts[name], atol=1e-9, equal_nan=True)


def test_without_flags_pad_accepts_all_likely_drafts_and_with_all_it_is_speculative_decoding(monkeypatch):
    cell = {**CELL, "training": 15, "choosing": 2}
    for flagged in (True, False):
        monkeypatch.setattr(
            pivot_pipeline, "_flags", lambda score, flagged=flagged: np.full((len(SIGMAS), *score.shape), flagged)
        )
        v = gather(pipeline((cell,), rows=2), seed=2)[0].values
        assert np.allclose(v["utility"], v["sd utility"][:, None]) == flagged
        assert np.allclose(v["speed"], v["sd speed"][:, None]) == flagged
        assert flagged or v["share"].min() > 0.99


def test_training_and_test_draw_real_laws_from_other_documents(monkeypatch):
    halves: dict[int, set[Any]] = {}
    make = pivot_pipeline.make_problem

    def spy(cell: Any, key: int, number: int, pairs: Any, half: Any) -> Any:
        halves.setdefault(number >> 30, set()).add(half)
        return make(cell, key, number, pairs, half)

    monkeypatch.setattr(pivot_pipeline, "make_problem", spy)
    gather(pipeline(({**CELL, "laws": "bank"},), SOURCES, rows=2), seed=2)
    assert halves == {0: {1}, 1: {0}, 2: {0}}


def test_the_threshold_is_the_fastest_that_surely_loses_less_than_a_point():
    loss = np.array([[0.0, 0.001, 0.009, 0.05], [0.0, 0.002, 0.011, 0.07], [0.0, 0.003, 0.004, 0.06]])
    speed = np.array([[1.0, 1.2, 1.5, 2.0]] * 3)
    assert pivot_pipeline._choose(loss, speed) == 1  # the third loses 0.008, but not surely less than 0.01
    assert pivot_pipeline._choose(loss + 0.02, speed) == 0  # none qualifies: the least loss
