"""Bias along answers: unbiased by enumeration of all texts, exact for one token, and on the runs that the bank smollm2 holds."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.laws import tv
from simspec.logits import open_bank
from simspec.methods.ears.acceptance import ears
from simspec.methods.ears.texts import text_tv
from simspec.methods.method import output_law
from simspec.methods.sd import SD
from simspec.studies.ears.answer_bias import along_texts, answer_bias, rule
from simspec.studies.pairs import bank_laws

P = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.25, 0.25, 0.5]])
EMITTED = np.array([[0.25, 0.5, 0.25], [0.25, 0.5, 0.25], [0.5, 0.25, 0.25]])
"""A Markov chain of three tokens, and what a rule makes of it."""


def test_the_mean_over_all_texts_of_the_target_is_the_distance_of_the_text_laws() -> None:
    """Texts of three tokens from each state, weighted by the target: also where texts begin later than the run does."""
    length = 3
    step = np.broadcast_to(np.arange(3), (3, 3))
    expected = np.zeros(length)
    measured = np.zeros(length)
    for start in range(3):
        for text in product(range(3), repeat=length):
            states = [start, *text[:-1]]
            weight = np.prod([P[state, token] for state, token in zip(states, text, strict=True)]) / 3
            measured += weight * along_texts(P[states][None], EMITTED[states][None], [text])[0]
            for count in range(1, length + 1):
                starts = states[: length - count + 1]
                distances = [float(text_tv(P, EMITTED, step, state, count)) for state in starts]
                expected[count - 1] += weight * np.mean(distances)
    assert measured == pytest.approx(expected, abs=1e-14) and (np.diff(measured) > 0).all()


def test_equal_laws_have_no_distance_at_any_length() -> None:
    tokens = np.array([[0, 1, 2, 0]])
    assert along_texts(np.stack([P[[0, 0, 1, 2]]]), np.stack([P[[0, 0, 1, 2]]]), tokens).max() == 0


def test_a_rule_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="name: 'typical'; expected one of SD, ears, lenience"):
        rule("typical", 0.1)


def test_the_uncertainty_of_a_cut_row_is_that_of_the_whole_law() -> None:
    """The rest, though heavier than each token, is no token: 1 - max p is that of the tokens."""
    p, q = np.array([0.25, 0.25, 0.5]), np.array([0.5, 0.25, 0.25])
    assert rule("ears", 0.5).accept(p, q).tolist() == [0.25 + 0.5 * 0.75 * 0.5, 0.25, 0.25]


def test_the_bias_on_smollm2_is_that_of_its_whole_rows_for_one_token() -> None:
    """Positions with whole rows: the tokens left out count as one, which moves the mean bias of a token by under 5 %."""
    bank = open_bank("smollm2").with_draft("quantised:4")
    contexts = np.flatnonzero(bank.cut.whole >= 0)
    p, q = bank_laws(bank)
    p, q = (law[bank.cut.whole[contexts]] for law in (p, q))
    whole = tv(output_law(ears(0.1), p, q), p)
    p, q = bank.cut.laws(contexts)
    cut = tv(output_law(rule("ears", 0.1), p, q), p)
    assert abs(cut - whole).max() < 0.02 and cut.mean() == pytest.approx(whole.mean(), rel=0.05)


def test_runs_of_answers_alone_are_followed_and_rules_are_biased_by_their_strength() -> None:
    bank = open_bank("smollm2")
    study = answer_bias(bank, {"SD": (0.0,), "ears": (0.05, 0.1)})
    assert {cell["draft"] for cell in study.grid} == {"quantised:3", "quantised:4"} and len(study.grid) == 6
    results = gather(replace(study, grid=study.grid[:3]))
    answers = set(bank.cut.documents[np.isin(bank.cut.corpus, ("chat", "code", "arithmetic"))].tolist())
    for result in results:
        assert result.values["tv"].shape == (84, 12)
        assert set(result.values["document"].astype(int).tolist()) == answers
    none, weak, strong = (result.values["tv"].mean(axis=0) for result in results)
    assert none.max() < 1e-12
    assert (np.diff(weak) > 0).all() and (weak < strong).all()
    assert rule("SD", 0.0) is SD
