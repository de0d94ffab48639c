"""Sparse laws of a bank's contexts: one context by hand, the dense law of as many bits, rows one by one."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.study import Study, simulate
from simspec.laws import tv
from simspec.methods.sqs.payload import dense_bits, payload_bits
from simspec.methods.sqs.quantised import quantise, sparsify, top_mask
from simspec.studies.pairs import bank_laws
from simspec.studies.sqs.sparse_laws import dense_at, sparse_laws
from tests.engine.fakes import FakeBank

BANK = FakeBank(vocab=40, contexts=12)


def study() -> Study:
    return sparse_laws(BANK, "fake", (2, 8, 64), 0.05, (1.0,))  # type: ignore[arg-type]


def test_one_context_by_hand() -> None:
    found = simulate(study(), study().grid[0], 0, range(1))
    p, q = bank_laws(BANK, [0])  # type: ignore[arg-type]
    kept = top_mask(q, 8)
    assert found["mass 8"] == pytest.approx((p * kept).sum())
    assert found["rejected 8"] == pytest.approx(tv(p, quantise(sparsify(q, kept), 100, kept) / 100)[0])
    dense = dense_at(40, payload_bits(40, 8, 100))
    assert found["dense 8"] == pytest.approx(tv(p, quantise(q, dense) / dense)[0])
    assert "mass 64" not in found  # more than there are tokens


@pytest.mark.parametrize(("vocab", "bits"), [(4, 5), (40, 30), (40, 100), (1000, 50)])
def test_no_finer_dense_lattice_fits(vocab, bits) -> None:
    found = dense_at(vocab, bits)
    assert dense_bits(vocab, found) <= bits < dense_bits(vocab, found + 1)


def test_rows_do_not_see_each_other() -> None:
    together = simulate(study(), study().grid[0], 0, range(4))
    alone = [simulate(study(), study().grid[0], 0, range(n, n + 1)) for n in range(4)]
    for name, values in together.items():
        assert np.array_equal(values, np.concatenate([v[name] for v in alone])), name


def test_fewer_contexts_are_the_first() -> None:
    few = sparse_laws(BANK, "fake", (2,), 0.05, (1.0,), rows=5)  # type: ignore[arg-type]
    assert few.grid[0]["rows"] == 5
    assert simulate(few, few.grid[0], 0, range(5))["document"].tolist() == [0, 0, 0, 1, 1]
