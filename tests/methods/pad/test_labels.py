"""The labels of rollouts, by hand and by enumeration."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.laws import exact
from simspec.methods.pad.labels import label_error, label_law
from tests import strategies as some


def sequences(value: F, rollouts: int):
    """Every sequence of useful (1) and useless (0) rollouts, with its probability."""
    for outcomes in product((0, 1), repeat=rollouts):
        chance = F(1)
        for useful in outcomes:
            chance *= value if useful else 1 - value
        yield chance, outcomes


def test_labels_by_hand() -> None:
    assert label_error(F(1, 2), F(1, 3), rollouts=1) == F(1, 2) * F(2, 3)  # useful once, then not
    assert label_error(1, F(9, 10), rollouts=1) == F(1, 10)
    assert label_error(0, F(1, 2)) == 0 and label_error(0, 0) == 0  # nothing to lose: never a pivot
    assert label_error(1, 1) == 0 and label_error(1, 0) == 1
    assert label_error(F(1, 2), F(1, 2), rollouts=1, label_ratio=2) == F(1, 2)  # X_c < 2 X_b iff X_b = 1


@settings(max_examples=40)
@given(some.shares(), some.shares(), st.integers(1, 4), st.sampled_from([F(1, 2), F(9, 10), F(1), F(3, 2)]))
def test_label_errors_are_the_enumeration_of_every_rollout(base, candidate, rollouts, ratio) -> None:
    pairs = product(sequences(base, rollouts), sequences(candidate, rollouts))
    expected = sum(a * b for (a, x), (b, y) in pairs if F(sum(y), rollouts) < ratio * F(sum(x), rollouts))
    found = label_error(base, candidate, rollouts, ratio)
    assert found == expected
    some.assert_exact(found)


@pytest.mark.parametrize("ratio", [F(9, 10), 0.9, np.float64(0.9)], ids=["fraction", "float", "float64"])
def test_floats_and_arrays_give_the_same(ratio) -> None:
    base, candidate = exact(np.array([0.25, 0.5, 1])), exact(np.array([0.25, 0.375, 0.875]))
    expected = label_error(base, candidate)
    found = label_error(some.as_float(base), some.as_float(candidate), 20, ratio)
    assert found == pytest.approx(some.as_float(expected), rel=1e-12)
    table = label_error(base[:, None], candidate)
    assert table.shape == (3, 3) and (np.diagonal(table) == expected).all()


def test_a_ratio_is_read_as_the_decimal_it_prints_as() -> None:
    """29/100 · 100 = 29 exactly, while 0.29 * 100 is below 29 in floating point and 0.07 * 100 above 7."""
    assert 0.29 * 100 < 29 and 0.07 * 100 > 7
    for ratio, decimal in ((0.29, F(29, 100)), (0.07, F(7, 100))):
        both = (label_error(F(1), decimal, 100, r) for r in (ratio, decimal))
        assert len(set(both)) == 1


def judged(base, candidate, sound, caught, spared, rollouts, ratio):
    """The pipeline step by step: rollouts, label, a representative that is sound or not, the judge's word."""
    total = F(0)
    for (a, x), (b, y) in product(sequences(base, rollouts), sequences(candidate, rollouts)):
        if F(sum(y), rollouts) < ratio * F(sum(x), rollouts):
            total += a * b
        elif any(y):  # a rollout that reached the answer is read
            total += a * b * (sound * (1 - spared) + (1 - sound) * caught)
    return total


@settings(max_examples=40)
@given(*(some.shares(),) * 5, st.integers(1, 3), st.sampled_from([F(1, 2), F(9, 10)]))
def test_the_judge_is_the_enumeration_of_the_pipeline(base, candidate, sound, caught, spared, rollouts, ratio) -> None:
    case = (base, candidate, sound, caught, spared, rollouts, ratio)
    found = label_law(*case)
    assert found == judged(*case)
    assert found >= label_error(base, candidate, rollouts, ratio)  # flips to pivot only
    some.assert_exact(found)


def test_a_judge_by_hand() -> None:
    half = F(1, 2)
    assert label_law(1, 1, sound_probability=1, sensitivity=half, specificity=F(3, 4), rollouts=5) == F(1, 4)
    assert label_law(0, 0, sound_probability=0, sensitivity=1, specificity=0) == 0  # no rollout to read
    assert label_law(half, half, sound_probability=1, sensitivity=1, specificity=1) == label_error(half, half)
    assert label_law(0.5, 0.5, 0.5, 1.0, 1.0, rollouts=1) == pytest.approx(0.25 + 0.5 * (1 - 0.25 - 0.25))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: label_error(1.5, 0.5), "value_base: 1.5; expected a probability"),
        (lambda: label_error(0.5, float("nan")), "value_candidate: nan; expected a probability"),
        (lambda: label_error(0.5, 0.5, rollouts=0), "rollouts: 0; expected a whole number, at least one"),
        (lambda: label_error(0.5, 0.5, rollouts=2.5), "rollouts: 2.5; expected a whole number, at least one"),
        (lambda: label_error(0.5, 0.5, label_ratio=0), "label_ratio: 0; expected a positive number"),
        (lambda: label_error(0.5, 0.5, label_ratio=float("inf")), "label_ratio: inf; expected a positive number"),
        (lambda: label_law(0.5, 0.5, 2, 1, 1), "sound_probability: 2; expected a probability"),
        (lambda: label_law(0.5, 0.5, 1, 2, 1), "sensitivity: 2; expected a probability"),
        (lambda: label_law(0.5, 0.5, 1, 1, 2), "specificity: 2; expected a probability"),
    ],
)
def test_bad_input_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
