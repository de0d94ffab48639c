"""Mixtures, the N-Grammys baseline and drafts: by hand, then in general."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods import SD, text_law
from simspec.methods.tasc.drafters import (
    Part,
    PromptNgrams,
    accepted_greedy,
    as_model,
    best,
    draft,
    law,
    mixed,
    ngrammys,
    train,
)
from tests import strategies as any_of
from tests.methods.tasc import drafter_cases as some

ROWS = laws.exact(np.array([[0.25, 0.75, 0], [0.5, 0, 0.5], [0, 0, 1]]))


def test_mixture_by_hand() -> None:
    corpus = train([[0, 1], [0, 1], [0, 2]], n_max=2)
    prompt = PromptNgrams(n_max=2, vocab=3).begin([0, 2])
    both = mixed(corpus, prompt, F(3, 4))
    assert law(both, [0], exact=True).tolist() == [0, F(1, 2), F(1, 2)]
    assert best(both, [0]) == 1  # of equal tokens the lowest
    assert best(mixed(corpus, prompt, F(1, 2)), [0]) == 2
    assert draft(both, [0], 2) == [1, 0]


@given(some.texts, some.text, some.text, any_of.shares())
def test_mixture_is_the_weighted_sum(texts, prompt, context, mix) -> None:
    corpus = train(texts, 3, vocab=some.VOCAB)
    local = PromptNgrams(2, some.VOCAB).begin(prompt)
    both = mixed(corpus, local, mix)
    expected = mix * law(corpus, context, exact=True) + (1 - mix) * law(local, context, exact=True)
    assert law(both, context, exact=True).tolist() == expected.tolist()
    assert both.window == 2
    assert both.begin(prompt).parts(context) is not None


def test_a_mixture_follows_the_text() -> None:
    both = mixed(train([[0, 1]], 2, vocab=3), PromptNgrams(2, 3), 0).begin([0, 2])
    assert best(both, [0]) == 2
    both.append(0)
    both.append(1)
    both.append(0)
    both.append(1)
    assert best(both, [0]) == 1
    assert best(both.begin([0, 2]), [0]) == 2  # begun anew


def test_weights_zero_and_one_are_the_drafters_alone() -> None:
    corpus, prompt = train([[0, 1]], 2, vocab=3), train([[0, 2]], 2, vocab=3)
    assert law(mixed(corpus, prompt, 1), [0]).tolist() == law(corpus, [0]).tolist()
    assert law(mixed(corpus, prompt, 0), [0]).tolist() == law(prompt, [0]).tolist()
    assert len(mixed(corpus, prompt, 1).parts([0])) == len(mixed(corpus, prompt, 0).parts([0])) == 1


def test_ngrammys_says_the_row_of_the_last_token() -> None:
    table = ngrammys(ROWS)
    assert law(table, [2, 0], exact=True).tolist() == [F(1, 4), F(3, 4), 0]
    assert law(table, []).tolist() == [1 / 3] * 3
    assert draft(table, [0], 3) == [1, 0, 1]  # of 1/2 and 1/2 the lower token
    asked = []
    by_function = ngrammys(lambda token: asked.append(token) or ROWS[token], vocab=3, start=ROWS[0])
    assert law(by_function, [0, 1], exact=True).tolist() == ROWS[1].tolist() and asked == [1]
    assert law(by_function, [], exact=True).tolist() == ROWS[0].tolist()
    assert law(ngrammys(ROWS, top=1), [1], exact=True).tolist() == [1, 0, 0]
    assert law(ngrammys(ROWS, top=2), [0], exact=True).tolist() == ROWS[0].tolist()
    assert repr(table) == "Bigrams(vocab=3, top=None)" and table.begin([1]) is table


def test_ngrammys_mixed_with_the_prompt() -> None:
    both = mixed(ngrammys(ROWS), PromptNgrams(2, 3).begin([0, 2]), F(1, 2))
    assert law(both, [0], exact=True).tolist() == [F(1, 8), F(3, 8), F(1, 2)]


@given(some.texts, some.text, some.settings, st.integers(0, 5))
def test_drafts_are_the_best_tokens_one_after_another(texts, context, settings, gamma) -> None:
    n_max, min_count, n_min = settings
    table = train(texts, n_max, min_count, some.VOCAB, n_min)
    written = list(context)
    for _ in range(gamma):
        follow = some.recount(texts, written, n_max, min_count, n_min)
        written.append(min(follow, key=lambda x: (-follow[x], x)))
    assert draft(table, context, gamma) == written[len(context) :]


def test_accepted_greedy() -> None:
    assert accepted_greedy([1, 2, 3], [1, 2, 3]) == 3
    assert accepted_greedy([1, 2, 3], [1, 0, 3]) == 1
    assert accepted_greedy([0], [1]) == 0
    assert accepted_greedy([1, 2], [1]) == 1  # the reference ends
    assert accepted_greedy([], [1]) == accepted_greedy([1], []) == 0


@pytest.mark.parametrize("greedy", [False, True])
def test_verification_keeps_the_targets_law(greedy) -> None:
    """Whatever is proposed, texts of three tokens have the target's law; a drafter's own law is another one."""
    corpus, prompt = train([[0, 1, 2], [0, 0, 1]], 3, vocab=3), PromptNgrams(2, 3)
    drafter = as_model(mixed(corpus, prompt, F(3, 4)), prompt=(2, 1), greedy=greedy, exact=True)

    def target(prefix):
        return ROWS[prefix[-1] if prefix else 0]

    written = text_law(SD, target, drafter, length=3, gamma=2)
    alone = text_law(SD, target, target, length=3, gamma=0)
    assert {t: w for t, w in written.items() if w} == {t: w for t, w in alone.items() if w}
    assert {t: w for t, w in text_law(SD, drafter, drafter, 3, 0).items() if w} != alone


def test_as_model_is_pure() -> None:
    model = as_model(PromptNgrams(2, 3), prompt=(0, 1), exact=True)
    assert model((0,)).tolist() == [0, 1, 0]
    assert model((0, 2, 0)).tolist() == [0, F(1, 2), F(1, 2)]
    assert model((0,)).tolist() == [0, 1, 0]
    greedy = as_model(PromptNgrams(2, 3), prompt=(0, 1), greedy=True, exact=True)
    any_of.assert_exact(greedy((0, 2, 0)))
    assert greedy((0, 2, 0)).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mixed(train([[0]]), train([[0]]), 1.5), "mix: 1.5; expected a weight between 0 and 1"),
        (
            lambda: mixed(train([[0]]), train([[1]]), 0.5),
            "prompt: 2 tokens where corpus has 1; expected one vocabulary",
        ),
        (lambda: draft(train([[0]]), [], -1), "gamma: -1; expected a number of drafts that is not negative"),
        (lambda: draft(train([[0]]), [], 1.5), "gamma: 1.5; expected a number of drafts that is not negative"),
        (lambda: ngrammys(ROWS[:2]), "conditional: shape (2, 3); expected one law after each token, (V, V)"),
        (lambda: ngrammys(ROWS, vocab=4), "conditional: shape (3, 3); expected one law after each token, (V, V)"),
        (lambda: ngrammys(lambda t: ROWS[t]), "vocab: None; expected the number of tokens beside a function"),
        (lambda: ngrammys(ROWS, top=4), "top: 4; expected 1 <= top <= 3, the vocabulary size"),
        (
            lambda: law(ngrammys(lambda t: ROWS[t], vocab=2), [0]),
            "conditional: shape (3,) after token [0]; expected one law of 2 tokens",
        ),
    ],
)
def test_bad_input(call, message) -> None:
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message


@given(some.texts, some.text, some.text, st.fractions(0, 1, max_denominator=60))
def test_the_best_token_is_that_of_the_exact_law(texts, prompt, context, mix) -> None:
    """Equal shares are equal, whatever floats make of them."""
    both = mixed(train(texts, 3, vocab=some.VOCAB), PromptNgrams(2, some.VOCAB).begin(prompt), mix)
    shares = law(both, context, exact=True).tolist()
    assert best(both, context) == shares.index(max(shares))


def test_ties_that_floats_break_wrongly() -> None:
    """Such as (1/15, 7/15, 7/15), where the last is larger in floats."""
    found = []
    rows = [(a, b, c) for a in range(11) for b in range(11 - a) for c in [10 - a - b]]
    for weight in (F(1, 10), F(3, 10), F(1, 3)):
        for one in rows[:40]:
            for two in rows:
                exact = [weight * F(x, 10) + (1 - weight) * F(y, 10) for x, y in zip(one, two, strict=True)]
                rough = float(weight) * np.array(one) / 10 + float(1 - weight) * np.array(two) / 10
                if exact.index(max(exact)) != int(np.argmax(rough)):
                    found.append((weight, one, two, exact))
    assert found  # such ties exist
    for weight, one, two, exact in found:
        drafters = [_Fixed(np.array(counts)) for counts in (one, two)]
        assert best(mixed(*drafters, weight), [0]) == exact.index(max(exact))


class _Fixed:
    """A drafter of one law, by its counts."""

    vocab, window = 3, 1

    def __init__(self, counts) -> None:
        self.counts = counts

    def parts(self, context) -> list[Part]:
        return [Part(1, np.arange(3), self.counts)]


def test_a_uniform_start_is_not_cut_to_token_zero() -> None:
    """Of the tokens of a uniform law none is likelier; a start that was given is cut like every other law."""
    table = ngrammys(np.array([[0.25, 0.75], [1, 0]]), top=1)
    assert law(table, []).tolist() == [0.5, 0.5] and law(table, [0]).tolist() == [0, 1]
    given_start = ngrammys(np.array([[0.25, 0.75], [1, 0]]), top=1, start=np.array([0.25, 0.75]))
    assert law(given_start, []).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ngrammys(None), "conditional: "),
        (lambda: ngrammys([[1.0, 0.0], [1.0]]), "conditional: "),
        (lambda: ngrammys(np.eye(2), top=1.5), "top: 1.5"),
        (lambda: ngrammys(np.eye(2), top=np.nan), "top: nan"),
        (lambda: ngrammys(np.eye(2), start=np.array([1.0])), r"start: shape \(1,\); expected one law of 2 tokens"),
        (lambda: ngrammys(lambda token: None, vocab=2.5), "vocab: 2.5"),
        (lambda: law(ngrammys(lambda token: None, vocab=2), [0]), "conditional: "),
        (lambda: mixed(None, PromptNgrams(2, 3), 0.5), "corpus: None"),
        (lambda: mixed(PromptNgrams(2, 3), [1], 0.5), r"prompt: \[1\]"),
        (lambda: mixed(PromptNgrams(2, 3), PromptNgrams(2, 3), None), "mix: None"),
    ],
)
def test_arguments_that_are_none_are_named(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
