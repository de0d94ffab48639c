"""Tasks as tokens, in parts for tables, target and test; and what a target of n-gram drafters must be able to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from simspec.logits.corpora import Corpus, split, words

__all__ = ["Model", "Row", "Source", "Task", "Tokens", "Words", "Writer", "task_of"]


class Row(NamedTuple):
    """A law by what a mixture asks of it: its most likely token, of equals the lowest, that one's mass, any other's."""

    first: int
    most: float
    mass: Callable[[int], float]


class Source(Protocol):
    """What stands for the corpus in a mixture: the law after each context."""

    def row(self, context: Sequence[int]) -> Row: ...


class Task(NamedTuple):
    """A corpus as tokens, in three parts; prompts and texts of pairs, texts with their end."""

    name: str
    vocab: int
    end: int
    table: list[list[int]]
    target: list[list[int]]
    tuning: list[tuple[list[int], list[int]]]
    test: list[tuple[list[int], list[int]]]


class Writer(Protocol):
    """A target: the texts that it writes."""

    def write(self, prompt: Sequence[int], longest: int, key: int, row: int) -> list[int]: ...


class Tokens(Protocol):
    """How texts become tokens 0..vocab - 1, the last of a text being `end`."""

    @property
    def vocab(self) -> int: ...

    @property
    def end(self) -> int: ...

    def encode(self, text: str) -> list[int]: ...


class Model(Writer, Tokens, Protocol):
    """A language model as the target: its tokens are the task's, prompts and texts have at most `longest` of them, and
    its bigrams are the laws after texts of one token."""

    @property
    def bigrams(self) -> Source: ...

    @property
    def longest(self) -> int: ...


class Words:
    """Words as tokens, numbered over some texts; the last number is the end of a text.

    >>> tokens = Words(["one two one"])
    >>> tokens.encode("two one"), tokens.vocab, tokens.end
    ([1, 0], 3, 2)
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.number = {word: i for i, word in enumerate(dict.fromkeys(w for text in texts for w in words(text)))}
        self.vocab = len(self.number) + 1
        self.end = len(self.number)

    def encode(self, text: str) -> list[int]:
        """Numbers of the words of a text."""
        return [self.number[word] for word in words(text)]


def task_of(corpus: Corpus, seed: int = 0, longest: int = 200, tokens: Tokens | None = None) -> Task:
    """Split a corpus (2/5 tables, 2/5 target and tuning, 1/5 test, whole pairs) and turn it into tokens.

    Parameters
    ----------
    corpus : Corpus
    seed : int; another seed makes other parts
    longest : int, of prompts the last, of texts the first so many tokens are kept
    tokens : Tokens, optional
        by default the words of the whole corpus: every text has tokens, and a table that never saw one cannot say it.

    Raises ValueError for a corpus with fewer than ten different inputs.

    >>> pairs = Corpus("letters", tuple("abcdefghij"), ("one two",) * 10, "by hand")
    >>> task = task_of(pairs)
    >>> task.vocab, len(task.table), len(task.target), len(task.tuning), len(task.test), task.target[0]
    (13, 4, 3, 1, 2, [10, 11, 12])
    """
    different = len(set(corpus.inputs))
    if different < 10:
        raise ValueError(f"corpus: {corpus.name!r} has {different} different inputs; expected at least ten")
    by = tokens or Words([*corpus.inputs, *corpus.outputs])
    rest, test = split(corpus, 0.2, seed)
    table, target_and_tuning = split(rest, 0.5, seed)
    target, tuning = split(target_and_tuning, 0.25, seed)

    def texts(subcorpus: Corpus) -> list[list[int]]:
        return [[*by.encode(text)[: longest - 1], by.end] for text in subcorpus.outputs]

    def pairs(subcorpus: Corpus) -> list[tuple[list[int], list[int]]]:
        return list(zip((by.encode(text)[-longest:] for text in subcorpus.inputs), texts(subcorpus), strict=True))

    return Task(corpus.name, by.vocab, by.end, texts(table), texts(target), pairs(tuning), pairs(test))
