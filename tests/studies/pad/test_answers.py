"""Answers as measured: labels by hand, a file and back, and the study's columns."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.study import Rows
from simspec.studies.pad.answered import answered
from simspec.studies.pad.answers import Answers, called_pivots, read_answers, save_answers


def made(candidates: int = 60, tasks: int = 20, repeats: int = 2, seed: int = 0) -> Answers:
    """Candidates whose first feature tells pivots, three rules, and rollouts of the first four."""
    rng = np.random.default_rng(seed)
    task = np.sort(rng.integers(tasks, size=candidates))
    pivot = rng.random(candidates) < 0.4
    features = np.column_stack([np.where(pivot, 0.1, 0.9), rng.random(candidates)])
    many = np.full(candidates, -1)
    many[:4] = 100
    right = rng.random((3, tasks // 2, repeats)) < 0.5
    return Answers(
        task=task,
        features=features,
        before=np.full(candidates, 10),
        after=np.where(pivot, 2, 10),
        many_before=many,
        many_after=np.where(many < 0, -1, 50),
        score=1 - features[:, 0],
        shuffled=rng.random(candidates),
        kind=np.zeros(tasks, dtype=np.int64),
        is_test=np.arange(tasks) % 2 == 1,
        right=right,
        drafted=np.full(right.shape, 10),
        kept=np.full(right.shape, 4) + np.arange(3)[:, None, None],
        facts={"target": {"name": "tiny"}, "draft": "tiny, quantised:3", "kinds": ["sum"], "rules": ["SD", "a", "b"]},
    )


def test_labels_by_hand() -> None:
    """Nine of ten is no loss, eight is one; after nothing right nothing can be lost."""
    before = np.array([10, 10, 0, 20, 20, 1])
    after = np.array([9, 8, 0, 18, 17, 1])
    assert called_pivots(before, after).tolist() == [False, True, False, False, True, False]


def test_a_file_holds_what_was_measured(tmp_path) -> None:
    answers = made()
    save_answers(answers, tmp_path / "answers.npz")
    read = read_answers(tmp_path / "answers.npz")
    assert read.facts == answers.facts
    for name in ("task", "before", "many_after", "right", "kept", "is_test"):
        np.testing.assert_array_equal(getattr(read, name), getattr(answers, name))
    np.testing.assert_allclose(read.features, answers.features, rtol=1e-6)


def columns(study, cell):
    return study.simulate(cell, Rows(0, range(cell["rows"])), "cpu")


def test_the_study_has_the_candidates_then_each_rule() -> None:
    answers = made()
    study = answered(answers)
    first, *rules = study.grid
    assert [cell["rule"] for cell in rules] == ["SD", "a", "b"]
    candidates = columns(study, first)
    np.testing.assert_array_equal(candidates["label"], answers.labels)
    assert np.isfinite(candidates["many"]).sum() == 4 and candidates["many"][:4].all()
    np.testing.assert_array_equal(candidates["test"], answers.task % 2)
    assert [columns(study, cell)["kept"].tolist() for cell in rules] == [[0.4] * 10, [0.5] * 10, [0.6] * 10]


@pytest.mark.parametrize("name", ["task", "facts"])
def test_a_file_without_a_column_is_refused_by_its_name(tmp_path, name) -> None:
    save_answers(made(), tmp_path / "answers.npz")
    with np.load(tmp_path / "answers.npz") as whole:
        np.savez(tmp_path / "less.npz", **{key: whole[key] for key in whole if key != name})
    with pytest.raises(ValueError, match=f"has no {name}"):
        read_answers(tmp_path / "less.npz")
