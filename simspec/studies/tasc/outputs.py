"""What a chat model wrote to the inputs of tasks, token by token, as arrays and as a file.

Each task has inputs, asked in the model's chat format, and two outputs to each: the greedy one and one at temperature 1.
Outputs are the model's own, and stand as its tokens, beside its own bigrams, which are N-Grammys' table.

Inputs, and outputs that a corpus expects, are texts of corpora, which the file does not hold.  It has the words of the former and
the tokens of the latter under labels: numbers drawn at random, with a seed that is not kept.  What is counted does not depend on
names.  Of prompts it has what n-gram drafters ask of them (`simspec.tools.task_outputs.redacting`).

What is measured on these is in `simspec.studies.tasc.written_drafts` and in the claims; what writes the file is
`simspec.tools.task_outputs`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array
from simspec.logits.bank import MissingPart, not_installed
from simspec.logits.npz import facts_in, read_npz, write_npz

__all__ = ["SHIPPED", "WAYS", "TaskOutputs", "Texts", "read_outputs", "save_outputs"]

SHIPPED = Path(__file__).with_name("data") / "smollm2-outputs.npz"
"""What SmolLM2-135M-Instruct wrote."""
WAYS = ("greedy", "drawn")
"""The most likely token at each place; and a text drawn at temperature 1."""


class Texts:
    """Texts as tokens, one after another.

    >>> texts = Texts.of([[5, 6], [], [7]])
    >>> texts[0], texts[1], len(texts), texts.tokens.tolist()
    ([5, 6], [], 3, [5, 6, 7])
    """

    def __init__(self, tokens: NDArray[Any], lengths: NDArray[Any]) -> None:
        self.tokens = tokens
        self.lengths = np.asarray(lengths, dtype=np.int64)
        self._ends = np.cumsum(self.lengths)
        if tokens.ndim != 1 or len(tokens) != self.lengths.sum():
            raise ValueError(
                f"lengths: {self.lengths.sum()} in all; expected {tokens.size}, the number of tokens: take the file anew"
            )

    @classmethod
    def of(cls, texts: Any) -> Texts:
        """The same of lists of tokens."""
        flat = np.array([token for text in texts for token in text], dtype=np.uint16)
        return cls(flat, np.array([len(text) for text in texts]))

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, number: int) -> list[int]:
        end = int(self._ends[number])
        return [int(token) for token in self.tokens[end - int(self.lengths[number]) : end]]


_TEXTS = ("prompts", "inputs", *WAYS, "expected")


@dataclass(frozen=True)
class TaskOutputs:
    """Inputs and outputs of tasks, as tokens.

    Attributes
    ----------
    task : int (n,); of each pair, an index into ``facts["tasks"]``
    prompts : n texts; pieces of what the model read, in its chat format; what is not in its outputs are fillers, from
        ``facts["vocab"]`` on, which are other ones in each prompt
    inputs : n texts; the words of the input alone, as labels
    greedy, drawn : n texts; what the model wrote, the end of the text included where it was reached
    surprisals : {"greedy", "drawn"} -> (tokens,); of each token written, under the model at temperature 1, in bits
    bigram_contexts : int (k,); tokens that occur in outputs or end a prompt, ascending
    bigram_tokens, bigram_masses : (k, m); the likeliest tokens after the begin of a text and that token, falling, and
        their masses
    expected : texts; outputs that the corpora of the tasks expect, of other inputs: their tokens, as labels
    expected_task : int; of each of these, an index into ``facts["tasks"]``
    expected_bytes : int; of each of these, UTF-8 bytes
    spelled, spelling : tokens that occur in outputs or bigrams, ascending, and the bytes of each
    facts : what was measured, on what, and with which versions
    """

    task: NDArray[np.int64]
    prompts: Texts
    inputs: Texts
    greedy: Texts
    drawn: Texts
    surprisals: dict[str, Array]
    bigram_contexts: NDArray[np.int64]
    bigram_tokens: NDArray[np.int64]
    bigram_masses: Array
    expected: Texts
    expected_task: NDArray[np.int64]
    expected_bytes: NDArray[np.int64]
    spelled: NDArray[np.int64]
    spelling: NDArray[np.uint8]
    spelling_lengths: NDArray[np.int64]
    facts: dict[str, Any]

    def pairs(self, task: str) -> list[int]:
        """Numbers of the pairs of a task."""
        return [int(number) for number in np.flatnonzero(self.task == self.facts["tasks"].index(task))]

    @property
    def prompt_vocab(self) -> int:
        """Number of tokens and fillers."""
        return max(int(self.facts["vocab"]), 1 + int(self.prompts.tokens.max()))

    def texts(self, way: str) -> Texts:
        """Outputs, greedy or drawn.

        Raises ValueError for another way.
        """
        if way not in WAYS:
            raise ValueError(f"way: {way!r}; expected one of {', '.join(WAYS)}")
        texts: Texts = getattr(self, way)
        return texts

    @cached_property
    def bytes_of(self) -> dict[int, bytes]:
        """The bytes of each token that occurs in outputs or bigrams."""
        ends = np.cumsum(self.spelling_lengths)
        raw = self.spelling.tobytes()
        return {
            int(token): raw[int(end - length) : int(end)]
            for token, end, length in zip(self.spelled, ends, self.spelling_lengths, strict=True)
        }

    def text_of(self, tokens: list[int]) -> str:
        """An output as characters, without the token that ends it."""
        ends = {self.facts["end"]}
        return b"".join(self.bytes_of[token] for token in tokens if token not in ends).decode("utf-8", "replace")


def save_outputs(outputs: TaskOutputs, path: Path) -> None:
    """Write what was measured as an ``.npz`` file; masses and surprisals in 16 bits."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in _TEXTS:
        texts = getattr(outputs, name)
        arrays[name] = texts.tokens.astype(np.uint16)
        arrays[f"{name} lengths"] = texts.lengths.astype(np.uint16)
    for way in WAYS:
        arrays[f"{way} surprisals"] = outputs.surprisals[way].astype(np.float16)
    for field in fields(TaskOutputs):
        values = getattr(outputs, field.name)
        if isinstance(values, np.ndarray):
            is_float = values.dtype.kind == "f"
            arrays[field.name] = values.astype(np.float16 if is_float else np.min_scalar_type(int(values.max())))
    write_npz(path, arrays, outputs.facts, is_dense=True)


def read_outputs(path: Path = SHIPPED) -> TaskOutputs:
    """What `save_outputs` wrote; by default what ships.

    Raises ValueError for a file that holds none, and MissingPart where what ships is not installed: it comes with the banks.

    >>> outputs = read_outputs()
    >>> len(outputs.greedy) == len(outputs.drawn) == len(outputs.prompts) == len(outputs.task)
    True
    """
    if path == SHIPPED and not path.is_file():
        raise MissingPart(not_installed("smollm2"))
    arrays = read_npz(path, is_dense=True)
    plain = [f.name for f in fields(TaskOutputs) if f.name not in {*_TEXTS, "surprisals", "facts"}]
    names = {*_TEXTS, *(f"{name} lengths" for name in _TEXTS), *(f"{way} surprisals" for way in WAYS)}
    missing = sorted({*names, *plain, "facts"} - set(arrays))
    if missing:
        raise ValueError(
            f"{str(path)!r} has no {', '.join(missing)}; expected a file of `python -m simspec.tools.task_outputs`"
        )
    values: dict[str, Any] = {name: Texts(arrays[name], arrays[f"{name} lengths"]) for name in _TEXTS}
    for name in plain:
        array = arrays[name]
        is_bytes = name == "spelling"
        values[name] = array if is_bytes else array.astype(float if array.dtype.kind == "f" else np.int64)
    values["surprisals"] = {way: arrays[f"{way} surprisals"].astype(float) for way in WAYS}
    return TaskOutputs(**values, facts=facts_in(arrays))
