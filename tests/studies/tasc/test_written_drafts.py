"""N-gram drafters on what a model wrote: parts, the model's own bigrams, and calls against a plain count."""

from __future__ import annotations

import pytest

from simspec.engine.row_values import gather
from simspec.methods.tasc.acceptance import target_calls
from simspec.methods.tasc.drafters import train
from simspec.studies.tasc.ngram_drafts import GAMMA, MIN_COUNT, N_MAX
from simspec.studies.tasc.outputs import read_outputs
from simspec.studies.tasc.written_drafts import OwnBigrams, parts_of, written_drafts, written_task
from tests.studies.tasc.outputs_cases import PAIRS, VOCAB, outputs


def test_parts_are_disjoint_and_hold_every_pair() -> None:
    made = outputs()
    table, tuning, test = parts_of(made, "random")
    assert (len(table), len(tuning), len(test)) == (8, 2, 6)
    assert sorted([*table, *tuning, *test]) == list(range(PAIRS, 2 * PAIRS))
    assert parts_of(made, "random") == (table, tuning, test) != parts_of(made, "random", seed=1)
    with pytest.raises(ValueError, match="task: 'other'; expected one of alike, random"):
        parts_of(made, "other")


def test_own_bigrams_are_those_on_file() -> None:
    made = outputs()
    row = OwnBigrams(made).row([9, 3])
    place = made.bigram_contexts.tolist().index(3)
    tokens = made.bigram_tokens[place].tolist()
    assert (row.first, row.most) == (tokens[0], 0.5)
    assert [row.mass(token) for token in tokens] == [0.5, 0.25, 0.125]
    assert sum(row.mass(token) for token in range(VOCAB)) == 0.875


def test_calls_are_those_of_a_plain_count() -> None:
    made = outputs()
    for result in gather(written_drafts(made)):
        task = written_task(made, result.cell["corpus"], result.cell["verify"])
        # a corpus table ignores the text so far, so that both ways to count agree exactly
        table = train(task.table, N_MAX, MIN_COUNT, VOCAB)
        calls = [target_calls(table, text, GAMMA, prompt) for prompt, text in task.test]
        assert result.values["corpus calls"].tolist() == calls
        assert result.values["tokens"].tolist() == [len(text) for _, text in task.test]
        assert result.cell["model"] == "no model"


def test_a_corpus_of_outputs_that_are_alike_helps_and_one_at_random_does_not() -> None:
    """The control: tables of texts at random give hardly more than a token a call."""
    rates = {}
    for result in gather(written_drafts(outputs())):
        values = result.values
        rates[result.cell["corpus"], result.cell["verify"]] = values["tokens"].sum() / values["corpus calls"].sum()
    assert rates["alike", "greedy"] > 2 > 1.5 > rates["random", "greedy"]


def test_the_shipped_tasks_have_enough_test_pairs_for_the_table() -> None:
    shipped = read_outputs()
    for task in shipped.facts["tasks"]:
        assert len(parts_of(shipped, task)[2]) >= 50
