"""C-SQS along texts: bounds by hand and on adverse laws, the stored laws' thresholds, a control that is held."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.engine.study import simulate
from simspec.kernels import random as philox
from simspec.laws import softmax
from simspec.logits import synthetic
from simspec.methods.csqs.conformal import draft_thresholds
from simspec.studies.csqs.threshold_paths import HELD, dropped_bounds, threshold_paths
from tests import strategies as some
from tests.kernels.cases import drawn

CELL = {
    "family": "student-t",
    "df": 8.0,
    "scale": 2.5,
    "vocab": 300,
    "length": 30,
    "first": 0.01,
    "step_size": 0.01,
    "dropped_target": 0.05,
}


def test_by_hand() -> None:
    """Uniform laws on four tokens: above 1/4 nothing is kept, from there on all is."""
    cell = {**CELL, "family": "gaussian", "scale": 0.0, "vocab": 4, "length": 3, "first": 0.5, "step_size": 0.5}
    # 0.5: all dropped, on to 0.5 - 0.5 (1 - 0.05) = 0.025; then nothing is, and it rises by 0.025 twice
    found = simulate(threshold_paths(), cell, 0, range(2))
    assert found["dropped"] == pytest.approx(1 / 3) and found["kept"] == pytest.approx(2 / 3)
    assert found["low"].tolist() == [0, 0] and found["high"] == pytest.approx(0.05 + (0.5 + 0.475) / 1.5)


@given(st.data())
def test_bounds_hold_whatever_the_laws(data) -> None:
    """Exactly, on fractions, one law or another at every token."""
    vocab = data.draw(some.vocabularies())
    laws = np.stack([data.draw(some.laws(vocab)) for _ in range(data.draw(st.integers(1, 6)))])
    first, target = data.draw(some.fractions(-1, 2, 8)), data.draw(some.shares())
    step_size = data.draw(some.fractions(F(1, 8), 2, 8))
    dropped = draft_thresholds(laws, first, step_size, target, keep_top=False).dropped
    low, high = dropped_bounds(first, step_size, target, len(laws))
    assert low - 1e-12 <= dropped.mean() <= high + 1e-12


def test_bounds_are_attained() -> None:
    law = np.array([[1.0]])  # a point: all is dropped above 1, nothing else
    assert draft_thresholds(law, 1.0, 0.5, 0.5, False).dropped.mean() == 0 == dropped_bounds(1, 0.5, 0.5, 1)[0]
    # from just above the largest probability all is dropped once; a large step then leads far below 0
    half = np.array([[0.5, 0.5]] * 2)
    for step_size, near in ((100, 0.01), (10_000, 0.0001)):
        high = dropped_bounds(0.6, step_size, 0, 2)[1]
        assert high - near <= draft_thresholds(half, 0.6, step_size, 0, False).dropped.mean() == 0.5 <= high


@pytest.mark.parametrize("step_size", [0.01, HELD])
@pytest.mark.parametrize("df", [None, 8.0])
def test_a_row_is_that_of_the_stored_laws(df, step_size) -> None:
    """Thresholds agree to rounding, so a token is kept by one and not by the other only at a tie: none was near one."""
    cell = {name: value for name, value in CELL.items() if name != "df"} | {"step_size": step_size}
    cell |= {} if df is None else {"df": df}
    found = simulate(threshold_paths(), cell, 4, range(2, 5))
    key = philox.make_key(4, "threshold-paths", cell)
    logits = synthetic.student_t(drawn(90, key, first=60), 300, df=df or np.inf, scale=2.5)
    laws = softmax(logits).reshape(3, 30, 300)
    made = draft_thresholds(laws, 0.01, step_size, 0.05, keep_top=False)
    gap = abs(laws - made.thresholds[:, :-1, None]).min()
    assert gap > 1e-13, "a tie: take another seed"
    np.testing.assert_allclose(found["dropped"], made.dropped.mean(axis=1), rtol=1e-12)
    if step_size == HELD:
        np.testing.assert_allclose(
            found["dropped"], np.where(laws < 0.01, laws, 0).sum(axis=-1).mean(axis=1), rtol=1e-12
        )
    np.testing.assert_allclose(found["kept"], made.masks.mean(axis=(1, 2)), rtol=1e-14)


def test_the_target_is_held_and_the_control_is_not() -> None:
    for cell in threshold_paths(vocabs=(300,), lengths=(64,)).grid:
        found = simulate(threshold_paths(), cell, 0, range(8))
        assert (found["low"] <= found["dropped"]).all() and (found["dropped"] <= found["high"]).all()
        away = abs(found["dropped"].mean() - cell["dropped_target"])
        if cell["step_size"] == HELD:
            assert away > 0.02 and found["low"][0] == 0 and found["high"][0] == 1
        else:
            assert away <= (0.01 + cell["step_size"]) / (64 * cell["step_size"])


@pytest.mark.parametrize(("step_size", "target", "length"), [(0, 0.1, 3), (0.1, -0.1, 3), (0.1, 1.1, 3), (0.1, 0.1, 0)])
def test_bad_input_is_named(step_size, target, length) -> None:
    with pytest.raises(ValueError, match="step_size, dropped_target, length"):
        dropped_bounds(0.1, step_size, target, length)
