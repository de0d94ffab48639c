"""Lengths, entropies and surprisal by budget: against encodings made one by one, and statistics by hand."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Rows
from simspec.laws import renyi
from simspec.logits.corpora import Corpus
from simspec.methods.tasc.encoding import expansions, merge_encode
from simspec.methods.tasc.statistics import token_law
from simspec.studies.tasc.enrichment import enrichment, kendall, law_entropies, pair_weights
from simspec.studies.tasc.surprisal import surprisals
from simspec.studies.tasc.task_tokens import Task, enriched, prepare, snapshots, token_ids, with_added

OUTPUTS = tuple(
    f"the {a} {b} on the {a}, and the {b} {b}" for a in ("mat", "hat", "bat", "rat") for b in ("sat", "ran")
)
CORPUS = Corpus("cats", tuple(map(str, range(len(OUTPUTS)))), OUTPUTS, "by hand")
BUDGETS, SHOWN = [0, 2, 4, 6], [0, 4]


@cache
def _task() -> Task:
    return prepare([CORPUS], share=0.5)[0]


@cache
def _values():
    study = enrichment(lambda: [_task()], ["cats"], BUDGETS, SHOWN, n_max=(2, 3), orders=2, resamples=4)
    two, three = gather(study)
    assert two.cell["shown"] == [] and three.cell["shown"] == SHOWN
    return study, two.values, three.values


def _part(budget: int, n_max: int = 3):
    done = enriched(_task(), max(BUDGETS), n_max)
    return done._replace(ngrams=done.ngrams[:budget], ids=done.ids[:budget])


def test_entropies_by_hand():
    found = law_entropies(np.array([1, 1, 2]), vocab=4)
    assert found["shannon"] == pytest.approx(1.5 * np.log(2)) and found["normalised"] == pytest.approx(0.75)
    assert found["renyi"] == pytest.approx(np.log(8 / 3)) and found["flatness"] == pytest.approx(
        np.log(8 / 3) / np.log(4)
    )


def test_rank_correlation_is_scipys():
    from scipy.stats import kendalltau

    draws = np.random.default_rng(0).integers(0, 5, (20, 2, 8))
    for x, y in draws:
        assert kendall(x, y) == pytest.approx(kendalltau(x, y).statistic)
    assert kendall(np.ones(4), np.arange(4)) == 0
    np.testing.assert_allclose(kendall(draws[0, 0], draws[:, 1]), [kendall(draws[0, 0], y) for y in draws[:, 1]])


def test_weights_count_each_pair():
    weights = pair_weights(7, range(50), 9)
    assert weights[0].tolist() == [1] * 9 and (weights.sum(axis=1) == 9).all() and len(np.unique(weights[1:])) > 3
    assert (pair_weights(7, range(20, 30), 9) == weights[20:30]).all()


def test_lengths_are_those_of_texts_encoded_one_by_one():
    _, two, three = _values()
    task = _task()
    for n_max, values in ((2, two), (3, three)):
        for i, budget in enumerate(BUDGETS):
            lengths = np.array([len(merge_encode(text, _part(budget, n_max))) for text in task.held])
            assert values["tokens merge"][0, i] == pytest.approx(lengths.mean())
            assert values["bytes per token merge"][0, i] == pytest.approx((task.bytes / lengths).mean())
    assert three["tokens merge"][0, 0] > three["tokens merge"][0, -1]


def test_added_tokens_are_counted_by_the_library():
    _, two, three = _values()
    task = _task()
    assert "shown tokens added" not in two
    for i, budget in enumerate(SHOWN):
        grown = with_added(task.tokenizer, expansions(_part(6))[:budget])
        ids = token_ids(grown, task.outputs)
        assert three["shown tokens added"][0, i] == pytest.approx(np.mean([len(text) for text in ids]))
        law = token_law(ids, task.vocab + budget)
        assert three["renyi added"][0, i] == pytest.approx(float(renyi(law, 2)))


def test_entropies_are_those_of_the_encoded_texts():
    _, _, three = _values()
    task = _task()
    train, held = ({b: now.lists() for b, now in snapshots(t, _part(6), BUDGETS)} for t in (task.train, task.held))
    for i, budget in enumerate(BUDGETS):
        vocab = task.vocab + budget
        law = token_law(train[budget], vocab)
        assert three["train renyi"][0, i] == pytest.approx(float(renyi(law, 2)))
        assert three["train flatness"][0, i] == pytest.approx(float(renyi(law, 2)) / np.log(vocab))
        assert three["train tokens"][0, i] == pytest.approx(sum(map(len, train[budget])) / len(train[budget]))
    for i, budget in enumerate(SHOWN):
        law = token_law(held[budget], task.vocab + budget)
        expected = -(law[law > 0] * np.log(law[law > 0])).sum() / np.log(task.vocab + budget)
        assert three["normalised merge"][0, i] == pytest.approx(expected)


def test_surprisal_varies_within_texts_and_over_all():
    _, _, three = _values()
    task = _task()
    train, held = ({b: now.lists() for b, now in snapshots(t, _part(6), SHOWN)} for t in (task.train, task.held))
    for i, budget in enumerate(SHOWN):
        bits = surprisals(train[budget], held[budget], task.vocab + budget, 2)[1]
        texts = np.split(bits, np.cumsum([len(text) for text in held[budget]])[:-1])
        within = sum(((x - x.mean()) ** 2).sum() for x in texts) / sum(len(x) - 1 for x in texts)
        assert three["variance 2"][0, i] == pytest.approx(bits.var())
        assert three["within 2"][0, i] == pytest.approx(within)
        assert three["mean 2"][0, i] == pytest.approx(bits.mean())
        assert three["variation 2"][0, i] == pytest.approx(within**0.5 / bits.mean())


def test_a_resample_is_a_corpus_with_pairs_repeated():
    study, _, three = _values()
    task = _task()
    cell = study.grid[1]
    key = 5
    (weights,) = pair_weights(key, range(3, 4), len(task.held))
    values = study.simulate(cell, Rows(key, range(3, 4)), "cpu")
    repeated = [text for text, w in zip(task.held, weights, strict=True) for _ in range(w)]
    assert values["tokens merge"][0, 0] == pytest.approx(np.mean([len(text) for text in repeated]))
    assert values["renyi merge"][0, 0] == pytest.approx(float(renyi(token_law(repeated, task.vocab), 2)))
    again = study.simulate(cell, Rows(key, range(2, 5)), "cpu")
    assert all((again[name][1] == values[name][0]).all() for name in values)
    assert np.ptp(three["tokens merge"], axis=0).max() > 0 and np.ptp(three["train renyi"], axis=0).max() == 0


def test_a_budget_that_cannot_be_reached():
    pairs = Corpus("same", ("1", "2", "3", "4"), ("a b",) * 4, "by hand")
    study = enrichment(lambda: prepare([pairs]), ["same"], [0, 50], [0, 50], resamples=2)
    values = gather(study)[0].values
    assert values["made"][0] == 1 and values["tokens merge"][0].tolist() == [2, 1]
    assert values["within 2"].tolist() == [[pytest.approx(values["within 2"][0, 0]), 0]] * 3


@pytest.mark.parametrize(
    ("budgets", "shown", "resamples"),
    [([1, 2], [1], 9), ([0, 2, 1], [0], 9), ([0, 1], [2], 9), ([], [], 9), ([0, 0], [0], 9), ([0, 1], [0], 1)],
)
def test_bad_designs(budgets, shown, resamples):
    with pytest.raises(ValueError, match="budgets, shown|resamples: 1"):
        enrichment(list, ["none"], budgets, shown, resamples=resamples)
