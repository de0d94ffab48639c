"""What a model wrote to the inputs of tasks: the file, and what ships."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simspec.studies.tasc.outputs import WAYS, Texts, read_outputs, save_outputs
from tests.studies.tasc.outputs_cases import outputs


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = outputs()
    save_outputs(made, tmp_path / "a.npz")
    read = read_outputs(tmp_path / "a.npz")
    assert read.facts == made.facts
    for name in ("prompts", "inputs", "greedy", "drawn", "expected"):
        first, second = getattr(made, name), getattr(read, name)
        assert [first[i] for i in range(len(first))] == [second[i] for i in range(len(second))]
    for name in (
        "task",
        "bigram_contexts",
        "bigram_tokens",
        "bigram_masses",
        "expected_task",
        "expected_bytes",
        "spelled",
    ):
        np.testing.assert_array_equal(getattr(read, name), getattr(made, name))
    for way in WAYS:
        np.testing.assert_array_equal(read.surprisals[way], made.surprisals[way])
    assert read.text_of([3, 4, 0]) == "de"  # the token that ends a text is no character of it


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", task=np.zeros(2))
    with pytest.raises(
        ValueError, match=r"has no bigram_contexts, .*; expected a file of `python -m simspec.tools.task_o"
    ):
        read_outputs(tmp_path / "other.npz")


def test_lengths_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="lengths: 4 in all; expected 3, the number of tokens"):
        Texts(np.arange(3), np.array([1, 3]))


def test_another_way_is_refused() -> None:
    with pytest.raises(ValueError, match="way: 'beam'; expected one of greedy, drawn"):
        outputs().texts("beam")


def test_what_ships_is_whole() -> None:
    """Every output has its surprisals, every token its bytes and its bigrams, and no input stands twice in a task."""
    shipped = read_outputs()
    for way in WAYS:
        texts = shipped.texts(way)
        assert len(texts) == len(shipped.task)
        assert len(shipped.surprisals[way]) == len(texts.tokens) > 10_000
        assert (shipped.surprisals[way] >= 0).all()
        assert set(texts.tokens.tolist()) <= set(shipped.bigram_contexts.tolist())
    assert {prompt[-1] for prompt in map(shipped.prompts.__getitem__, range(len(shipped.prompts)))} <= set(
        shipped.bigram_contexts.tolist()
    )
    assert set(shipped.bigram_contexts.tolist()) <= set(shipped.bytes_of)
    assert len(shipped.expected) == len(shipped.expected_bytes) == len(shipped.expected_task)
    assert (shipped.expected_bytes > 0).all()
    assert (np.diff(shipped.bigram_masses, axis=1) <= 0).all() and (shipped.bigram_masses.sum(axis=1) < 1.01).all()
    for task in shipped.facts["tasks"]:
        inputs = [tuple(shipped.inputs[number]) for number in shipped.pairs(task)]
        assert len(set(inputs)) == len(inputs) > 100


def test_greedy_texts_are_no_less_likely_than_drawn_ones() -> None:
    """A control of the record: a greedy token is the likeliest of its law, so that its mean surprisal is far lower."""
    shipped = read_outputs()
    greedy, drawn = (float(shipped.surprisals[way].mean()) for way in WAYS)
    assert 2 * greedy < drawn


def test_the_models_own_bigrams_say_something_of_what_it_writes() -> None:
    """A rival that always says the same would lose to anything: without a begin of text SmolLM2's bigrams do."""
    shipped = read_outputs()
    likeliest = dict(zip(shipped.bigram_contexts.tolist(), shipped.bigram_tokens[:, 0].tolist(), strict=True))
    assert len(set(likeliest.values())) > 100
    pairs = [
        pair for n in range(len(shipped.greedy)) for pair in zip(shipped.greedy[n], shipped.greedy[n][1:], strict=False)
    ]
    assert sum(likeliest[first] == second for first, second in pairs) / len(pairs) > 0.05
