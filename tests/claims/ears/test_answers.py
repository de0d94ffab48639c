"""EARS on answers that are checked: planted losses and gains are judged as planted, beside a control that must fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspec.claims import find
from simspec.engine.row_values import gather
from simspec.studies.ears.answers import ALL, EarsAnswers, answered

TASKS = 4000
REPEATS = 4
RULES = [
    *([beta, gamma, REPEATS] for beta in (0.0, 0.1) for gamma in (1, 3, 5, 10)),
    *([beta, 5, REPEATS] for beta in (0.05, 0.2)),
    *([ALL, gamma, REPEATS] for gamma in (1, 5, 10)),
]
CALLS = {1: 12, 3: 8, 5: 7, 10: 6}
"""Calls of speculative decoding for twenty tokens."""


def planted(lost: float = 0.0, later: float = 0.0, saved: float = 0.5, control: float = 0.3) -> EarsAnswers:
    """Answers by rule: EARS loses a share of the right ones, more of them after long calls, and saves calls in these.

    Parameters
    ----------
    lost, later : shares of the right answers, at any number of drafts and beyond 5
    saved : calls for each answer at 10 drafts
    control : share lost where every draft is kept, twice as large beyond 5 drafts
    """
    rng = np.random.default_rng(0)
    plain = rng.random((TASKS, REPEATS)) < 0.6
    lot = rng.random((TASKS, REPEATS))
    share: dict[Any, Any] = {0.0: (0.0, 0.0), ALL: (control, control)}
    right, calls = [], []
    for beta, gamma, _ in RULES:
        before, after = share.get(beta, (lost, later))
        right.append((plain & (lot >= before + after * (gamma > 5))).sum(axis=1))
        calls.append(
            np.round(REPEATS * (CALLS[gamma] - saved * (gamma == 10) * (0 < beta < ALL))) + rng.integers(2, size=TASKS)
        )
    shape = (2, len(RULES), TASKS)
    both = np.broadcast_to(np.array(right), shape)
    drafted = np.full(shape, 60)
    return EarsAnswers(
        kind=np.zeros(TASKS, dtype=np.int64),
        right=both,
        changed=both * 0,
        tokens=np.full(shape, 20 * REPEATS),
        calls=np.broadcast_to(np.array(calls), shape),
        drafted=drafted,
        kept=drafted // 2,
        facts={"target": {"name": "tiny"}, "drafts": ["tiny, a", "tiny, b"], "rules": RULES, "kinds": ["sum"]},
    )


def verdict(name: str, answers: EarsAnswers) -> str:
    (claim,) = (claim for claim in find(name) if claim.name == name)
    finding = claim.finding
    return finding.decide(finding.estimate(gather(answered(answers), 0)))


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({"lost": 0.0}, "supported"),
        ({"lost": 0.005}, "supported"),
        ({"lost": 0.05}, "unsupported"),
        (
            {"lost": 0.0, "control": 0.0},
            "inconclusive",
        ),  # where keeping everything loses nothing, the tasks tell nothing
    ],
)
def test_right_answers_lost(how, expected) -> None:
    assert verdict("ears.reasoning", planted(**how)) == expected


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, "supported"),
        ({"lost": 0.2}, "supported"),  # as much at any number of drafts
        ({"later": 0.05}, "unsupported"),
        ({"saved": -0.5}, "unsupported"),
        ({"control": 0.0}, "inconclusive"),
    ],
)
def test_speed_and_right_answers_as_drafts_get_longer(how, expected) -> None:
    assert verdict("ears.gamma-accuracy", planted(**how)) == expected


def test_one_draft_that_loses_is_enough_to_fail() -> None:
    good, bad = planted(), planted(lost=0.05)
    mixed = np.stack([good.right[0], bad.right[1]])
    assert verdict("ears.reasoning", EarsAnswers(**{**vars(good), "right": mixed})) == "unsupported"
