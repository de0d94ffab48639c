"""The performance difference: by hand, and exactly equal to the difference of two evaluations."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.methods import SD, evaluate, lenience, pad, pivots, replacement_pivots, strict, values
from simspec.methods.pad.losses import expected_missed, expected_overrides, utility_loss
from tests import strategies as some
from tests.methods.pad.process_cases import HAND, processes

GAMMAS = st.sampled_from([None, 0, 1, 2, 4])


def printed(t, here, after):
    return pad(pivots(here, after))


def test_by_hand() -> None:
    """PAD keeps token 2 (1/2) where the residual would have been token 0 (1): it loses 1/2 with probability 1/2."""
    assert utility_loss(HAND, SD) == 0
    assert utility_loss(HAND, printed) == F(1, 4)
    assert expected_overrides(HAND, SD) == 0
    assert expected_overrides(HAND, printed) == F(1, 2)
    assert expected_missed(HAND, printed, lambda t, here, after: pivots(here, after)) == 0
    assert expected_missed(HAND, printed, replacement_pivots_of(HAND)) == F(1, 2)


def replacement_pivots_of(process):
    return lambda t, here, after: replacement_pivots(process.target, process.draft, after)


@settings(max_examples=40)
@given(processes(), st.sampled_from(["printed", "strict", "lenient", "missing", "changing"]), GAMMAS)
def test_the_loss_is_the_difference_of_two_evaluations(process, name, gamma) -> None:
    rule = {
        "printed": printed,
        "strict": lambda t, here, after: strict(pivots(here, after)),
        "lenient": lenience(F(1, 3)),
        "missing": pad(np.zeros(process.target.shape, dtype=bool)),
        "changing": lambda t, here, after: pad(after < F(t, 3)),
    }[name]
    loss = utility_loss(process, rule, gamma)
    assert loss == values(process)[0, process.start] - evaluate(process, rule, gamma).utility
    some.assert_exact(loss)


@settings(max_examples=40)
@given(processes(), GAMMAS)
def test_overrides_are_what_acceptance_gains_along_the_path(process, gamma) -> None:
    rule = pad(np.zeros(process.target.shape, dtype=bool))
    run = evaluate(process, rule, gamma)
    gained = 1 - np.minimum(process.target, process.draft).sum(axis=-1)
    assert expected_overrides(process, rule, gamma) == (run.drafting * gained).sum()
    everything = np.ones(process.target.shape, dtype=bool)
    assert expected_missed(process, rule, everything, gamma) == expected_overrides(process, rule, gamma)
    assert expected_missed(process, rule, ~everything, gamma) == 0


@settings(max_examples=40)
@given(processes())
def test_a_rule_that_misses_no_replacement_pivot_loses_nothing(process) -> None:
    true = replacement_pivots_of(process)
    kept = utility_loss(process, lambda t, here, after: pad(true(t, here, after)))
    assert kept <= 0
    assert expected_missed(process, lambda t, here, after: pad(true(t, here, after)), true) == 0


@settings(max_examples=40)
@given(processes(), GAMMAS)
def test_missed_replacement_pivots_bound_the_loss(process, gamma) -> None:
    """Each override of a pivot costs at most one; other overrides gain."""
    rule = pad(np.zeros(process.target.shape, dtype=bool))
    assert utility_loss(process, rule, gamma) <= expected_missed(process, rule, replacement_pivots_of(process), gamma)


def test_bad_input_is_refused() -> None:
    for call in (utility_loss, expected_overrides):
        with pytest.raises(ValueError, match="gamma: -1"):
            call(HAND, SD, -1)
        with pytest.raises(ValueError, match="horizon: -1"):
            call(HAND._replace(horizon=-1), SD)
