"""The study of answers that were measured: a cell for the candidates, and one for each rule by which answers were written."""

from __future__ import annotations

from functools import partial

import numpy as np

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.studies.pad.answers import Answers, called_pivots, read_answers

__all__ = ["answered"]


def answered(answers: Answers | None = None) -> Study:
    """Candidates, a row each; then each rule, a row a task of the test.

    Values of the candidates: ``label``; ``many``, the label by many rollouts, NaN where these were not run; ``score``,
    ``shuffled`` and ``likelihood``, p(x); ``rare``, 1 where no rollout before the candidate was right; ``test`` and ``task``.
    Values of a rule: ``right``, the share of the answers to a task that are right; ``kept``, the share of drafts kept in them.

    Parameters
    ----------
    answers : by default those that ship
    """
    measured = read_answers() if answers is None else answers
    label = f"{measured.facts['target']['name']}, {measured.facts['draft'].split(', ')[-1]}: tasks with known answers"
    candidates = {"data": label, "part": "candidates", "rows": len(measured.task)}
    rules = tuple({"data": label, "rule": rule, "rows": measured.right.shape[1]} for rule in measured.facts["rules"])
    return Study(
        name="answers",
        question="Can a classifier tell which refused drafts spoil an answer, and what does it cost to keep the others?",
        grid=(candidates, *rules),
        simulate=partial(_simulate, measured),
        summary="answers that are right, and drafts kept",
        rows=len(measured.task),
    )


def _simulate(measured: Answers, cell: Cell, rows: Rows, device: str) -> Values:
    """The columns of some candidates, or of some tasks by a rule."""
    at = np.asarray(rows.numbers)
    if "rule" in cell:
        rule = measured.facts["rules"].index(cell["rule"])
        drafted = measured.drafted[rule, at].sum(axis=1)
        return {"right": measured.right[rule, at].mean(axis=1), "kept": measured.kept[rule, at].sum(axis=1) / drafted}
    many = called_pivots(measured.many_before, measured.many_after).astype(float)
    many[measured.many_before < 0] = np.nan
    return {
        "label": measured.labels[at].astype(float),
        "many": many[at],
        "score": measured.score[at],
        "shuffled": measured.shuffled[at],
        "likelihood": measured.features[at, 0],
        "rare": (measured.before == 0)[at].astype(float),
        "test": measured.is_test[measured.task[at]].astype(float),
        "task": measured.task[at].astype(float),
    }
