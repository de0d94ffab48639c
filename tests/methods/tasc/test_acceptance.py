"""Acceptance of n-gram drafts: by hand, greedy against sampling, closed sums against enumeration."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods import SD, block_outcomes
from simspec.methods.tasc import acceptance as ngram_accept
from simspec.methods.tasc.acceptance import (
    Calls,
    acceptance_along,
    greedy_calls,
    survival,
    target_calls,
    tokens_per_call,
)
from simspec.methods.tasc.drafters import PromptNgrams, as_model, law, mixed, ngrammys, train
from tests import strategies as any_of
from tests.methods.tasc import drafter_cases as some

MARKOV = laws.exact(np.array([[0.25, 0.5, 0.25], [0.5, 0.25, 0.25], [0.125, 0.125, 0.75]]))
CORPUS = train([[0, 1, 2, 2], [0, 1, 0], [2, 2, 2]], n_max=3)


def target(prefix):
    """First-order target; the first row is also the law before the text."""
    return MARKOV[prefix[-1] if prefix else 0]


def test_calls_by_hand() -> None:
    """2 follows 1, 0 follows 2, 1 follows 0; unknown: 0.  The reference departs from that twice."""
    table = train([[0, 1, 2, 0]], n_max=2)
    run = greedy_calls(table, [0, 1, 2, 2, 0, 1, 0], gamma=2)
    # drafts 0 1 accepted, then 2 | 0 1 against 2 0: rejected, emits 2 | 0 1 accepted, then 0
    assert (run.calls, run.tokens) == (3, 7)
    assert run.offered.tolist() == [3, 3] and run.reached.tolist() == [3, 2]
    assert run.accepted.tolist() == [2, 2] and run.matched.tolist() == [2, 2]
    assert run.tokens_per_call == 7 / 3
    assert run.conditional.tolist() == [2 / 3, 1] and run.unconditional.tolist() == [2 / 3, 2 / 3]


def test_a_draft_may_match_after_a_rejection() -> None:
    """0 0 against 1 0: the second draft equals the reference, but no verifier gets there."""
    run = greedy_calls(train([[0, 0]], n_max=2, vocab=2), [1, 0], gamma=2)
    assert run.calls == 2
    assert run.matched.tolist() == [1, 1] and run.accepted.tolist() == [1, 0]
    assert run.reached.tolist() == [2, 0] and run.offered.tolist() == [2, 1]
    assert run.unconditional.tolist() == [0.5, 0] and np.isnan(run.conditional[1])


def test_no_drafts_and_no_text() -> None:
    run = greedy_calls(CORPUS, [0, 1, 2], gamma=0)
    assert (run.calls, run.tokens, run.tokens_per_call, run.accepted.shape) == (3, 3, 1, (0,))
    empty = greedy_calls(CORPUS, [], gamma=2)
    assert (empty.calls, empty.tokens) == (0, 0) and np.isnan(empty.tokens_per_call)
    assert np.isnan(empty.unconditional).all()


def test_nothing_is_drafted_beyond_the_end(monkeypatch) -> None:
    """A call asks for as many drafts as the text has room for: 3, and once 0 is accepted and 1 emitted, 1."""
    asked = []
    monkeypatch.setattr(ngram_accept, "draft", lambda drafter, context, gamma: asked.append(gamma) or [0] * gamma)
    run = greedy_calls(CORPUS, [0, 1, 2], gamma=1000)
    assert asked == [3, 1] and (run.calls, run.tokens) == (2, 3)
    assert run.accepted[:2].tolist() == [1, 0] and run.offered.sum() == 4


texts = st.lists(st.integers(0, 2), max_size=8)


@given(st.lists(texts, max_size=3), texts, texts, st.integers(0, 4), st.sampled_from([0, 0.25, 0.5, 1]))
def test_target_calls_are_those_of_greedy_calls(corpus, prompt, text, gamma, mix) -> None:
    drafter = mixed(train(corpus, 3, vocab=3), PromptNgrams(3, 3), mix)
    assert target_calls(drafter, text, gamma, prompt) == greedy_calls(drafter, text, gamma, prompt).calls


def test_target_calls_ask_for_no_draft_after_a_rejected_one(monkeypatch) -> None:
    """0 is accepted, the 0 in the place of 1 is not; then 2 comes with one draft more."""
    asked = []
    monkeypatch.setattr(ngram_accept, "best", lambda drafter, context: asked.append(tuple(context)) or 0)
    assert target_calls(CORPUS, [0, 1, 2], gamma=100) == 2
    assert asked == [(), (0,), (0, 1)]


def test_a_prompt_table_learns_from_prompt_and_text() -> None:
    prompt = PromptNgrams(n_max=2, vocab=4)
    text = [1, 2, 3, 1, 2, 3]
    assert greedy_calls(prompt, text, 5, prompt=[1, 2, 3, 1, 2, 3, 0]).calls == 2  # 0 is new, then all is known
    blind = greedy_calls(prompt, text, 5)
    assert blind.calls == 4  # 1 2 3 are new, the rest is known
    assert greedy_calls(prompt, text, 5).calls == blind.calls  # nothing is kept from text to text
    assert greedy_calls(mixed(train([[0]], vocab=4), prompt, 0), text, 5).calls == blind.calls


def test_runs_add_up() -> None:
    runs = [greedy_calls(CORPUS, text, 2) for text in ([0, 1, 2], [2, 1, 1, 0], [])]
    both = sum(runs[1:], runs[0])
    assert isinstance(both, Calls) and both.calls == sum(r.calls for r in runs) and both.tokens == 7
    assert both.offered.tolist() == sum(r.offered for r in runs).tolist()
    with pytest.raises(ValueError, match="other: 3 drafts a call; expected 2"):
        runs[0] + greedy_calls(CORPUS, [0], 3)


@given(some.texts, some.text, some.settings, st.integers(0, 4))
def test_calls_keep_their_books(texts, reference, settings, gamma) -> None:
    n_max, min_count, n_min = settings
    table = train(texts, n_max, min_count, some.VOCAB, n_min)
    run = greedy_calls(table, reference, gamma)
    assert run.tokens == len(reference) and run.calls <= len(reference) <= run.calls * (gamma + 1)
    assert (run.accepted <= run.matched).all() and (run.matched <= run.offered).all()
    assert (run.accepted <= run.reached).all() and (run.reached <= run.offered).all()
    assert (run.reached[1:] <= run.accepted[:-1]).all() and (gamma == 0 or run.reached[0] == run.offered[0])
    ends = run.tokens - run.calls - run.accepted.sum()  # a call that reaches the end by drafts emits no more
    assert ends in (0, -1)


@pytest.mark.parametrize("greedy", [False, True])
def test_survival_is_what_enumerated_calls_accept(greedy) -> None:
    both = mixed(CORPUS, ngrammys(MARKOV[::-1]), F(1, 2))  # more than the target on some tokens, less on others
    drafter = as_model(both, greedy=greedy, exact=True)
    outcomes = list(block_outcomes(SD, target, drafter, (0,), 3))
    kept = survival(target, drafter, (0,), 3)
    any_of.assert_exact(kept)
    assert kept.tolist() == [sum(o.probability for o in outcomes if o.accepted >= i) for i in (1, 2, 3)]
    assert 1 + kept.sum() == sum(o.probability * len(o.tokens) for o in outcomes)
    assert kept[0] == laws.overlap(target((0,)), drafter((0,)))
    assert survival(target, drafter, (0,), 0).shape == (0,)
    some_float = survival(lambda x: target(x).astype(float), as_model(both, greedy=greedy), (0,), 3)
    assert some_float == pytest.approx(kept.astype(float), rel=1e-14)


def test_survival_of_a_greedy_draft_is_the_targets_probability_of_it() -> None:
    drafter = as_model(ngrammys(MARKOV), greedy=True, exact=True)  # after 0: 1, 0, 1
    assert survival(target, drafter, (0,), 3).tolist() == [F(1, 2), F(1, 4), F(1, 8)]


@pytest.mark.parametrize("gamma", [0, 1, 2])
def test_greedy_calls_on_texts_of_the_target_are_sampling_verification(gamma) -> None:
    """Mean calls over all texts of four tokens, each with its probability, against enumerated drafts and coins."""
    length, calls = 4, F(0)
    for text in product(range(3), repeat=length):
        weight = F(1)
        for place, token in enumerate(text):
            weight *= target(text[:place])[token]
        calls += weight * greedy_calls(CORPUS, text, gamma).calls
    drafter = as_model(CORPUS, greedy=True, exact=True)
    assert tokens_per_call(target, drafter, length, gamma) == length / calls


def test_that_needs_greedy_drafts() -> None:
    """Sampled drafts of the same table are another drafter: the equality above is not one of any two numbers."""
    rates = [tokens_per_call(target, as_model(CORPUS, greedy=g, exact=True), 4, 2) for g in (False, True)]
    assert rates[0] != rates[1]


def test_tokens_per_call_of_independent_steps() -> None:
    """One token: one call.  Two tokens, one draft: a second call only after a rejection."""
    p, d = laws.exact(np.array([0.5, 0.5])), laws.exact(np.array([0.75, 0.25]))
    assert tokens_per_call(lambda x: p, lambda x: d, 1, 3) == 1
    assert tokens_per_call(lambda x: p, lambda x: d, 2, 1) == F(2) / F(5, 4)
    assert tokens_per_call(lambda x: p, lambda x: d, 3, 0) == 1


def test_acceptance_along_a_text() -> None:
    text = [0, 1, 2]
    targets = [target(tuple(text[:i])) for i in range(3)]
    rates = acceptance_along(CORPUS, targets, text)
    any_of.assert_exact(rates)
    assert rates.tolist() == [laws.overlap(targets[i], law(CORPUS, text[:i], exact=True)) for i in range(3)]
    greedy = acceptance_along(CORPUS, targets, text, greedy=True)
    assert greedy.tolist() == [targets[0][2], targets[1][1], targets[2][0]]
    floats = acceptance_along(CORPUS, np.array(targets, dtype=float), text)
    assert floats.dtype == float and floats == pytest.approx(rates.astype(float), rel=1e-14)
    assert acceptance_along(CORPUS, [], []).tolist() == []


def test_acceptance_along_sees_the_prompt_and_the_text() -> None:
    prompt = PromptNgrams(n_max=2, vocab=3)
    targets = [MARKOV[0], MARKOV[1], MARKOV[0]]
    rates = acceptance_along(prompt, targets, [0, 2, 0], prompt=[1, 0])
    # 0 was never followed: single tokens (1/2, 1/2, 0); then 0 by 0 alone; 2 was never followed: (1/2, 1/4, 1/4)
    assert rates.tolist() == [F(3, 4), F(1, 2), F(3, 4)]


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="reference: token 3; expected tokens 0..2"):
        greedy_calls(CORPUS, [3], 1)
    with pytest.raises(ValueError, match="prompt: token 3; expected tokens 0..2"):
        greedy_calls(CORPUS, [0], 1, prompt=[3])
    with pytest.raises(ValueError, match="gamma: -1; expected a number of drafts"):
        survival(target, target, (), -1)
    with pytest.raises(ValueError, match="length: 0; expected at least one token"):
        tokens_per_call(target, target, 0, 1)
    with pytest.raises(ValueError, match="targets: row .* sums to 0.5"):
        acceptance_along(CORPUS, [np.array([0.5, 0, 0])], [0], greedy=True)
    with pytest.raises(ValueError, match="targets: 1 laws; expected one before each of the 2 tokens"):
        acceptance_along(CORPUS, [MARKOV[0]], [0, 1])
