"""Blocks of drafts: closed forms against enumeration, enumeration against outcomes written out by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods import (
    SD,
    Outcome,
    accepted_length,
    block_outcomes,
    efficiency,
    latency,
    mean_acceptance_length,
    speedup,
    speedup_of_accepted,
    text_law,
    tli,
)
from tests import strategies as some

P = laws.exact(np.array([0.5, 0.5]))
Q = laws.exact(np.array([0.75, 0.25]))


def always(law: laws.Array):
    """The model that says the same at every position."""
    return lambda prefix: law


def after(table: laws.Array):
    """First-order model: row 0 before the text, row 1 + x after token x."""
    return lambda prefix: table[1 + prefix[-1] if prefix else 0]


def test_closed_forms_by_hand() -> None:
    assert accepted_length(F(1, 2), 3) == F(1, 2) + F(1, 4) + F(1, 8)
    assert mean_acceptance_length(F(1, 2), 3) == F(15, 8)
    assert efficiency(F(1, 2), 3) == F(7, 24)
    assert latency(4, F(1, 4)) == 2
    assert speedup_of_accepted(F(5, 2), 4, F(1, 4)) == F(7, 4)
    assert speedup(F(1, 2), 2, F(1, 4)) == F(7, 6) == speedup_of_accepted(F(3, 4), 2, F(1, 4))


def test_edge_cases_with_a_meaning() -> None:
    assert mean_acceptance_length(F(1, 3), 0) == 1 and accepted_length(F(1, 3), 0) == 0  # no drafts: the target alone
    assert mean_acceptance_length(1, 5) == 6 and accepted_length(1, 5) == 5  # every draft kept
    assert mean_acceptance_length(0, 5) == 1
    assert latency(0, 3) == 1 and speedup(0, 0, 3) == 1
    assert mean_acceptance_length(np.array([0.0, 0.5, 1.0]), 2).tolist() == [1, 1.75, 3]
    some.assert_exact([mean_acceptance_length(F(1, 3), 4), efficiency(F(1, 3), 4), speedup(F(1, 3), 4, F(1, 7))])


@given(some.shares(), st.integers(0, 8))
def test_block_length_is_the_geometric_quotient(alpha, gamma) -> None:
    assert mean_acceptance_length(alpha, gamma) * (1 - alpha) == 1 - alpha ** (gamma + 1)


def test_outcomes_by_hand() -> None:
    """One draft from (3/4, 1/4) against (1/2, 1/2): 0 kept with 1/2, 1 kept with 1/4, else 1 emitted in its place."""
    assert sorted(block_outcomes(SD, always(P), always(Q), (), 1), key=lambda o: (o.accepted, o.tokens)) == [
        Outcome(F(1, 4), (1,), 0),
        Outcome(F(1, 4), (0, 0), 1),
        Outcome(F(1, 4), (0, 1), 1),
        Outcome(F(1, 8), (1, 0), 1),
        Outcome(F(1, 8), (1, 1), 1),
    ]


def test_no_drafts_is_the_target_alone() -> None:
    assert list(block_outcomes(SD, always(Q), always(P), (), 0)) == [
        Outcome(F(3, 4), (0,), 0),
        Outcome(F(1, 4), (1,), 0),
    ]


def test_disjoint_supports_emit_one_replacement() -> None:
    heads, tails = laws.exact(np.array([1, 0])), laws.exact(np.array([0, 1]))
    assert list(block_outcomes(SD, always(heads), always(tails), (), 3)) == [Outcome(1, (0,), 0)]


def test_stopping_early_ends_the_block_with_a_target_token() -> None:
    outcomes = list(block_outcomes(SD, always(P), always(P), (), 5, stop=lambda prefix, drafts: len(drafts) == 2))
    assert {o.accepted for o in outcomes} == {2} and {len(o.tokens) for o in outcomes} == {3}
    assert sum(o.probability for o in outcomes) == 1


@given(st.data())
def test_enumeration_has_total_mass_one_and_the_closed_form_length(data) -> None:
    p, q = data.draw(some.pairs(high=3))
    gamma = data.draw(st.integers(0, 2))
    outcomes = list(block_outcomes(SD, always(p), always(q), (), gamma))
    alpha = laws.overlap(p, q)
    assert sum(o.probability for o in outcomes) == 1
    assert sum(o.probability * len(o.tokens) for o in outcomes) == mean_acceptance_length(alpha, gamma)
    assert sum(o.probability * o.accepted for o in outcomes) == accepted_length(alpha, gamma)
    some.assert_exact([o.probability for o in outcomes])


def test_text_law_by_hand() -> None:
    law = text_law(SD, always(P), always(Q), length=1, gamma=2)
    assert law == {(0,): F(1, 2), (1,): F(1, 2)}
    assert text_law(SD, always(P), always(Q), length=0, gamma=2) == {(): 1}


@given(st.data())
def test_the_text_follows_the_target_whatever_is_drafted(data) -> None:
    target, draft = data.draw(some.batches(2)), data.draw(some.batches(2))
    gamma, length = data.draw(st.integers(0, 3)), data.draw(st.integers(1, 3))
    method = data.draw(st.sampled_from([SD, tli(np.array([True, False]))]))
    law = text_law(method, after(target), after(draft), length, gamma)
    for text in np.ndindex(*[2] * length):
        mass = F(1)
        for n, token in enumerate(text):
            mass *= after(target)(text[:n])[token]
        assert law.get(text, 0) == mass


def test_a_fresh_draw_after_a_rejection_does_not_follow_the_target() -> None:
    fresh = replace(SD, residual=lambda p, d: p)
    assert text_law(fresh, always(P), always(Q), length=1, gamma=1)[(0,)] == F(5, 8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_acceptance_length(0.5, -1), "gamma: -1; expected a number of drafts that is not negative"),
        (lambda: accepted_length(1.5, 1), "alpha: 1.5; expected acceptance rates between 0 and 1"),
        (lambda: accepted_length(np.array([0.5, np.nan]), 1), "alpha: .*nan"),
        (lambda: efficiency(0.5, 0), "gamma: 0; expected at least one draft"),
        (lambda: latency(1, -0.5), "cost: -0.5; expected draft time / target time, not negative"),
        (lambda: speedup(1, -1, 0.5), "gamma: -1"),
        (
            lambda: speedup(2.5, 4, 0.25),
            r"alpha: 2.5; expected .* between 0 and 1 \(speedup_of_accepted takes the mean",
        ),
        (lambda: speedup(None, 4, 0.25), "alpha: None"),
        (lambda: speedup(0.5, 4, None), "cost: None"),
        (lambda: speedup_of_accepted(5, 4, 0.25), "accepted: 5; expected mean numbers .* between 0 and 4"),
        (lambda: speedup_of_accepted(-0.5, 4, 0.25), "accepted: -0.5"),
        (lambda: accepted_length(0.5, 2.5), "gamma: 2.5"),
        (lambda: accepted_length(0.5, 10**9), "gamma: 1000000000; would take a step for each draft, expected at most"),
        (lambda: list(block_outcomes(SD, always(P), always(Q), (), -1)), "gamma: -1"),
        (lambda: text_law(SD, always(P), always(Q), -1, 1), "length: -1; expected a number of tokens"),
        (lambda: text_law(SD, always(P), always(2 * Q), 1, 1), "q: row .* sums to 2"),
    ],
)
def test_bad_input_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
