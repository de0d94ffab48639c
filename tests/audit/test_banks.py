"""Rows of a bank as laws to audit on."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit.banks import PARTS, bank_pairs
from simspec.laws import softmax, tv
from simspec.logits import open_bank

BANK = open_bank("stories")


def test_merged_laws_are_those_of_the_bank() -> None:
    (pair,) = bank_pairs(BANK, rows=[3, 5], gamma=1, vocab=4)
    full = softmax(BANK.target([3, 5]).astype(np.float64))
    assert (pair.gamma, pair.vocab) == (1, 4)
    assert (pair.p.sum(axis=1) == 1).all() and (pair.p * PARTS % 1 == 0).all()
    for mass in pair.p[0, :3]:
        assert abs(full[0] - mass).min() < 2 / PARTS
    q = BANK.draft_on_target(softmax(BANK.draft([3]).astype(np.float64)))
    assert tv(pair.p[0], pair.q[0]) <= tv(full[0], q[0] / q[0].sum()) + 8 / PARTS


def test_as_many_as_asked_for() -> None:
    assert [pair.name for pair in bank_pairs(BANK, rows=2)] == ["stories, contexts 0 to 2", "stories, contexts 3 to 5"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rows": [0]}, "rows:"),
        ({"rows": [0, 1, 10**9]}, "rows:"),
        ({"gamma": 0}, "gamma: 0"),
        ({"vocab": 1}, "vocab: 1"),
    ],
)
def test_bad_requests_are_refused(settings, words) -> None:
    with pytest.raises(ValueError, match=words):
        bank_pairs(BANK, **settings)
