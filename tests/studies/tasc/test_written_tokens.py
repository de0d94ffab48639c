"""Outputs in a model's own tokens: what is expected, what was written, and surprisals that merges add up."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.studies.tasc.enrichment import enrichment, merged_bits
from simspec.studies.tasc.task_tokens import added_ids, enriched, snapshots
from simspec.studies.tasc.written_drafts import parts_of
from simspec.studies.tasc.written_tokens import expected_tokens, written_tokens
from tests.studies.tasc.outputs_cases import VOCAB, outputs


def test_expected_outputs_are_split() -> None:
    task = expected_tokens(outputs(), "alike")
    assert (len(task.train), len(task.held), task.vocab, task.tokenizer) == (3, 2, VOCAB, None)
    assert [len(text) for text in task.held] == task.bytes.tolist()  # one byte a token here
    with pytest.raises(ValueError, match="task: 'none' has 0 expected outputs; expected two or more"):
        expected_tokens(outputs(), "none")


def test_written_outputs_come_with_prompts_and_surprisals() -> None:
    made = outputs()
    task = written_tokens(made, "random", "drawn")
    _, _, test = parts_of(made, "random")
    assert task.held == tuple(tuple(made.drawn[n]) for n in test)
    assert task.prompts == tuple(tuple(made.prompts[n]) for n in test)
    assert task.held_bits is not None
    assert [len(bits) for bits in task.held_bits] == [len(text) for text in task.held]
    starts = np.cumsum(made.drawn.lengths) - made.drawn.lengths
    np.testing.assert_array_equal(task.held_bits[0], made.surprisals["drawn"][starts[test[0]] :][: len(task.held[0])])


def test_merges_keep_the_sum_of_the_surprisals_of_each_text() -> None:
    task = written_tokens(outputs(), "alike", "greedy")
    assert task.held_bits is not None
    table = enriched(task, 6, 4)
    for _, now in snapshots(task.held, table, [0, 3, 6]):
        texts = now.lists()
        bits = merged_bits(texts, table, task.held_bits)
        ends = np.cumsum([len(text) for text in texts])
        sums = [part.sum() for part in np.split(bits, ends[:-1])]
        assert sums == pytest.approx([text.sum() for text in task.held_bits])
    assert ends[-1] < sum(map(len, task.held))


def test_without_a_tokenizer_nothing_is_added_and_the_models_law_is_measured() -> None:
    task = written_tokens(outputs(), "alike", "greedy")
    (result,) = gather(enrichment(lambda: [task], ["one"], [0, 3], shown=[0, 3], orders=1, resamples=2))
    assert {"within own", "variation own", "normalised merge"} <= set(result.values)
    assert not any("added" in name for name in result.values)
    bits = np.concatenate(task.held_bits or ())
    assert result.values["mean own"][0, 0] == pytest.approx(bits.mean())
    with pytest.raises(ValueError, match="task: 'alike' has no tokenizer; expected one, to which tokens can be added"):
        added_ids(task, enriched(task, 3, 4), 3)
