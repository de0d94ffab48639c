r"""What was measured of PAD on a language model whose answers are checked, as arrays and as a file.

The model answers tasks with known answers.  A candidate is a draft that speculative decoding refused.  Its label is "pivot"
where of N rollouts after it fewer than 0.9 times as many are right as of N rollouts before it.  A classifier is trained on
the candidates of some tasks; on other tasks answers are written by speculative decoding, by PAD at several thresholds, by the
strict rule, and by controls.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array
from simspec.logits.npz import facts_in, read_npz, write_npz

__all__ = ["RATIO", "SHIPPED", "Answers", "called_pivots", "read_answers", "save_answers"]

SHIPPED = Path(__file__).with_name("data") / "smollm2-answers.npz"
"""What was measured on SmolLM2-135M-Instruct."""
RATIO = 0.9
"""How many times as often as before it an answer must be right after a token that is no pivot."""


@dataclass(frozen=True)
class Answers:
    """Candidates with their rollouts, and answers by rule.

    Attributes
    ----------
    task : int (m,); of each candidate, counted over all tasks
    features : (m, F); what the classifier saw: p(x), q(x), both entropies, both largest masses, projected states
    before, after : int (m,); right rollouts before and after the candidate, of ``facts["rollouts"]``
    many_before, many_after : int (m,); of ``facts["many rollouts"]``; -1 where these were not run
    score, shuffled : (m,); the classifier's score, and that of one trained on shuffled labels
    kind : int (n,); of each task, an index into ``facts["kinds"]``
    is_test : bool (n,); the classifier saw the other tasks only
    right : bool (rules, tests, repeats); in the order of ``facts["rules"]`` and of the tasks for which `is_test`
    drafted, kept : int (rules, tests, repeats)
    facts : what was measured, on what, and with which versions
    """

    task: NDArray[np.int64]
    features: Array
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    many_before: NDArray[np.int64]
    many_after: NDArray[np.int64]
    score: Array
    shuffled: Array
    kind: NDArray[np.int64]
    is_test: NDArray[np.bool_]
    right: NDArray[np.bool_]
    drafted: NDArray[np.int64]
    kept: NDArray[np.int64]
    facts: dict[str, Any]

    @property
    def labels(self) -> NDArray[np.bool_]:
        """Whether each candidate is called a pivot by its rollouts."""
        return called_pivots(self.before, self.after)


def called_pivots(before: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Labels: fewer right rollouts after the candidate than `RATIO` times those before it.

    >>> called_pivots(np.array([10, 10, 0]), np.array([8, 9, 0])).tolist()
    [True, False, False]
    """
    # in whole numbers, as 0.9 is none in binary
    labels: NDArray[np.bool_] = 10 * after < round(10 * RATIO) * before
    return labels


def save_answers(answers: Answers, path: Path) -> None:
    """Write what was measured as an ``.npz`` file; features and scores in float32."""
    arrays = {field.name: getattr(answers, field.name) for field in fields(Answers) if field.name != "facts"}
    for name in ("features", "score", "shuffled"):
        arrays[name] = arrays[name].astype(np.float32)
    write_npz(path, arrays, answers.facts)


def read_answers(path: Path = SHIPPED) -> Answers:
    """What `save_answers` wrote; by default what ships.

    Raises ValueError for a file that holds none.

    >>> answers = read_answers()
    >>> answers.right.shape == answers.kept.shape, len(answers.labels) == len(answers.task)
    (True, True)
    """
    arrays = read_npz(path)
    missing = {field.name for field in fields(Answers)} - set(arrays)
    if missing:
        raise ValueError(
            f"{str(path)!r} has no {', '.join(sorted(missing))}; expected a file of `python -m simspec.tools.pivots`"
        )
    facts = facts_in(arrays)
    del arrays["facts"]
    for name in ("features", "score", "shuffled"):
        arrays[name] = arrays[name].astype(float)
    return Answers(
        **{name: arrays[name] for name in arrays if name in {field.name for field in fields(Answers)}}, facts=facts
    )
