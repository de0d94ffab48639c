"""Sorted synthetic laws: a known law, the family as the limit of what is drawn, rows that stand alone."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.laws import softmax
from simspec.logits import open_bank
from simspec.studies.rdk.synthetic_laws import family, ranks, synthetic_laws


def test_without_scale_every_law_is_uniform():
    (result,) = gather(synthetic_laws(8, ((5, 0),), {}), rows=2)
    assert result.values["sorted"] == pytest.approx(np.full((2, 8), 1 / 8))
    assert result.values["family"] == pytest.approx(np.full((2, 8), 1 / 8))


def test_many_tokens_follow_the_quantiles_of_their_family():
    vocab = 50_000
    (result,) = gather(synthetic_laws(vocab, ((30, 1),), {}), rows=1)
    body = (ranks(vocab) > 100) & (ranks(vocab) < vocab - 100)
    # the relative error of an order statistic of rank r is about 1/√r of a spacing: a few per cent at rank 100
    assert result.values["sorted"][0][body] == pytest.approx(family(30, 1, vocab)[ranks(vocab) - 1][body], rel=0.05)
    assert result.values["sorted"][0][body] != pytest.approx(family(30, 1.1, vocab)[ranks(vocab) - 1][body], rel=0.05)


def test_a_bank_gives_its_own_laws():
    bank = open_bank("stories")
    (result,) = gather(synthetic_laws(10, (), {"stories": bank}), rows=2)
    p = softmax(bank.target([1]).astype(float))[0]
    assert result.values["sorted"][1] == pytest.approx(np.sort(p)[::-1][ranks(bank.vocab) - 1])
