"""Tails by hand, and that the two rankings enclose the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.studies.rdk.token_counts import SHARES, carrying, tail_mass, token_counts
from tests.engine.fakes import FakeBank


def test_by_hand():
    counts, others = [6, 1, 2, 1], [1, 9, 5, 0]  # the others rank 1, 2, 0, 3
    assert carrying(counts, counts, 0.8) == 0.5 and carrying(counts, counts, 0.81) == 0.75
    assert carrying(counts, others, 0.8) == 0.75
    assert tail_mass(counts, counts, 0.5) == 0.2 and tail_mass(counts, others, 0.5) == 0.7
    assert tail_mass(counts, counts, 1.0) == 1.0
    with pytest.raises(ValueError, match="counts: shape"):
        carrying([0, 0], [1, 2])


def test_own_ranking_is_optimistic_and_held_out_ranking_pessimistic():
    """Over 200 corpora the means enclose the law's own tail; each gap is many standard errors wide."""
    rng = np.random.default_rng(6)
    law = 1 / np.arange(1, 301.0)
    law /= law.sum()
    folds = rng.multinomial(100, law, size=(200, 10))
    pooled = folds.sum(axis=1)
    own = np.mean([tail_mass(c, c) for c in pooled])
    held_out = np.mean([tail_mass(f[0], c - f[0]) for f, c in zip(folds, pooled, strict=True)])
    assert own < tail_mass(law, law) - 0.01 and held_out > tail_mass(law, law) + 0.01


def test_study_has_a_row_for_each_fold():
    bank: Any = FakeBank()
    result = gather(token_counts({"main": bank}, {"main": "fake"}))[0]
    assert result.values["curve"].shape == (10, len(SHARES)) and (result.values["curve"][:, -1] == 1).all()
    pooled = bank.statistics.counts.sum(axis=0)
    assert result.values["pooled tail"][0] == tail_mass(pooled, pooled)
    at = [max(1, round(share * len(pooled))) for share in SHARES]
    carried = [np.sort(pooled)[::-1][:n].sum() / pooled.sum() for n in at]
    assert all(row == pytest.approx(carried) for row in result.values["pooled curve"])
    assert result.values["law curve"][:, -1] == pytest.approx(1)
    first = bank.statistics.counts[0].astype(float)
    assert result.values["carrying"][0] == carrying(first, pooled - first)


def test_a_bank_without_statistics_is_refused():
    bare: Any = FakeBank(statistics=False)
    with pytest.raises(ValueError, match="has no statistics"):
        gather(token_counts({"main": bare}, {"main": "fake"}))
