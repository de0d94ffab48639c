"""Prompts without the texts of corpora: what is hidden, and drafts that are accepted as before."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.methods.tasc.acceptance import target_calls
from simspec.methods.tasc.drafters import PromptNgrams, mixed, train
from simspec.studies.tasc.outputs import TaskOutputs, Texts, read_outputs
from simspec.studies.tasc.written_drafts import written_drafts, written_task
from simspec.tools.task_outputs.redacting import (
    READABLE,
    has_same_matches,
    labelled,
    labelled_prompt,
    readable,
    redacted,
    shuffled_prompt,
)
from tests.studies.tasc.outputs_cases import VOCAB, outputs

LARGER = 40


def _with_prompts(seed: int) -> TaskOutputs:
    """Prompts of tokens that outputs hold and of others, with a beginning that all of them share."""
    rng = np.random.default_rng(seed)
    shared = rng.integers(1, LARGER, 12).tolist()
    made = outputs(seed)
    prompts = [
        [*shared, *rng.permutation([*made.greedy[n], *rng.integers(1, LARGER, 14)]).tolist(), 1, 1, 2]
        for n in range(len(made.task))
    ]
    contexts = np.arange(LARGER)
    tokens = np.array([rng.permutation(VOCAB)[:3] for _ in contexts])
    return replace(
        made,
        prompts=Texts.of(prompts),
        bigram_contexts=contexts,
        bigram_tokens=tokens,
        bigram_masses=np.tile([0.5, 0.25, 0.125], (LARGER, 1)),
        facts={**made.facts, "vocab": LARGER},
    )


def test_what_no_output_holds_is_hidden() -> None:
    """By hand: 7 and 8 are the input's; 5 is also an output's; 9 is refused but in the way; 1, 1, 2 ends every prompt."""
    prompt = [7, 5, 8, 7, 9, 1, 1, 2]
    made = labelled_prompt(prompt, [[5, 3]], 100, np.random.default_rng(0), [9])
    assert made[1] == 5 and made[4:] == [9, 1, 1, 2]
    assert made[0] == made[3] != made[2] and {made[0], made[2]} == {100, 101}
    drawn = {tuple(labelled_prompt(prompt, [[5, 3]], 100, np.random.default_rng(seed), [9])) for seed in range(9)}
    assert len(drawn) == 2  # other fillers, drawn for each prompt


def test_pieces_are_shuffled_and_match_as_before() -> None:
    prompt = [100, 5, 3, 101, 102, 5, 103, 104, 6, 105, 1, 1, 2]
    texts = [[5, 3, 6], [6, 5, 3]]
    orders = {tuple(shuffled_prompt(prompt, texts, 100, np.random.default_rng(seed))) for seed in range(9)}
    assert len(orders) > 5
    for order in orders:
        assert sorted(order) == sorted(prompt) and order[-3:] == (1, 1, 2)
        assert (5, 3) in set(itertools.pairwise(order))
        assert has_same_matches(prompt, order, texts)


def test_a_filler_for_two_tokens_would_outvote_the_right_one() -> None:
    """Why fillers are distinct: after 5 stand 7, 8, 9 and twice 3; one filler stands there three times."""
    texts = [[5, 3, 6]]
    prompt = [5, 7, 5, 3, 5, 8, 5, 3, 5, 9, 1, 1, 2]
    one_filler = [token if token in {5, 3, 1, 2} else 100 for token in prompt]
    table = train([[4]], 4, 1, 200)
    calls = [target_calls(mixed(table, PromptNgrams(4, 200), 0), texts[0], 2, text) for text in (prompt, one_filler)]
    assert calls == [1, 2]
    assert has_same_matches(prompt, labelled_prompt(prompt, texts, 100, np.random.default_rng(0)), texts)
    assert not has_same_matches(prompt, one_filler, texts)


@pytest.mark.parametrize("seed", range(4))
def test_calls_are_those_of_the_full_prompts(seed: int) -> None:
    full = _with_prompts(seed)
    made = redacted(full, np.random.default_rng(seed))
    assert made.prompts.tokens.max() >= LARGER
    for first, second in zip(gather(written_drafts(full)), gather(written_drafts(made)), strict=True):
        assert first.values.keys() == second.values.keys()
        for name, values in first.values.items():
            np.testing.assert_array_equal(values, second.values[name], err_msg=name)
    for task in full.facts["tasks"]:
        both = [written_task(which, task, "drawn") for which in (full, made)]
        for (prompt, text), (other, same) in zip(both[0].test, both[1].test, strict=True):
            assert text == same and other[-3:] == prompt[-3:]


def test_labels_keep_what_is_counted() -> None:
    texts = [[7, 9, 7], [9, 4], []]
    made = labelled(texts, np.random.default_rng(3))
    assert sorted({label for text in made for label in text}) == [0, 1, 2]
    assert made[0][0] == made[0][2] and made[0][1] == made[1][0] and made[2] == []


def test_no_text_of_a_corpus_can_be_spelled_from_what_ships() -> None:
    """Only outputs and bigrams are spelled; labels are numbers without gaps; prompts are pieces between fillers."""
    shipped = read_outputs()
    vocab = shipped.facts["vocab"]
    own = {*shipped.bigram_contexts.tolist(), *np.ravel(shipped.bigram_tokens).tolist()}
    assert set(shipped.spelled.tolist()) == own
    assert set(shipped.bigram_contexts.tolist()) - set(shipped.greedy.tokens.tolist()) - set(
        shipped.drawn.tokens.tolist()
    ) <= {shipped.prompts[0][-1]}
    for texts in (shipped.inputs, shipped.expected):
        assert set(texts.tokens.tolist()) == set(range(len(set(texts.tokens.tolist()))))
    left = 0
    for number in range(len(shipped.prompts)):
        prompt = shipped.prompts[number]
        written = [shipped.greedy[number], shipped.drawn[number]]
        fillers = {token for token in prompt if token >= vocab}
        assert max(fillers) < vocab + len(prompt) and len(fillers) > 10
        left += bool(readable(prompt, written, vocab))
    # a run that drafts rest on, such as the name of a disease that the output holds in another place, is not cut
    assert left < len(shipped.prompts) / 40, f"{left} prompts have {READABLE} tokens in a row that stand in no output"
