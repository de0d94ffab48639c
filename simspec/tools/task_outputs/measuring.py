"""Lets a chat model write outputs to the inputs of tasks, and reads the model's own bigrams of what it wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array
from simspec.logits.capture import today, versions
from simspec.logits.capture.chat import Prompt, prompt_ids
from simspec.logits.capture.models import LanguageModel, file_digest
from simspec.logits.corpora import words
from simspec.studies.tasc.ngram_model import bigram_start
from simspec.studies.tasc.outputs import TaskOutputs, Texts
from simspec.tools.pivots.keeping import keeping
from simspec.tools.pivots.reading import Reader
from simspec.tools.task_outputs.asking import SOURCES, TASKS, asked
from simspec.tools.task_outputs.redacting import labelled

__all__ = ["Settings", "measure"]

_KINDS = 2
"""Outputs of an input: greedy, and drawn at temperature 1."""
_AT_ONCE = 64
"""Texts of one token that are read at once."""
_CHARACTERS = 20
"""Characters of a token, more than texts have on average."""


@dataclass(frozen=True)
class Settings:
    """How much is written.

    Attributes
    ----------
    counts : inputs of each task
    length : longest output of each task, tokens
    expected : outputs of the corpora, of each task of `expected_tasks`, at most
    expected_length : tokens of these, at most
    kept : likeliest tokens of a bigram law
    together : inputs that are answered at once
    seed : of everything
    """

    counts: dict[str, int] = field(default_factory=lambda: dict(TASKS))
    length: dict[str, int] = field(default_factory=lambda: {"intents": 24, "questions": 48, "reading": 40})
    expected: dict[str, int] = field(default_factory=lambda: {"intents": 2400, "questions": 700, "reading": 0})
    expected_length: int = 64
    kept: int = 16
    together: int = 20
    seed: int = 0


def measure(
    target: LanguageModel, corpora: Path, out: Path, settings: Settings, say: Callable[[str], None] = print
) -> TaskOutputs:
    """Outputs of each task, in batches that are kept in the folder ``OUT.parts``, and the model's bigrams of their tokens.

    Prompts are those that the model read: `simspec.tools.task_outputs.redacting.redacted` makes what may be kept of them.

    Raises
    ------
    ValueError
        for a folder without one of the files, and a model without a chat template.
    """
    missing = [name for names in SOURCES.values() for name in names if not (corpora / name).is_file()]
    if missing:
        raise ValueError(f"corpora: {corpora} has no {missing[0]}; expected the folder of the tasks' files")
    keep = keeping(out, say)
    tasks = list(settings.counts)
    columns: dict[str, list[Any]] = {name: [] for name in ("task", "prompts", "written", "bits")}
    inputs: list[list[str]] = []
    expected: list[list[int]] = []
    expected_task: list[int] = []
    for number, task in enumerate(tasks):
        question = asked(task, corpora, settings.counts[task], settings.expected[task], settings.seed)
        prompts = [prompt_ids(target, Prompt(messages, task, 1)) for messages in question.messages]
        for at in range(0, len(prompts), settings.together):
            some = prompts[at : at + settings.together]
            seed = [settings.seed, number, at]
            write = partial(_outputs, target, some, settings.length[task], seed)
            for name, texts in keep(f"{task}-{at:04d}", write).items():
                columns[name] += texts
        columns["task"] += [number] * len(prompts)
        columns["prompts"] += prompts
        inputs += [words(text) for text in question.inputs]
        # whole articles take time, and their beginnings alone are kept
        starts = [text[: _CHARACTERS * settings.expected_length] for text in question.expected]
        expected += [target.encode(text)[: settings.expected_length] for text in starts]
        expected_task += [number] * len(question.expected)
    greedy_texts = columns["written"][::_KINDS]
    drawn_texts = columns["written"][1::_KINDS]
    # the first token of an output is drafted after the last of its prompt
    last = {prompt[-1] for prompt in columns["prompts"]}
    contexts = sorted(last.union(*columns["written"]))
    begin = bigram_start(target)
    bigrams = keep("bigrams", partial(_bigrams, target, begin, contexts, settings.kept))
    # of texts of corpora nothing is spelled
    spelled = sorted(set(contexts) | set(np.ravel(bigrams["tokens"]).tolist()))
    bytes_of = target.token_bytes()
    labels = np.random.default_rng()  # from the system's entropy, so that nobody can draw the labels again
    end_token = target.roles["eos"]
    spelling = [bytes_of[token] for token in spelled]
    return TaskOutputs(
        task=np.array(columns["task"]),
        prompts=Texts.of(columns["prompts"]),
        inputs=Texts.of(labelled(inputs, labels)),
        greedy=Texts.of(greedy_texts),
        drawn=Texts.of(drawn_texts),
        surprisals={
            name: np.array([x for text in columns["bits"][kind::_KINDS] for x in text])
            for kind, name in enumerate(("greedy", "drawn"))
        },
        bigram_contexts=np.array(contexts),
        bigram_tokens=np.array(bigrams["tokens"]),
        bigram_masses=np.array(bigrams["masses"]),
        expected=Texts.of(labelled(expected, labels)),
        expected_task=np.array(expected_task),
        expected_bytes=np.array(
            [_size([bytes_of[token] for token in text if token != end_token]) for text in expected]
        ),
        spelled=np.array(spelled),
        spelling=np.frombuffer(b"".join(spelling), dtype=np.uint8),
        spelling_lengths=np.array([len(text) for text in spelling]),
        facts={
            "target": target.facts,
            "tasks": tasks,
            "vocab": target.vocab,
            "end": end_token,
            "begin of a bigram": begin,
            "settings": asdict(settings),
            "files": [
                {"file": name, "sha256": file_digest(corpora / name)}
                for name in sorted({name for names in SOURCES.values() for name in names})
            ],
            "licence": "SmolLM2 Apache-2.0; SLURP and MedQuAD CC BY 4.0",
            "date": today(),
            "versions": versions(),
        },
    )


def _size(spellings: Sequence[bytes]) -> int:
    """UTF-8 bytes of a text; one that ends within a character ends with the mark of replacement."""
    return len(b"".join(spellings).decode("utf-8", "replace").encode())


def _outputs(target: LanguageModel, prompts: Sequence[list[int]], length: int, seed: list[int]) -> dict[str, Any]:
    """Two outputs to each prompt, one beside the other: greedy, then drawn; and the bits of each token."""
    end = target.roles["eos"]
    uniforms = np.random.default_rng(seed).random((len(prompts), length))
    reader = Reader.of_like(target, prompts)
    reader.repeat(_KINDS)
    texts: list[list[int]] = [[] for _ in range(_KINDS * len(prompts))]
    bits: list[list[float]] = [[] for _ in texts]
    running = np.arange(len(texts))
    for place in range(length):
        tokens, surprisals = _next(reader.laws(1.0), running, uniforms[running // _KINDS, place])
        for number, token, surprisal in zip(running.tolist(), tokens.tolist(), surprisals.tolist(), strict=True):
            texts[number].append(token)
            bits[number].append(round(surprisal, 4))
        going_on = np.flatnonzero(tokens != end)
        running = running[going_on]
        if not len(running) or place == length - 1:
            break
        if len(going_on) < len(tokens):
            reader.keep(going_on)
        _write(reader, tokens[going_on])
    return {"written": texts, "bits": bits}


def _write(reader: Reader, tokens: NDArray[np.int64]) -> None:
    import torch

    reader.write(torch.as_tensor(tokens, device=reader.logits.device))


def _next(laws: Array, running: NDArray[np.int64], uniforms: Array) -> tuple[NDArray[np.int64], Array]:
    """The next token of each text, and its surprisal in bits: of even numbers the likeliest, of odd ones one drawn."""
    ends = laws.cumsum(axis=1)
    goals = uniforms * ends[:, -1]
    places = [int(row.searchsorted(goal, side="right")) for row, goal in zip(ends, goals, strict=True)]
    drawn_tokens = np.minimum(np.array(places), laws.shape[1] - 1)
    tokens = np.where(running % _KINDS == 0, laws.argmax(axis=1), drawn_tokens).astype(np.int64)
    return tokens, -np.log2(laws[np.arange(len(tokens)), tokens])


def _bigrams(target: LanguageModel, begin: Sequence[int], contexts: Sequence[int], kept: int) -> dict[str, Any]:
    """The likeliest tokens after texts of one token, each after a begin, and their masses, falling."""
    tokens: list[Any] = []
    masses: list[Any] = []
    for at in range(0, len(contexts), _AT_ONCE):
        reader = Reader.of_like(target, [[*begin, token] for token in contexts[at : at + _AT_ONCE]])
        laws = reader.laws(1.0)
        some = np.sort(
            np.argpartition(-laws, kept - 1, axis=1)[:, :kept], axis=1
        )  # a full sort takes ten times as long
        falling = np.argsort(-np.take_along_axis(laws, some, axis=1), axis=1, kind="stable")
        likeliest = np.take_along_axis(some, falling, axis=1)
        tokens += likeliest.tolist()
        masses += np.round(np.take_along_axis(laws, likeliest, axis=1), 6).tolist()
    return {"tokens": tokens, "masses": masses}
