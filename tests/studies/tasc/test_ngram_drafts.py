"""n-gram drafts along texts, against the drafters and the verifiers of `simspec.methods`; then the study."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.engine.row_values import gather
from simspec.engine.study import Rows, simulate
from simspec.kernels import random as philox
from simspec.logits.corpora import Corpus
from simspec.methods.tasc.acceptance import greedy_calls, tokens_per_call
from simspec.methods.tasc.drafters import PromptNgrams, as_model, best, mixed, ngrammys, train
from simspec.methods.tasc.drafters import law as law_of
from simspec.studies.tasc import ngram_drafts as module
from simspec.studies.tasc.ngram_drafts import (
    DRAFTERS,
    MIXES,
    Run,
    Table,
    drafts_along,
    ngram_drafts,
    positions,
    runs_of,
)
from simspec.studies.tasc.ngram_target import BackOff
from simspec.studies.tasc.ngram_tasks import Words, task_of

V = 4
TEXT = st.lists(st.integers(0, V - 1), max_size=9)
TEXTS = st.lists(TEXT, max_size=5)
MIX = st.sampled_from([0, 0.25, 0.5, 0.75, 1])


def test_runs_by_hand():
    """Right, wrong | right, right (two at most), one more | wrong at the end."""
    text, drafts = [1, 2, 3, 4, 5, 6], [1, 0, 3, 4, 5, 0]
    assert runs_of(drafts, text, 2) == [Run(1, 2), Run(2, 2), Run(0, 1)]
    assert runs_of(drafts, text, 0) == [Run(0, 0)] * 6
    counts = positions(runs_of(drafts, text, 2), 2)
    assert {name: c.tolist() for name, c in counts.items()} == {
        "offered": [3, 2],
        "reached": [3, 2],
        "accepted": [2, 1],
    }
    with pytest.raises(ValueError, match="gamma: -1"):
        runs_of(drafts, text, -1)


@given(TEXTS, TEXT, TEXT, MIX, st.integers(1, 3), st.integers(1, 2))
def test_drafts_are_the_most_likely_tokens_of_the_mixture(texts, prompt, text, mix, n_max, min_count):
    table = train(texts, n_max, min_count, V)
    settings = PromptNgrams(n_max, V)
    (drafts,) = drafts_along([(Table(table), (mix,))], settings, prompt, text)
    for place, token in enumerate(drafts):
        before = [*prompt, *text[:place]]
        assert token == best(mixed(table, settings.begin(before), mix), before)


@given(TEXTS, TEXT, TEXT, st.sampled_from([0.3, 0.75, 1]))
def test_drafts_of_a_target_s_bigrams_are_those_of_n_grammys(texts, prompt, text, mix):
    model = BackOff(train(texts, 2, 1, V))
    table = ngrammys(np.array([model.law([token]) for token in range(V)]), start=model.law([]))
    settings = PromptNgrams(3, V)
    (drafts,) = drafts_along([(model, (mix,))], settings, prompt, text)
    for place, token in enumerate(drafts):
        before = [*prompt, *text[:place]]
        both = mixed(table, settings.begin(before), mix)
        masses = law_of(both, before)  # the two sum the same terms in another order, so ties may break otherwise
        assert masses[token] == pytest.approx(masses.max(), abs=1e-12)


@given(TEXTS, TEXT, TEXT, st.integers(1, 4))
def test_calls_of_a_corpus_table_are_those_of_the_greedy_verifier(texts, prompt, text, gamma):
    """A corpus table ignores the text so far, so that the one-pass cut and the loop of calls must agree exactly."""
    table = train(texts, 3, 1, V)
    (drafts,) = drafts_along([(Table(table), (1.0,))], PromptNgrams(3, V), prompt, text)
    runs, calls = runs_of(drafts, text, gamma), greedy_calls(table, text, gamma, prompt)
    assert len(runs) == calls.calls
    counts = positions(runs, gamma)
    for what in ("offered", "reached", "accepted"):
        assert counts[what].tolist() == getattr(calls, what).tolist()


def test_greedy_match_on_sampled_texts_is_sampling_verification():
    """Tokens per call of 4,000 texts of 3 tokens against the exact value; ± 4 standard errors, false alarm below 1e-4."""
    rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    table = train([[0, 1, 1, 2, 0, 1], [2, 2, 0]], 2, 1, 3)
    exact = float(
        tokens_per_call(lambda x: rows[x[-1] if x else 0], as_model(table, prompt=[0], greedy=True), length=3, gamma=2)
    )
    uniforms = philox.uniform(philox.make_key(11, "texts", {}), range(4000), range(3))
    tokens, calls = [], []
    for uniform in uniforms:
        text: list[int] = []
        for u in uniform:
            text.append(int(np.searchsorted(np.cumsum(rows[text[-1] if text else 0]), u)))
        (drafts,) = drafts_along([(Table(table), (1.0,))], PromptNgrams(2, 3), [0], text)
        tokens.append(3)
        calls.append(len(runs_of(drafts, text, 2)))
    error = 4 * 3 * np.std(calls) / np.mean(calls) ** 2 / len(calls) ** 0.5
    assert abs(np.sum(tokens) / np.sum(calls) - exact) < error
    assert abs(np.sum(tokens) / np.sum(calls) - exact * 1.1) > error  # the control: 10 % off is seen


# --- the study --------------------------------------------------------------------------------------------------------

NAMES = ("red", "blue", "green", "black", "white")
CORPUS = Corpus(
    "colours",
    tuple(f"paint box {n} {NAMES[n % 5]} now" for n in range(60)),
    tuple(f"the box {n} is painted {NAMES[n % 5]} and dry" for n in range(60)),
    "by hand",
)


@pytest.fixture(scope="module")
def study():
    return ngram_drafts({"colours": CORPUS}, tuning=4)


def test_values_of_the_study(study):
    reference, sampled = gather(study)
    assert (reference.cell["verify"], sampled.cell["verify"]) == ("reference", "sampled")
    for values in (reference.values, sampled.values):
        assert values["tokens"].shape == (12,) and values["tuned"].shape == (12, len(MIXES))
        for name in (*DRAFTERS, *(f"mix {mix:g}" for mix in MIXES)):
            assert (values[f"{name} calls"] >= 1).all() and (values[f"{name} calls"] <= values["tokens"]).all()
        for name in ("mixed", "corpus"):
            offered, reached, accepted = (values[f"{name} {what}"] for what in ("offered", "reached", "accepted"))
            assert (accepted <= reached).all() and (reached <= offered).all()
            assert np.array_equal(reached[:, 1:], np.minimum(accepted[:, :-1], reached[:, 1:]))
            assert np.array_equal(values[f"{name} calls"], offered[:, 0])
    values = reference.values
    assert np.array_equal(values["corpus calls"], values["mix 1 calls"])
    assert np.array_equal(values["mixed calls"], values["mix 0.75 calls"])
    assert values["mixed calls"].sum() < 0.5 * values["tokens"].sum()  # "is painted", "and dry": a task with a pattern


class Recorder:
    """A target that writes the prompt again, and notes for which row it was asked to."""

    longest = 20

    def __init__(self) -> None:
        self.words = Words([*CORPUS.inputs, *CORPUS.outputs])
        self.vocab, self.end, self.encode = self.words.vocab, self.words.end, self.words.encode
        self.bigrams = BackOff(train([[0, 1]], 2, 1, self.vocab))
        self.rows: list[tuple[int, int]] = []

    def write(self, prompt, longest, key, row):
        self.rows.append((key, row))
        return list(prompt[:longest])


def test_each_text_is_written_for_a_row_of_its_own():
    target = Recorder()
    (result,) = gather(ngram_drafts({"colours": CORPUS}, pairs=5, tuning=4, verify=("sampled",), model=target))
    assert len(set(target.rows)) == len(target.rows) == 9
    assert len({key for key, _ in target.rows}) == 1
    assert result.values["tokens"].tolist() == [5] * 5  # "paint box 7 red now"


def test_tuned_is_tokens_per_call_on_the_tuning_pairs(study):
    task = task_of(CORPUS)
    table = Table(train(task.table, 4, 5, task.vocab))
    tokens, calls = 0, np.zeros(len(MIXES))
    for prompt, text in task.tuning[:4]:
        tokens += len(text)
        for i, drafts in enumerate(drafts_along([(table, MIXES)], PromptNgrams(4, task.vocab), prompt, text)):
            calls[i] += len(runs_of(drafts, text, 8))
    tuned = simulate(study, study.grid[0], 0, range(1))["tuned"][0]
    assert tuned.tolist() == (tokens / calls).tolist() and tuned.max() > 1.5


def test_rows_can_be_asked_for_alone(study):
    for cell in study.grid:
        whole, part = simulate(study, cell, 0, range(12)), simulate(study, cell, 0, range(5, 7))
        assert all(np.array_equal(part[name], whole[name][5:7]) for name in whole)


def test_seeds_change_sampled_texts_only(study):
    cells = {cell["verify"]: cell for cell in study.grid}
    for way, same in (("reference", True), ("sampled", False)):
        one, other = (simulate(study, cells[way], seed, range(12))["tokens"] for seed in (0, 1))
        assert np.array_equal(one, other) is same


def test_tables_never_see_the_pairs_that_test_them(study, monkeypatch):
    """The study's texts for tables and targets, recorded as they are trained on, hold no test pair."""
    seen: list[tuple[int, ...]] = []

    def spy(texts, *rest):
        seen.extend(map(tuple, texts))
        return train(texts, *rest)

    monkeypatch.setattr(module, "train", spy)
    fresh = ngram_drafts({"colours": CORPUS}, tuning=4, verify=("reference",))
    gather(fresh)
    test = {tuple(text) for _, text in module.task_of(CORPUS).test}
    assert len(seen) > 40 and len(test) == 12 and not test & set(seen)


def test_fewer_pairs_are_the_first(study):
    fewer = ngram_drafts({"colours": CORPUS}, pairs=3, tuning=4, verify=("reference",))
    assert fewer.rows == fewer.grid[0]["rows"] == 3
    few = simulate(fewer, fewer.grid[0], 0, range(3))
    whole = simulate(study, study.grid[0], 0, range(12))
    assert all(np.array_equal(few[name], whole[name][:3]) for name in whole)


def test_bad_settings():
    with pytest.raises(ValueError, match="verify: greedy; expected reference or sampled"):
        ngram_drafts({"colours": CORPUS}, verify=("greedy",))
    with pytest.raises(ValueError, match="gamma: 0; expected at least one"):
        ngram_drafts({"colours": CORPUS}, gamma=0)


def test_the_standard_library_is_the_default():
    default = ngram_drafts(pairs=2, tuning=1, verify=("reference",))
    assert [cell["corpus"] for cell in default.grid] == ["tagging", "docstrings"]
    cell = default.grid[0]
    values = replace(default).simulate(cell, Rows(0, range(2)), "cpu")
    assert values["tokens"].sum() > 20
