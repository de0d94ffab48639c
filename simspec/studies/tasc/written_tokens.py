"""Outputs of tasks as a language model's own tokens: those that a corpus expects, and those that the model wrote.

The first are what a tokenizer would be enriched for before a model is fine-tuned to a task; of the second the model's
surprisal of each token is known.  New tokens are made of one part of the outputs, and measured on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simspec.kernels import random as philox
from simspec.studies.tasc.outputs import TaskOutputs
from simspec.studies.tasc.task_tokens import Task
from simspec.studies.tasc.written_drafts import parts_of

__all__ = ["HELD", "expected_tokens", "written_tokens"]

HELD = 0.4
"""Share of a corpus' outputs that is held out."""


def expected_tokens(outputs: TaskOutputs, task: str, seed: int = 0, texts: int | None = None) -> Task:
    """Outputs that a task's corpus expects, as tokens of the model under labels; without texts, for these do not ship.

    Of merges with equal rewards the one of lower labels is made, so that the new tokens depend on how labels were drawn.

    Parameters
    ----------
    outputs : what is on file
    task : one of its tasks, with expected outputs
    seed : of the split
    texts : at most so many outputs are taken, by default all

    Raises ValueError for a task without expected outputs.
    """
    tasks = outputs.facts["tasks"]
    numbers = np.flatnonzero(outputs.expected_task == (tasks.index(task) if task in tasks else -1))[:texts]
    if len(numbers) < 2:
        raise ValueError(f"task: {task!r} has {len(numbers)} expected outputs; expected two or more")
    uniforms = philox.uniform(philox.make_key(seed, "expected", len(numbers)), [0], range(len(numbers)))[0]
    order = numbers[np.argsort(uniforms, kind="stable")].tolist()
    count = round(HELD * len(order))
    held_numbers = sorted(order[:count])
    held_outputs = [outputs.expected[number] for number in held_numbers]
    train = [outputs.expected[number] for number in sorted(order[count:])]
    return _task(outputs, task, "expected outputs", train, held_outputs, outputs.expected_bytes[held_numbers])


def written_tokens(outputs: TaskOutputs, task: str, way: str, seed: int = 0) -> Task:
    """Outputs that the model wrote, with its surprisals of those held out: the test pairs of `parts_of`."""
    texts = outputs.texts(way)
    table, tuning, test = parts_of(outputs, task, seed)
    ends = np.cumsum(texts.lengths)
    bits = outputs.surprisals[way]
    held_outputs = [texts[n] for n in test]
    held_texts = tuple(outputs.text_of(tokens) for tokens in held_outputs)
    sizes = np.array([len(text.encode()) for text in held_texts], dtype=np.int64)
    train = [texts[n] for n in (*table, *tuning)]
    return replace(
        _task(outputs, task, f"written, {way}", train, held_outputs, sizes),
        outputs=held_texts,
        prompts=tuple(tuple(outputs.prompts[n]) for n in test),
        held_bits=tuple(bits[int(ends[n] - texts.lengths[n]) : int(ends[n])] for n in test),
    )


def _task(
    outputs: TaskOutputs,
    task: str,
    source: str,
    train: Sequence[list[int]],
    held_outputs: Sequence[list[int]],
    sizes: NDArray[np.int64],
) -> Task:
    """Outputs as a task without inputs and texts; `sizes` are the bytes of those held out."""
    return Task(
        name=task,
        source=f"{task}, {source}",
        tokenizer=None,
        vocab=outputs.facts["vocab"],
        train=tuple(map(tuple, train)),
        held=tuple(map(tuple, held_outputs)),
        inputs=("",) * len(held_outputs),
        outputs=(),
        sizes=sizes,
    )
