"""Families of processes: their values in closed form, and the pivots that they are built to have."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.laws import overlap
from simspec.methods import SD, evaluate, pad, pivots, replacement_pivots, values
from simspec.methods.pad.families import FAMILIES, counting, needle, random_automaton, recoverable
from simspec.methods.pad.process import ahead, check_process

KEYS = st.integers(0, 2**64 - 1)


def pivots_at(process, t):
    table = values(process)
    return pivots(table[t], ahead(process, table[t + 1]))


@settings(max_examples=20)
@given(KEYS, st.integers(0, 9), st.integers(1, 4), st.sampled_from([0.05, 0.1, 0.5]))
def test_a_needle_is_lost_once_a_critical_position(key, horizon, period, slip) -> None:
    process = needle(key, vocab=6, horizon=horizon, contexts=3, period=period, slip=slip)
    assert values(process)[0, 0] == pytest.approx((1 - slip) ** (horizon // period), abs=1e-12)
    assert (values(process)[:, 3 * period :] == 0).all()  # ruined for good


def test_the_pivots_of_a_needle_are_its_wrong_tokens() -> None:
    """States: 3 phases of 4 contexts, sound then ruined.  Only phase 2 of a sound text can ruin it."""
    process = needle(1, vocab=8, horizon=9, contexts=4, period=3, marked=0.25)
    wrong = process.step >= 12
    assert wrong[8:12].sum(axis=1).tolist() == [2] * 4 and not wrong[:8].any() and wrong[12:].all()
    for t in range(9):
        here = slice(4 * (t % 3), 4 * (t % 3) + 4)  # states of this position while the text is sound
        assert np.array_equal(pivots_at(process, t)[here], wrong[here])
    assert process.target[8:12][wrong[8:12]].reshape(4, 2).sum(axis=1) == pytest.approx([0.1] * 4)
    assert process.draft[8:12][wrong[8:12]].reshape(4, 2).sum(axis=1) == pytest.approx([0.3] * 4)
    ruined = process.target[20:][wrong[8:12]].reshape(4, 2).sum(axis=1)  # phase 2 again: nothing is fixed any more
    assert np.ptp(ruined) > 0.05
    assert process.step[0].tolist() == [4, 5, 6, 7] * 2  # the next phase, the context of the token
    assert process.step[8][~wrong[8]].max() < 4 and process.step[8][wrong[8]].min() >= 12


@settings(max_examples=20)
@given(KEYS, st.integers(0, 9), st.sampled_from([0.1, 0.4]), st.sampled_from([0.2, 0.6]))
def test_a_recoverable_text_is_a_chain_of_two_states(key, horizon, slip, mend) -> None:
    process = recoverable(key, vocab=5, horizon=horizon, contexts=2, slip=slip, mend=mend)
    share, decay = mend / (slip + mend), (1 - slip - mend) ** horizon
    expected = [share + (1 - share) * decay] * 2 + [share - share * decay] * 2
    assert values(process)[0] == pytest.approx(expected, abs=1e-12)


def test_the_pivots_of_a_recoverable_text_are_slips_and_missed_mends() -> None:
    process = recoverable(3, vocab=8, horizon=3, contexts=4, marked=0.25)
    damaged = process.step >= 4
    assert damaged.sum(axis=1).tolist() == [2] * 4 + [6] * 4
    for t in range(3):
        assert np.array_equal(pivots_at(process, t), damaged)


@settings(max_examples=20)
@given(KEYS, st.integers(1, 8), st.integers(1, 8), st.sampled_from([0.3, 0.5]))
def test_counting_is_a_binomial_tail(key, horizon, needed, good) -> None:
    process = counting(key, vocab=4, horizon=horizon, contexts=2, needed=needed, good=good)
    tail = sum(comb(horizon, n) * good**n * (1 - good) ** (horizon - n) for n in range(needed, horizon + 1))
    assert values(process)[0, 0] == pytest.approx(tail, abs=1e-12)
    even = counting(key, vocab=4, horizon=horizon, contexts=2, parity=True, good=good)
    assert values(even)[0, 0] == pytest.approx((1 + (1 - 2 * good) ** horizon) / 2, abs=1e-12)


def test_the_pivots_of_counting_are_tokens_that_do_not_count() -> None:
    process = counting(4, vocab=8, horizon=4, contexts=2, needed=2, marked=0.25)
    counted = process.step // 2 > np.arange(6)[:, None] // 2
    assert counted.sum(axis=1).tolist() == [2] * 4 + [0] * 2
    last = pivots_at(process, 3)
    assert np.array_equal(last[2:4], ~counted[2:4])  # one is missing and one is left: all others are pivots
    assert not last[:2].any() and not last[4:].any()  # two are missing, or none: nothing matters


def test_a_random_automaton_stays_or_leaves() -> None:
    """32 states of 64 tokens: leaving has 2,048 coins, outside 4.5 standard deviations with probability 7e-6; that
    band does not contain one half."""
    for stay, expected in ((1, 0), (0, 1), (0.9, 0.1)):
        process = random_automaton(9, vocab=64, states=32, stay=stay)
        left = ((process.step >= 16) != (np.arange(32) >= 16)[:, None]).mean()
        assert abs(left - expected) <= 4.5 * (expected * (1 - expected) / 2048) ** 0.5 < 0.4
    assert process.utility.tolist() == [0] * 16 + [1] * 16
    assert len(np.unique(process.step)) == 32


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_a_deterministic_valid_process_with_room_in_the_middle(name) -> None:
    family = FAMILIES[name]
    process = check_process(family(1, vocab=16, horizon=16))
    assert all(np.array_equal(a, b) for a, b in zip(process, family(1, vocab=16, horizon=16), strict=True))
    assert not np.array_equal(process.target, family(2, vocab=16, horizon=16).target)
    assert set(process.utility.tolist()) == {0, 1}
    run, relaxed = (evaluate(process, rule) for rule in (SD, lambda t, h, after: pad(pivots(h, after))))
    assert 0.2 < run.utility < 0.8
    assert 0.3 < run.share < 0.95  # the draft is neither the target nor foreign to it
    assert relaxed.share > run.share
    p, q = process.target, process.draft
    corrected = evaluate(process, lambda t, h, after: pad(replacement_pivots(p, q, after)))
    assert corrected.utility > run.utility - 1e-12


@pytest.mark.parametrize("name", FAMILIES)
def test_correlation_brings_the_draft_nearer(name) -> None:
    overlaps = []
    for correlation in (0, 0.9, 1):
        process = FAMILIES[name](1, vocab=16, horizon=4, correlation=correlation)
        overlaps.append(float(overlap(process.target, process.draft).mean()))
    assert overlaps == sorted(overlaps) and overlaps[0] < overlaps[2] - 0.2
    flat = FAMILIES[name](1, vocab=16, horizon=4, scale=0)
    assert np.ptp(flat.target[0]) < 0.1


def test_equal_models_where_nothing_differs() -> None:
    process = random_automaton(1, correlation=1)
    assert np.array_equal(process.target, process.draft)
    process = needle(1, correlation=1, slip=0.2, draft_slip=0.2)
    assert np.array_equal(process.target, process.draft)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f(1, vocab=1), "vocab: 1; expected at least two tokens"),
        (lambda f: f(1, horizon=-1), "horizon: -1; expected a number of tokens"),
        (lambda f: f(1, correlation=2), "correlation: 2; expected a number between 0 and 1"),
        (lambda f: f(1, scale=-1), "scale: -1; expected a standard deviation"),
        (lambda f: f(-1), "key"),
    ],
)
@pytest.mark.parametrize("name", FAMILIES)
def test_bad_input_is_refused_by_every_family(name, call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call(FAMILIES[name])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: needle(1, slip=0), "slip: 0; expected a number strictly between 0 and 1"),
        (lambda: needle(1, draft_slip=1), "draft_slip: 1; expected a number strictly"),
        (lambda: needle(1, period=0), "period: 0; expected at least one position"),
        (lambda: needle(1, marked=0), "marked: 0; expected a number strictly"),
        (lambda: needle(1, vocab=4, contexts=5), "contexts: 5; expected 1 <= contexts <= 4"),
        (lambda: recoverable(1, mend=1.5), r"mend: 1\.5; expected a number strictly"),
        (lambda: recoverable(1, draft_mend=-1), "draft_mend: -1; expected a number strictly"),
        (lambda: counting(1, needed=0), "needed: 0; expected at least one good token"),
        (lambda: counting(1, good=float("nan")), "good: nan; expected a number strictly"),
        (lambda: counting(1, draft_good=0), "draft_good: 0; expected a number strictly"),
        (lambda: random_automaton(1, states=3), "states: 3; expected an even number"),
        (lambda: random_automaton(1, states=0), "states: 0; expected an even number"),
        (lambda: random_automaton(1, stay=2), "stay: 2; expected a probability"),
    ],
)
def test_bad_parameters_are_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
