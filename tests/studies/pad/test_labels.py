"""The labelling pipeline against exact laws: candidates, rollouts, labels, the judge.

Statistical tests draw from fixed keys; each states the rate at which another key would fail it by chance.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, chi2

from simspec.engine.row_values import gather
from simspec.methods.pad.labels import label_error, label_law
from simspec.methods.pad.process import Process, values
from simspec.studies.pad import labels as pivot_labels
from simspec.studies.pad.labels import (
    Candidates,
    Judge,
    beside,
    candidate_rows,
    harvest,
    label,
    labelling,
    pair,
    rollouts,
    target_visits,
    write,
)
from simspec.studies.pad.problems import Problem, make_problem

CELL: dict[str, Any] = {"family": "answer", "laws": "synthetic", "vocab": 6, "horizon": 7, "states": 4, "ceiling": 0.5}
ONE = Candidates(*(np.array([x]) for x in (0, 0, 1)))


def _chi_square(counts: np.ndarray, expected: np.ndarray) -> float:
    """p-value; places that expect fewer than five are put together."""
    rare = expected < 5
    groups = [(counts[~rare], expected[~rare])]
    observed = np.append(groups[0][0], counts[rare].sum())
    wanted = np.append(groups[0][1], expected[rare].sum())
    keep = wanted > 0
    assert (observed[~keep] == 0).all()
    return float(chi2.sf(((observed - wanted)[keep] ** 2 / wanted[keep]).sum(), keep.sum()))


def test_the_target_writes_by_hand():
    p = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    process = Process(p, p, np.array([[0, 1, 2], [0, 0, 2], [2, 2, 2]]), np.ones(3), 0, 4)
    state, length = write(process, np.array([0, 0, 0]), np.array([0, 2, 4]), np.array([[0.2, 0.7, 0.1, 0.4]] * 3))
    assert state.tolist() == [2, 1, 0] and length.tolist() == [3, 2, 0]  # over in state 2; cut off; nothing to write


def test_rollouts_have_the_values_of_backward_induction():
    """False alarms: 5e-7 (5 standard errors).  Negative control: the value one position later is rejected."""
    problem = make_problem(CELL, 2, 0)
    n = 200
    states, position = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    correct, _, length = rollouts(problem, states, position, 11, candidate_rows(0, n), 0, 50)
    value = values(problem.process)[0, 0]
    error = (value * (1 - value) / correct.size) ** 0.5
    assert abs(correct.mean() - value) < 5 * error
    assert abs(correct.mean() - problem.process.utility[0]) > 5 * error
    assert 2 <= length.min() < length.max() <= 7


def test_candidates_have_their_exact_law():
    """False alarms: 1e-4.  Negative control: the law of all drafts is rejected, and so is a shifted position."""
    process = make_problem(CELL, 2, 1).process
    texts = 4000
    state, position, token = harvest(process, 7, 1, texts)
    counts = np.zeros((process.horizon, *process.step.shape))
    np.add.at(counts, (position, state, token), 1)
    over = np.maximum(process.draft - process.target, 0)
    expected = texts * target_visits(process)[:, :, None] * over
    assert abs(counts.sum() - expected.sum()) < 5 * expected.sum() ** 0.5
    assert _chi_square(counts.ravel(), expected.ravel()) > 1e-4
    drafts = target_visits(process)[:, :, None] * process.draft
    assert not (counts[drafts * over == 0] > 0).any()
    wrong = np.where(expected > 0, drafts, 0)
    assert _chi_square(counts.ravel(), (wrong / wrong.sum() * counts.sum()).ravel()) < 1e-12


@pytest.mark.parametrize(("base", "candidate"), [(1.0, 1.0), (0.9, 0.9), (0.5, 0.5), (0.5, 0.4), (0.9, 0.72)])
@pytest.mark.parametrize("judge", [None, Judge(0.75, 0.875)])
def test_labels_err_as_often_as_the_closed_form_says(base, candidate, judge):
    """False alarms: 1e-5 each (two-sided binomial).  Negative control: the ratio 0.7 is rejected where labels err."""
    n = 4000
    many = Candidates(*(np.full(n, x) for x in (0, 0, 1)))
    found = label(pair(base, candidate, sound=0.625), many, 5, np.arange(n), judge=judge).pivot.sum()

    def chance(ratio: Any) -> float:
        if judge is None:
            return float(label_error(base, candidate, 20, ratio))
        return float(label_law(base, candidate, 0.625, judge.sensitivity, judge.specificity, 20, ratio))

    def p_value(probability: float) -> float:
        return 2 * min(binom.cdf(found, n, probability), binom.sf(found - 1, n, probability))

    assert p_value(chance(Fraction(9, 10))) > 1e-5
    if base < 1:
        assert p_value(chance(Fraction(7, 10))) < 1e-12


def test_a_floating_ratio_is_read_as_the_decimal_it_prints_as():
    p = np.array([[1.0, 0.0]])
    many = Candidates(*(np.zeros(3, dtype=np.int64) for _ in range(3)))
    problem = Problem(Process(p, p, np.array([[0, 0]]), np.ones(1), 0, 1), np.ones(1))
    made = [label(problem, many, 1, np.arange(3), count=10, label_ratio=ratio) for ratio in (0.9, Fraction(9, 10), 1.2)]
    assert not made[0].pivot.any() and not made[1].pivot.any() and made[2].pivot.all()


def _by_hand(monkeypatch: Any, correct: Any, sound: Any, length: Any, judge: Judge) -> bool:
    after = tuple(np.array([x]) for x in (correct, sound, length))
    full = (np.ones((1, 4), dtype=bool), np.ones((1, 4), dtype=bool), np.ones((1, 4)))

    def fake(problem: Any, state: Any, position: Any, key: int, rows: Any, side: int, count: int) -> Any:
        return after if side else full

    monkeypatch.setattr(pivot_labels, "rollouts", fake)
    made = label(pair(1, 1), ONE, 1, np.arange(1), count=4, label_ratio=Fraction(1, 4), judge=judge)
    assert not made.first[0]
    return bool(made.pivot[0])


def test_the_judge_reads_the_correct_rollout_of_median_length(monkeypatch):
    strict = Judge(1, 1)
    length = [9, 3, 5, 1]
    for correct, chosen in (([1, 1, 1, 1], 1), ([1, 1, 1, 0], 2), ([1, 0, 1, 0], 2), ([1, 0, 0, 0], 0)):
        for unsound in range(4):
            sound = [i != unsound for i in range(4)]
            there = [bool(x) for x in correct]
            assert _by_hand(monkeypatch, there, sound, length, strict) == (unsound == chosen)


def test_the_judge_turns_labels_to_pivot_only_and_reads_nothing_without_a_correct_rollout():
    n = 300
    many = Candidates(*(np.full(n, x) for x in (0, 0, 1)))
    rows = np.arange(n)
    plain = label(pair(0.6, 0.5, sound=0.5), many, 3, rows, judge=None).pivot
    harsh = label(pair(0.6, 0.5, sound=0), many, 3, rows, judge=Judge(1, 1))
    mild = label(pair(0.6, 0.5, sound=1), many, 3, rows, judge=Judge(1, 1)).pivot
    assert np.array_equal(harsh.first, plain) and np.array_equal(mild, plain) and 0 < plain.sum() < n
    assert harsh.pivot[harsh.candidate > 0].all()
    assert not label(pair(0, 0, sound=0), many, 3, rows, judge=Judge(1, 1)).pivot.any()


def test_problems_beside_each_other_are_labelled_as_alone():
    problems = [make_problem(CELL, 4, number) for number in range(3)]
    found = [harvest(problem.process, 4, number, 30) for number, problem in enumerate(problems)]
    rows = [candidate_rows(number, len(c.state)) for number, c in enumerate(found)]
    alone = [label(problem, c, 4, r, judge=Judge()).pivot for problem, c, r in zip(problems, found, rows, strict=True)]
    whole, first = beside(problems)
    state = np.concatenate([c.state + at for c, at in zip(found, first, strict=True)])
    rest = [np.concatenate([getattr(c, name) for c in found]) for name in ("position", "token")]
    made = label(whole, Candidates(state, *rest), 4, np.concatenate(rows), judge=Judge()).pivot
    assert np.array_equal(made, np.concatenate(alone)) and 0 < made.sum() < len(made)


def test_the_study_of_labels_is_pure_and_has_both_errors():
    study = labelling(rows=200)
    cell = {"base": 0.5, "drop": 0.2, "rollouts": 20, "judge": False}
    whole = gather(study)
    assert len(whole) == 20
    from simspec.engine.study import simulate

    parts = [simulate(study, cell, 0, numbers)["pivot"] for numbers in (range(120), range(120, 200))]
    there = next(r for r in whole if dict(r.cell) == cell)
    assert np.array_equal(np.concatenate(parts), there.values["pivot"])
    miss = 1 - there.values["pivot"].mean()
    assert abs(miss - (1 - label_error(0.5, 0.4))) < 5 * 0.5 / 200**0.5


def test_too_many_rollouts_are_refused():
    with pytest.raises(ValueError, match="count: 300; expected between 1 and 256"):
        label(pair(1, 1), ONE, 1, np.arange(1), count=300)
