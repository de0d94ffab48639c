"""Fixed masses beside other schemes: two halves by hand, the ceiling, the same numbers as elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.study import Rows
from simspec.logits import open_bank
from simspec.methods.rdk.static import static_mixture
from simspec.studies.rdk.static_gain import fitted, static_gain


def test_two_halves_by_hand() -> None:
    p = np.array([[0.5, 0.5], [1.0, 0.0]])
    known, other = fitted(p, p, np.array([True, False]), np.array([True, False]))
    # for both contexts nothing is put outside; for the first alone one half, for the second alone nothing
    assert known.tolist() == [0.5, 1.0]
    assert other.tolist() == [0.5, 0.5]


def test_masses_of_other_documents_do_not_exceed_the_ceiling_and_are_worth_something() -> None:
    bank = open_bank("stories")
    study = static_gain(bank, "stories", (0.0025,), ("frequency",))
    assert [cell["order"] for cell in study.grid] == ["frequency"]
    values = study.simulate(study.grid[0], Rows(1, range(300)), "cpu")
    assert values["tli"].mean() < values["static other"].mean() <= values["static known"].mean()
    assert values["mixture"].mean() <= values["static known"].mean() + 1e-6


def test_the_ceiling_is_that_of_static_mixture() -> None:
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(6), 5), rng.dirichlet(np.ones(6), 5)
    shared = np.arange(6) < 3
    known, _ = fitted(p, q, shared, np.arange(5) < 2)
    assert known.mean() == pytest.approx(static_mixture(p, q, shared).acceptance)
