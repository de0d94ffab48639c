"""Pivot-aware decoding: the printed rule and its repair, by hand and by enumeration."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.laws import exact
from simspec.methods import (
    SD,
    acceptance_rate,
    evaluate,
    fresh,
    output_law,
    pad,
    pivots,
    replacement_pivots,
    strict,
    values,
)
from simspec.methods.pad.pivots import flagged, noisy_flags
from tests import strategies as some
from tests.methods.pad.process_cases import HAND, as_float, processes

P, D = HAND.target[0], HAND.draft[0]
AFTER = exact(np.array([1, 0, 0.5]))


def test_pivots_by_hand() -> None:
    here = np.array(F(1, 2))
    assert pivots(here, AFTER).tolist() == [False, True, False]
    assert pivots(here, AFTER, ties=True).tolist() == [False, True, True]
    assert pivots(here, AFTER, F(1, 2)).tolist() == [False, False, False]  # a loss of exactly ε is none
    assert pivots(here, AFTER, F(1, 2), ties=True).tolist() == [False, True, False]
    assert replacement_pivots(P, D, AFTER).tolist() == [False, True, True]  # replaced by token 0, worth 1
    assert replacement_pivots(P, D, AFTER, F(1, 2)).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("rule", "utility", "acceptance"),
    [
        (lambda t, here, after: pad(pivots(here, after)), F(1, 4), 1),
        (lambda t, here, after: replace(pad(pivots(here, after)), residual=fresh), F(1, 4), 1),
        (lambda t, here, after: pad(pivots(here, after, ties=True)), F(1, 2), F(1, 2)),
        (lambda t, here, after: pad(replacement_pivots(HAND.target, HAND.draft, after)), F(1, 2), F(1, 2)),
        (lambda t, here, after: strict(pivots(here, after)), F(5, 8), F(1, 2)),
        (SD, F(1, 2), F(1, 2)),
    ],
    ids=["printed", "fresh replacement", "ties", "against the replacement", "strict", "SD"],
)
def test_the_printed_rule_loses_utility_and_its_repairs_do_not(rule, utility, acceptance) -> None:
    """The strict rule gains: it rejects half of the drafts of the second position, the bad ones of the coin, as well."""
    run = evaluate(HAND, rule)
    assert run.utility == utility and run.acceptance[0, 0] == acceptance


@settings(max_examples=40)
@given(processes())
def test_both_repairs_preserve_the_utility_of_every_state(process) -> None:
    p, d, table = process.target, process.draft, values(process)
    against = evaluate(process, lambda t, here, after: pad(replacement_pivots(p, d, after)))
    assert (against.values >= table).all()
    assert (against.acceptance >= evaluate(process, SD).acceptance).all()
    for ties in (False, True):
        run = evaluate(process, lambda t, here, after, r=ties: strict(pivots(here, after, ties=r)))
        assert (run.values >= table).all()


@given(some.pairs(), st.data(), some.shares())
def test_rules_by_their_definition(pair, data, limit) -> None:
    """Token by token: accepted by speculative decoding, or else overridden when not a pivot and not below the limit."""
    p, d = pair
    flags = data.draw(some.masks(len(p)))
    rules = pad(flags, limit), pad(flags, limit, "every"), strict(flags)
    printed, every, corrected = (rule.accept(p, d) for rule in rules)
    for x in range(len(p)):
        accepted, rejected = min(p[x], d[x]), max(d[x] - p[x], 0)
        overridden = rejected if not flags[x] and p[x] >= limit else 0
        assert printed[x] == accepted + overridden
        assert every[x] == (0 if p[x] < limit else accepted + overridden)
        assert corrected[x] == (0 if flags[x] else d[x])
    assert (pad(flags).residual(p, d) == SD.residual(p, d)).all() and (strict(flags).residual(p, d) == p).all()
    assert acceptance_rate(pad(flags, limit), p, d) >= acceptance_rate(SD, p, d)
    some.assert_exact([*printed, *every, *corrected])


@given(some.pairs(), some.shares())
def test_everything_a_pivot_is_speculative_decoding(pair, limit) -> None:
    p, d = pair
    everything = np.ones(len(p), dtype=bool)
    assert (output_law(pad(everything, limit), p, d) == p).all()
    assert (output_law(strict(everything), p, d) == p).all()


def test_the_guardrail_on_every_draft_is_biased() -> None:
    """p(1) = 1/4 is below the limit: its drafts are lost, although the residual gives it nothing back."""
    p, d = exact(np.array([0.75, 0.25])), exact(np.array([0.5, 0.5]))
    everything = np.ones(2, dtype=bool)
    assert output_law(pad(everything, F(1, 2), "every"), p, d).tolist() == [1, 0]
    assert output_law(pad(everything, F(1, 2), "override"), p, d).tolist() == [F(3, 4), F(1, 4)]
    assert pad(~everything, F(1, 4)).accept(p, d).tolist() == [F(1, 2), F(1, 2)]  # the limit itself is not below it


def test_batches_broadcast() -> None:
    flags = np.array([[True, False, False], [False, False, True]])
    assert pad(flags).accept(P, D).shape == (2, 3)
    assert (pad(flags).accept(P, D)[1] == pad(flags[1]).accept(P, D)).all()
    assert pad(flags[0]).accept(HAND.target, HAND.draft).shape == (4, 3)
    assert replacement_pivots(HAND.target, HAND.draft, AFTER).shape == (4, 3)


@settings(max_examples=40)
@given(processes())
def test_rounding_makes_no_pivot_of_a_tie(process) -> None:
    """Utilities in sevenths, laws in sixths, …: no binary fractions, so that equal values differ in the last bits."""
    floats, table, rounded = as_float(process), values(process), values(as_float(process))
    for t in range(process.horizon):
        after, near = table[t + 1][process.step], rounded[t + 1][process.step]
        for ties in (False, True):
            assert (pivots(table[t], after, ties=ties) == pivots(rounded[t], near, ties=ties)).all()
        there = replacement_pivots(floats.target, floats.draft, near)
        assert (replacement_pivots(process.target, process.draft, after) == there).all()


def test_rounding_in_the_replacement_makes_no_pivot_of_a_tie() -> None:
    p, d = np.array([0, 3, 5, 0]) / 8, np.array([4, 5, 6, 8]) / 23
    after = np.full(4, 0.7)
    assert (SD.residual(p, d) * after).sum() > 0.7  # in the last bit
    assert not replacement_pivots(p, d, after).any()
    assert replacement_pivots(p, d, after - [0, 0, 0, 1e-12]).tolist() == [False, False, False, True]


def test_a_threshold_calls_the_scores_above_it_pivots() -> None:
    assert flagged([0.2, 0.4, 0.6], 0.4).tolist() == [False, False, True]
    assert not flagged(np.array([0.2, 1.0]), 1).any() and flagged(np.array([0.2, 1.0]), -1).all()


def test_noisy_flags_err_at_their_rates() -> None:
    true = np.repeat([True, False], 1000)
    grid = np.tile((np.arange(1000) + 0.5) / 1000, 2)  # every thousandth once, so that the rates are exact
    flags = noisy_flags(true, miss=0.1, false_alarm=0.3, uniforms=grid)
    assert ((~flags[:1000]).sum(), flags[1000:].sum()) == (100, 300)
    assert (noisy_flags(true, 0, 0, grid) == true).all() and (noisy_flags(true, 1, 1, grid) == ~true).all()
    worse = noisy_flags(true, miss=0.2, false_alarm=0.4, uniforms=grid)
    assert (flags[:1000] | ~worse[:1000]).all() and (worse[1000:] | ~flags[1000:]).all()  # coupled


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pad(np.array([0, 1])), r"flags: int64 of shape \(2,\); expected a boolean array"),
        (lambda: pad(True), r"flags: bool of shape \(\); expected a boolean array"),
        (lambda: strict(np.array(True)), r"flags: bool of shape \(\); expected a boolean array"),
        (lambda: pad(np.array([True])).accept(P, D), "flags: 1 tokens where p has 3"),
        (lambda: strict(np.array([True])).accept(P, D), "flags: 1 tokens where p has 3"),
        (lambda: pad(np.array([True]), limit=2), "limit: 2; expected a probability"),
        (lambda: pad(np.array([True]), limit=float("nan")), "limit: nan; expected a probability"),
        (lambda: pad(np.array([True]), guardrail="all"), "guardrail: 'all'; expected 'override' or 'every'"),
        (lambda: pivots(np.zeros(2), np.zeros((3, 2))), r"here: shape \(2,\) where after has \(3, 2\)"),
        (lambda: flagged(np.array([0.5, np.nan]), 0.5), "scores: NaN"),
        (lambda: noisy_flags(np.array([True]), 2, 0, np.array([0.5])), "miss: 2; expected a probability"),
        (lambda: noisy_flags(np.array([True]), 0, -1, np.array([0.5])), "false_alarm: -1; expected a probability"),
        (lambda: noisy_flags(np.array([1]), 0, 0, np.array([0.5])), "pivots: int64"),
        (lambda: noisy_flags(np.array([True]), 0, 0, np.array([0.5, 0.5])), r"uniforms: shape \(2,\); expected \(1,\)"),
    ],
)
def test_bad_input_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pivots(np.array([0.5]), np.array([[1.0, 0.0]]), epsilon=-1), "epsilon: -1; expected a loss"),
        (lambda: pivots(np.array([np.nan]), np.array([[1.0, 0.0]])), "here: holds NaN"),
        (lambda: replacement_pivots(*np.full((2, 1, 2), 0.5), np.array([[np.inf, 0.0]])), "after: holds NaN"),
        (lambda: replacement_pivots(*np.full((2, 1, 2), 0.5), np.zeros((1, 3))), r"after: shape \(1, 3\) where p has"),
        (lambda: replacement_pivots(*np.full((2, 1, 2), 0.5), np.zeros((1, 2)), np.nan), "epsilon: nan"),
    ],
)
def test_values_and_losses_that_are_none_are_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
