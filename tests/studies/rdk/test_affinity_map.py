"""The map shows entries of Eq. 2 between the tokens it names; spreads by hand; the same rows however they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Rows, select
from simspec.logits import open_bank
from simspec.methods.rdk.affinity import affinity_matrix
from simspec.studies.rdk.affinity import rows_of
from simspec.studies.rdk.affinity_map import affinity_map, effective_tokens, ranks
from tests.engine.fakes import FakeBank


def test_ranks_run_from_the_first_token_to_the_last():
    assert ranks(100, 5).tolist() == [0, 2, 9, 31, 99] and ranks(5, 50).tolist() == [0, 1, 2, 3, 4]


def test_spreads_by_hand():
    assert effective_tokens(np.eye(3)).tolist() == [1, 1, 1]
    assert effective_tokens(np.array([[0.5, 0.25, 0.25]]))[0] == pytest.approx(2 * 2**0.5)


def test_rows_of_the_token_covariance_are_known():
    bank: Any = open_bank("stories")
    omega, largest = rows_of(bank, "tokens", np.array([7, 30]))
    f = bank.statistics.unigram
    assert omega == pytest.approx(np.diag(f)[[7, 30]] - np.outer(f[[7, 30]], f))
    assert largest == pytest.approx((f - f * f).max())


def test_the_map_holds_entries_of_the_affinity_between_tokens_by_frequency():
    bank: Any = open_bank("stories")
    study = affinity_map(bank, points=6, share=0.1, rows=4)
    (shown,) = select(gather(study), kind="tokens", part="map")
    counts = bank.statistics.counts.sum(axis=0, dtype=np.int64)
    order = np.argsort(-counts, kind="stable")
    assert shown.values["rank"].astype(int).tolist() == [1, 5, 21, 97, 446, 2048]
    omega, largest = rows_of(bank, "tokens", order)
    M = affinity_matrix(omega, 0.1 * largest)[:, order]
    at = shown.values["rank"].astype(int) - 1
    assert shown.values["map"] == pytest.approx(M[np.ix_(at, at)])
    assert shown.values["effective 0.1"] == pytest.approx(effective_tokens(M[at]))
    assert (np.diff(counts[order[at]]) <= 0).all()


def test_rows_are_the_same_however_they_are_asked_for():
    study = affinity_map(open_bank("stories"), points=5, rows=6)
    for cell in study.grid:
        every = study.simulate(cell, Rows(3, range(5)), "cpu")
        some = study.simulate(cell, Rows(3, range(2, 4)), "cpu")
        for name, values in some.items():
            assert values == pytest.approx(every[name][2:4])


def test_a_bank_without_statistics_is_refused():
    bare: Any = FakeBank(statistics=False)
    with pytest.raises(ValueError, match="has no statistics"):
        rows_of(bare, "tokens", np.array([0]))
