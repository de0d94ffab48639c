"""What 16-bit storage changes, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.laws import softmax, tv
from simspec.logits.bank.storage import store_rows


def test_two_tokens_by_hand():
    # 0.5 + 2^-12 below the maximum is stored as 0.5: sixteen bits have steps of 2^-11 there
    rows = store_rows(np.array([[7.0, 7.0 - 0.5 - 2.0**-12]]))
    assert rows.stored.tolist() == [[0.0, -0.5]] and rows.shift.tolist() == [7.0]
    exact, stored = 1 / (1 + np.exp(0.5 + 2.0**-12)), 1 / (1 + np.exp(0.5))
    assert rows.error == pytest.approx([stored - exact], rel=1e-9)


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 20), st.floats(-100, 100))
def test_the_error_is_that_of_the_rows_and_small(seed, scale, shift):
    z = np.random.default_rng(seed).normal(shift, scale, (3, 50)).astype(np.float32)
    rows = store_rows(z)
    assert rows.stored.dtype == np.float16 and (rows.stored.max(axis=-1) == 0).all()
    direct = tv(softmax(z.astype(float)), softmax(rows.stored.astype(float)))
    assert np.allclose(rows.error, direct, rtol=1e-12, atol=0)
    # logit x is off by at most |x| 2^-11, which changes no law by more than half the mean of that
    d = abs(rows.stored.astype(float)) * 2.0**-11 + 1e-6
    assert (rows.error <= (softmax(z.astype(float)) * np.expm1(2 * d)).sum(axis=-1)).all()
    assert np.allclose(rows.stored + rows.shift[:, None], z, atol=d.max() + 1e-4)


def test_shifting_is_what_makes_it_accurate():
    z = np.random.default_rng(0).normal(-300, 3, (4, 2000)).astype(np.float32)
    unshifted = tv(softmax(z.astype(float)), softmax(z.astype(np.float16).astype(float)))
    assert (store_rows(z).error < unshifted / 20).all()


def test_a_logit_far_below_stays_finite():
    rows = store_rows(np.array([[0.0, -1e6]]))
    assert rows.stored.tolist() == [[0.0, -65504.0]] and rows.error.tolist() == [0.0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_logits_that_are_not_finite_are_refused(bad):
    z = np.zeros((3, 4), dtype=np.float32)
    z[1, 2] = bad
    with pytest.raises(ValueError, match=f"logits: row 1 holds {bad} at token 2; expected finite"):
        store_rows(z)


def test_a_single_row_is_refused():
    with pytest.raises(ValueError, match=r"logits: shape \(4,\)"):
        store_rows(np.zeros(4))
