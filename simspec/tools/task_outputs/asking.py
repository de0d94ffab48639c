"""Tasks as chats: intents of requests, medical questions, and medical questions on a text that is given.

The requests are those of SLURP, from which MASSIVE was made, with outputs in the form that TASC's paper gives them; the
questions are those of MedQuAD, with and without a text in which the answer stands.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simspec.logits.corpora import Corpus, read_slurp

__all__ = ["SOURCES", "TASKS", "Asked", "asked"]

TASKS = {"intents": 320, "questions": 144, "reading": 136}
"""Each task, and how many inputs of it are asked; the first has outputs of low variability."""
SOURCES = {
    "intents": ("slurp/test.jsonl", "slurp/devel.jsonl"),
    "questions": ("medquad/medquad.jsonl",),
    "reading": ("medquad/medquad.jsonl",),
}
"""Files of a folder of corpora that each task is made of."""
EXAMPLES = 4
"""Requests with their outputs, before the request of `intents`."""
PASSAGE = 420
"""Characters of a text that is given, at most."""
LONGEST_QUESTION = 160
"""Characters of a question, at most."""


class Asked(NamedTuple):
    """Inputs of a task with the messages of their chats, and outputs that the corpus expects for other inputs."""

    inputs: list[str]
    messages: list[list[dict[str, str]]]
    expected: list[str]


def asked(task: str, corpora: Path, count: int, expected: int, seed: int = 0) -> Asked:
    """Inputs of a task, drawn without replacement; no two pairs have one input, or one document.

    Parameters
    ----------
    task : a key of `TASKS`
    corpora : folder of the corpora
    count : inputs that are asked
    expected : outputs of other inputs, at most
    seed : of what is drawn
    """
    rng = np.random.default_rng([seed, list(TASKS).index(task)])
    if task == "intents":
        requests, examples = (read_slurp(corpora / name) for name in SOURCES[task])
        return _intents(requests, examples, count, expected, rng)
    records = [json.loads(line) for line in (corpora / SOURCES[task][0]).read_text(encoding="utf-8").splitlines()]
    return _medical(records, task == "reading", count, expected, rng)


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _intents(corpus: Corpus, examples: Corpus, count: int, expected: int, rng: np.random.Generator) -> Asked:
    """Requests after examples of other requests with their intents and slots."""
    example_messages: list[dict[str, str]] = []
    with_slots = [i for i, text in enumerate(examples.outputs) if not text.endswith("none")]
    for number in rng.choice(with_slots, EXAMPLES, replace=False).tolist():
        example_messages += [_user(examples.inputs[number]), {"role": "assistant", "content": examples.outputs[number]}]
    output_of = dict(zip(corpus.inputs, corpus.outputs, strict=True))
    inputs = [str(text) for text in rng.permutation(sorted(output_of))]
    messages = [[*example_messages, _user(text)] for text in inputs[:count]]
    return Asked(inputs[:count], messages, [output_of[text] for text in inputs[count : count + expected]])


def _medical(
    records: Sequence[dict[str, str]], has_text: bool, count: int, expected: int, rng: np.random.Generator
) -> Asked:
    """Questions, each of another subject; a subject is what the question names, its last words."""
    by_answer = {record["answer"][:80]: record for record in records}  # one of each answer
    some = [record for record in by_answer.values() if _is_short(record["question"]) and len(record["answer"]) > 200]
    # both tasks draw from the same file: each takes one half of the documents, so that they share none
    half = [record for i, record in enumerate(some) if i % 2 == has_text]
    order = rng.permutation(len(half)).tolist()
    records_asked = [half[i] for i in order[:count]]
    inputs = [record["question"].strip() for record in records_asked]
    if has_text:
        inputs = [f"{_passage(record['answer'])}\n\n{text}" for record, text in zip(records_asked, inputs, strict=True)]
        messages = [[_user(f"Answer the question from the text.\n\n{text}")] for text in inputs]
    else:
        messages = [[_user(text)] for text in inputs]
    return Asked(inputs, messages, [half[i]["answer"] for i in order[count : count + expected]])


def _is_short(question: str) -> bool:
    return len(question) <= LONGEST_QUESTION


def _passage(text: str) -> str:
    """The beginning of a text, whole words."""
    return text if len(text) <= PASSAGE else text[:PASSAGE].rsplit(" ", 1)[0]
