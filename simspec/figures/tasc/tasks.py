"""The tasks that TASC's figures are drawn on: recorded corpora, and Python's own sources, at hand everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from simspec.engine.study import Result
from simspec.logits.corpora import TASKS, standard_library
from simspec.studies.tasc.task_tokens import Task, prepare

__all__ = [
    "CORPORA",
    "LIBRARY",
    "LIBRARY_SIZES",
    "LIVE",
    "NAMES",
    "RECORDED",
    "library_tasks",
    "place",
    "recorded_only",
    "simulated_only",
]

NAMES = {
    "library-tagging": "code tags\n(Python)",
    "ud-ewt": "word tags\n(UD-EWT)",
    "slurp": "intents\n(SLURP)",
    "gsm8k": "arithmetic\n(GSM8K)",
    "mbpp": "programs\n(MBPP)",
    "library-docstrings": "docstrings\n(Python)",
    "medquad": "answers\n(MedQuAD)",
    "tinystories": "stories\n(TinyStories)",
}
"""Tasks by what their outputs are, the ones whose outputs vary least against their inputs first."""
LIVE = {"tagging": "code tags", "docstrings": "docstrings"}
"""Tasks of the standard library, as they are called in pictures."""
RECORDED = tuple(NAMES)
CORPORA = tuple(name for name in RECORDED if not name.startswith("library"))
"""Recorded tasks whose texts do not ship."""
LIBRARY = (
    "Python's standard library, taken from the Python that runs (functions → types of their tokens; headers → "
    "docstrings; another version has another text)"
)


@cache
def library_tasks(share: float = 0.4, limit: int = 40_000) -> tuple[Task, ...]:
    """Both tasks of the standard library under one base tokenizer trained on a share of each, of at most so many tokens."""
    return prepare([standard_library(name) for name in TASKS], share, token_limit=limit)


LIBRARY_SIZES: Mapping[str, Mapping[str, Any]] = {"quick": {"share": 0.1, "most": 5_000}, "deep": {"most": 90_000}}
"""What the efforts change of these tasks."""


def place(name: str) -> int:
    """Where a task stands from left to right.

    >>> place("library-tagging")
    0
    """
    return RECORDED.index(name)


def recorded_only(results: Sequence[Result]) -> list[Result]:
    """Results that were read from the record."""
    return [r for r in results if "recorded" in r.cell]


def simulated_only(results: Sequence[Result]) -> list[Result]:
    """Results that were simulated now."""
    return [r for r in results if "recorded" not in r.cell]
