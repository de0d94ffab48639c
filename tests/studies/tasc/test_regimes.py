"""Gains of enrichment and of drafting: by hand, and against the methods called text by text."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.logits.corpora import Corpus
from simspec.methods.tasc.acceptance import greedy_calls
from simspec.methods.tasc.drafters import PromptNgrams, mixed, train
from simspec.methods.tasc.encoding import merge_encode
from simspec.studies.tasc.regimes import Tables, regimes, variability
from simspec.studies.tasc.task_tokens import enriched, prepare, token_ids

WORDS = ("mat", "hat", "bat", "rat", "cat", "fat")
OUTPUTS = tuple(f"the {a} sat on the {b} and the {a} ran" for a in WORDS for b in WORDS)
CORPUS = Corpus("cats", tuple(f"{i} {text[-9:]}" for i, text in enumerate(OUTPUTS)), OUTPUTS, "by hand")


def test_variability_by_hand():
    """One bigram has no entropy; four different ones, thinned to as many, have two bits."""
    one, two = (Corpus("", tuple("12345"), (text,) * 5, "") for text in ("a a a", "a b c d e"))
    low, high = variability(prepare([one, two], share=0.2))
    assert low == 0 and 0 < high < 2  # two bigrams of the second are compared with the two of the first


def test_gains_are_those_of_the_methods():
    (task,) = prepare([CORPUS], share=0.5)
    study = regimes(lambda: [task], ["cats"], budget=5, texts=10**6, tables=Tables(3, 2, 0.5), gamma=4, resamples=3)
    values = gather(study)[0].values
    done = enriched(task, 5, 3)
    base = sum(map(len, task.held))
    drafter = mixed(train(task.train, 3, 2, task.vocab), PromptNgrams(3, task.vocab), 0.5)
    prompts = token_ids(task.tokenizer, task.inputs)
    calls = sum(greedy_calls(drafter, t, 4, p).calls for t, p in zip(task.held, prompts, strict=True))
    assert values["enrichment"][0] == pytest.approx(base / sum(len(merge_encode(t, done)) for t in task.held))
    assert values["drafting"][0] == pytest.approx(base / calls)
    assert values["drafting"][0] > 1 and values["texts"].tolist() == [len(task.held)] * 4
    assert np.ptp(values["drafting"]) > 0


def test_no_draft_and_no_token_gain_nothing():
    study = regimes(lambda: prepare([CORPUS]), ["cats"], budget=0, texts=4, gamma=0, resamples=2)
    values = gather(study)[0].values
    assert values["enrichment"].tolist() == values["drafting"].tolist() == [1, 1, 1] and values["texts"][0] == 4


@pytest.mark.parametrize(("texts", "resamples"), [(1, 9), (9, 1)])
def test_bad_designs(texts, resamples):
    with pytest.raises(ValueError, match="expected two or more of each"):
        regimes(list, ["none"], texts=texts, resamples=resamples)
