"""Blocks of real contexts: known rates, the mean rate's formula below what alike steps give, the bank's own rates."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.laws import overlap
from simspec.logits import open_bank
from simspec.methods.block import block_length
from simspec.studies.pairs import bank_laws
from simspec.studies.sd.measured_lengths import lengths, measured_rates


def test_known_rates() -> None:
    assert lengths(np.array([0.5, 1.0]), (2, 3)).tolist() == [[1.75, 1.875], [3.0, 4.0]]


def test_alike_steps_make_blocks_at_least_as_long_as_the_formula_of_the_mean_rate() -> None:
    alpha = np.random.default_rng(0).uniform(size=50)
    mean = lengths(alpha, (1, 4, 16)).mean(axis=0)
    assert mean[0] == pytest.approx(1 + alpha.mean())
    assert (mean[1:] > [block_length(float(alpha.mean()), gamma) for gamma in (4, 16)]).all()


def test_rates_are_those_of_the_bank_and_fall_with_pruning() -> None:
    bank = open_bank("stories")
    whole, pruned = gather(measured_rates(bank, (1.0, 0.01)), rows=20)
    p, q = bank_laws(bank, np.arange(20))
    assert whole.values["alpha"] == pytest.approx(overlap(p, q))
    assert pruned.cell["kept"] == 20 and pruned.values["alpha"].mean() < whole.values["alpha"].mean()
