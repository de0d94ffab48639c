"""Drafting without a law beside sparse laws: one context by hand, rows one by one."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.study import Study, simulate
from simspec.laws import overlap
from simspec.methods.coupling import match_reference
from simspec.methods.sqs.payload import payload_bits
from simspec.methods.sqs.quantised import quantise, sparsify, top_mask
from simspec.studies.pairs import bank_laws
from simspec.studies.sqs.zero_bit import zero_bit
from tests.engine.fakes import FakeBank

BANK = FakeBank(vocab=40, contexts=6)


def study() -> Study:
    return zero_bit(BANK, "fake", (1, 8, 64), 0.05, (1.0,), (10,))  # type: ignore[arg-type]


def test_one_context_by_hand() -> None:
    found = simulate(study(), study().grid[0], 0, range(1))
    p, q = bank_laws(BANK, [0])  # type: ignore[arg-type]
    assert found["accepted coupling"] == pytest.approx(match_reference(p, q).sum())
    kept = top_mask(q, 8)
    assert found["accepted K = 8, ℓ = 10"] == pytest.approx(overlap(p, quantise(sparsify(q, kept), 10, kept) / 10)[0])
    assert found["bits K = 8, ℓ = 10"] == payload_bits(40, 8, 10) + 3
    assert found["accepted K = 1"] == pytest.approx(p[0, q[0].argmax()])
    assert found["bits K = 1"] == found["bits coupling"] == 6
    assert "bits K = 64, ℓ = 10" not in found  # more than there are tokens
    assert found["accepted coupling"] <= found["exact"]


def test_rows_do_not_see_each_other() -> None:
    together = simulate(study(), study().grid[0], 0, range(3))
    alone = [simulate(study(), study().grid[0], 0, range(n, n + 1)) for n in range(3)]
    for name, values in together.items():
        assert np.array_equal(values, np.concatenate([v[name] for v in alone])), name
