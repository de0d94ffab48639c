"""What was measured of EARS on a language model whose answers are checked, as arrays, as a file and as a study.

The model answers tasks with known answers by speculative decoding and by EARS, with several tolerances and numbers of drafts,
and with each of several drafts.  All rules share their random numbers (`simspec.tools.answers`), so that their answers to a task
are paired.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.logits.npz import facts_in, read_npz, write_npz

__all__ = ["ALL", "SHIPPED", "EarsAnswers", "answered", "read_answers", "save_answers"]

SHIPPED = Path(__file__).with_name("data") / "smollm2-ears.npz"
"""What was measured on SmolLM2-135M-Instruct."""
ALL = 1e9
"""A tolerance at which every draft is kept: the control that must fail."""


@dataclass(frozen=True)
class EarsAnswers:
    """Sums over the answers to each task; arrays of integers (drafts, rules, tasks) but for `kind`.

    Attributes
    ----------
    kind : (tasks,); an index into ``facts["kinds"]``
    right : answers that are right
    changed : answers that are not, token by token, that of speculative decoding with the same random numbers
    tokens : tokens of the answers, with those that end them
    calls : calls of the target
    drafted, kept : drafts that were tested, and kept
    facts : what was measured, on what, and with which versions; ``drafts`` and ``rules`` (tolerance, drafts of a call,
        answers to each task)
    """

    kind: NDArray[np.int64]
    right: NDArray[np.int64]
    changed: NDArray[np.int64]
    tokens: NDArray[np.int64]
    calls: NDArray[np.int64]
    drafted: NDArray[np.int64]
    kept: NDArray[np.int64]
    facts: dict[str, Any]


_ARRAYS = [field.name for field in fields(EarsAnswers) if field.name != "facts"]


def save_answers(answers: EarsAnswers, path: Path) -> None:
    """Write what was measured as an ``.npz`` file."""
    arrays = {name: getattr(answers, name) for name in _ARRAYS}
    write_npz(
        path, {name: array.astype(np.min_scalar_type(array.max())) for name, array in arrays.items()}, answers.facts
    )


def read_answers(path: Path = SHIPPED) -> EarsAnswers:
    """What `save_answers` wrote; by default what ships.

    Raises ValueError for a file that holds none.

    >>> answers = read_answers()
    >>> answers.right.shape == (len(answers.facts["drafts"]), len(answers.facts["rules"]), len(answers.kind))
    True
    """
    arrays = read_npz(path)
    missing = sorted({*_ARRAYS, "facts"} - set(arrays))
    if missing:
        raise ValueError(
            f"{str(path)!r} has no {', '.join(missing)}; expected a file of `python -m simspec.tools.answers`"
        )
    return EarsAnswers(**{name: arrays[name].astype(np.int64) for name in _ARRAYS}, facts=facts_in(arrays))


def answered(answers: EarsAnswers | None = None) -> Study:
    """Each rule with each draft, a row a task.

    Values: ``right`` and ``changed``, shares of the answers to a task; ``tokens``, ``calls``, ``drafted`` and ``kept``, sums
    over them; and ``kind``.  Cells name the ``data``, the ``draft``, the tolerance ``beta`` (0 is speculative decoding) and
    ``gamma``.

    Parameters
    ----------
    answers : by default those that ship
    """
    measured = read_answers() if answers is None else answers
    target = measured.facts["target"]["name"]
    grid = tuple(
        {
            "data": f"{target}, {draft.split(', ')[-1]}: tasks with known answers",
            "draft": draft,
            "beta": beta,
            "gamma": gamma,
            "rows": len(measured.kind),
        }
        for draft in measured.facts["drafts"]
        for beta, gamma, _ in measured.facts["rules"]
    )
    return Study(
        name="ears-answers",
        question="What does a tolerance cost in right answers, and gain in tokens a call?",
        grid=grid,
        simulate=partial(_simulate, measured),
        summary="answers that are right, tokens and calls",
        rows=len(measured.kind),
    )


def _simulate(measured: EarsAnswers, cell: Cell, rows: Rows, device: str) -> Values:
    """The columns of some tasks."""
    draft = measured.facts["drafts"].index(cell["draft"])
    rules = measured.facts["rules"]
    rule = [(beta, gamma) for beta, gamma, _ in rules].index((cell["beta"], cell["gamma"]))
    at = np.asarray(rows.numbers)
    names = ("right", "changed", "tokens", "calls", "drafted", "kept")
    values = {name: getattr(measured, name)[draft, rule, at].astype(float) for name in names}
    for name in ("right", "changed"):
        values[name] /= rules[rule][2]
    return {**values, "kind": measured.kind[at].astype(float)}
