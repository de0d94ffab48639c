"""Answers under EARS as measured: what ships, a file and back, the study's columns, and files of something else."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.study import Rows
from simspec.studies.ears.answers import ALL, SHIPPED, EarsAnswers, answered, read_answers, save_answers

NAMES = ("right", "changed", "tokens", "calls", "drafted", "kept")


def made(tasks: int = 6, seed: int = 0) -> EarsAnswers:
    rng = np.random.default_rng(seed)
    rules = [[0.0, 5, 4], [0.1, 5, 4], [ALL, 5, 2]]
    arrays = {name: rng.integers(1, 300, size=(2, len(rules), tasks)) for name in NAMES}
    facts = {"target": {"name": "tiny"}, "drafts": ["tiny, a", "tiny, b"], "rules": rules, "kinds": ["sum"]}
    return EarsAnswers(kind=np.zeros(tasks, dtype=np.int64), **arrays, facts=facts)


def test_a_file_holds_what_was_measured(tmp_path) -> None:
    answers = made()
    save_answers(answers, tmp_path / "answers.npz")
    read = read_answers(tmp_path / "answers.npz")
    assert read.facts == answers.facts
    for name in ("kind", *NAMES):
        np.testing.assert_array_equal(getattr(read, name), getattr(answers, name))


def test_the_study_has_each_rule_with_each_draft() -> None:
    answers = made()
    study = answered(answers)
    assert [(cell["draft"], cell["beta"]) for cell in study.grid] == [
        (draft, beta) for draft in ("tiny, a", "tiny, b") for beta in (0.0, 0.1, ALL)
    ]
    for draft in range(2):
        for rule, repeats in enumerate((4, 4, 2)):
            cell = study.grid[3 * draft + rule]
            columns = study.simulate(cell, Rows(0, range(2, 5)), "cpu")
            np.testing.assert_array_equal(columns["right"], answers.right[draft, rule, 2:5] / repeats)
            np.testing.assert_array_equal(columns["calls"], answers.calls[draft, rule, 2:5])


def test_what_ships_is_sound() -> None:
    """Speculative decoding writes one answer for all numbers of drafts, and where everything is kept nothing is refused."""
    answers = read_answers()
    assert SHIPPED.stat().st_size < 200_000
    rules = answers.facts["rules"]
    plain = [at for at, (beta, _, _) in enumerate(rules) if beta == 0]
    for name in ("right", "tokens"):
        values = getattr(answers, name)[:, plain]
        assert (values == values[:, :1]).all()
    assert (answers.changed[:, plain] == 0).all()
    assert (answers.calls[:, plain[1:]] <= answers.calls[:, plain[:1]]).all()
    repeats = np.array([repeats for _, _, repeats in rules])[:, None]
    assert (answers.right <= repeats).all() and (answers.changed <= repeats).all()
    assert (answers.kept <= answers.drafted).all()
    everything = [at for at, (beta, _, _) in enumerate(rules) if beta == ALL]
    # but for drafts of a target that is certain, whose tolerance is 0
    assert answers.kept[:, everything].sum() > 0.99 * answers.drafted[:, everything].sum()


@pytest.mark.parametrize("name", ["kind", "facts"])
def test_a_file_without_a_column_is_refused_by_its_name(tmp_path, name) -> None:
    save_answers(made(), tmp_path / "answers.npz")
    with np.load(tmp_path / "answers.npz") as whole:
        np.savez(tmp_path / "less.npz", **{key: whole[key] for key in whole if key != name})
    with pytest.raises(ValueError, match=f"has no {name}"):
        read_answers(tmp_path / "less.npz")
