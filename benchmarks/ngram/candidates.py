"""Texts for `benchmarks.ngram`, and how each candidate makes its proposals."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from operator import methodcaller
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.ngram import Proposal, Search, prompt_lookup

__all__ = ["PEERS", "Case", "Counts", "Dictionaries", "Maker", "Step", "draw"]

N_MAX = 2
ORDERS = 4
NUM = 10
"""Longest suffix and tokens of a proposal, transformers' defaults; orders of the counts."""
VOCAB = 32_000
OURS = "simspec"
MEMORY = "text read once"
DICTIONARIES = "Python dictionaries"
BATCHED = "simspec, one call"
TRANSFORMERS = "transformers"
UNSEEN = "search, nothing found"
THREADED = (BATCHED, TRANSFORMERS)
"""Candidates that use threads."""

Array = NDArray[Any]
Step = Callable[[int], Any]
"""What is proposed after token i of a call; asked in order."""
Maker = Callable[["Case", int], list[Step]]
"""A step for each call, from the case and a number of threads."""


class Case(NamedTuple):
    """What is timed: a text and a place for each call, from which `proposals` tokens are generated one by one.

    `unseen`: the last token of each text is one that is nowhere else.
    """

    parts: list[tuple[Array, int]]
    proposals: int
    unseen: bool = False

    def texts(self, call_number: int) -> list[Array]:
        """The text after each token of a call."""
        text, start = self.parts[call_number]
        grown = [text[: start + 1 + i] for i in range(self.proposals)]
        return [np.append(x[:-1], VOCAB) for x in grown] if self.unseen else grown

    def states(self, begin: Callable[[Array], Any]) -> Iterator[tuple[Any, list[int]]]:
        """For each call what `begin` makes of the text before it, once a text, and the tokens that are generated."""
        state_by_text: dict[int, Any] = {}
        for text, start in self.parts:
            if id(text) not in state_by_text:
                state_by_text[id(text)] = begin(text[:start])
            yield state_by_text[id(text)], text[start : start + self.proposals].tolist()


def draw(size: int, seed: int) -> Array:
    """A text (size,) int64 that repeats itself; its beginning does not depend on `size`.

    >>> bool((draw(50, 0) == draw(90, 0)[:50]).all())
    True
    """
    rng = np.random.default_rng(seed)
    mass = np.cumsum(1 / np.arange(1, VOCAB + 1))
    text = np.empty(size + 200, dtype=np.int64)
    at = 0
    while at < size:
        span = min(int(rng.geometric(1 / 8)), 200)
        fresh = np.searchsorted(mass, rng.random(span) * mass[-1])
        back = int(rng.random() * at)
        copied = rng.random() < 0.5 and back + span <= at
        text[at : at + span] = text[back : back + span] if copied else fresh
        at += span
    return text[:size]


def _ours(order: int, text: Array) -> Any:
    from simspec.kernels.ngram.text import TextNgrams  # compiles: not for those who only list options

    return TextNgrams(order, text)


def _growing(begin: Callable[[Array], Any], propose: Callable[[Any], Any]) -> Maker:
    """Proposals from a table of the text that takes each token: made by `begin` of the prompt, asked by `propose`."""

    def step(table: Any, tokens: list[int], i: int) -> Any:
        table.append(tokens[i])
        return propose(table)

    return lambda case, threads: [partial(step, *state) for state in case.states(begin)]


def _anew(propose: Callable[[Array], Any]) -> Maker:
    """Proposals for each text by itself."""

    def step(texts: list[Array], i: int) -> Any:
        return propose(texts[i])

    return lambda case, threads: [partial(step, case.texts(call_number)) for call_number in range(len(case.parts))]


def _searched(text: Array) -> Any:
    proposal = prompt_lookup(text, search=Search(N_MAX, num=NUM))
    return proposal.tokens[: proposal.length]


def _searched_at_once(case: Case, threads: int) -> list[Step]:
    """The steps that search all texts of a part in one call and return one proposal each."""
    proposals: Proposal | None = None

    def step(texts: Array, lengths: Array, i: int) -> Any:
        nonlocal proposals
        if proposals is None or not i:
            proposals = prompt_lookup(texts, lengths, Search(N_MAX, num=NUM), threads=threads)
        return proposals.tokens[i, : proposals.length[i]]

    steps: list[Step] = []
    for call_number in range(len(case.parts)):
        texts = case.texts(call_number)
        padded = np.zeros((len(texts), len(texts[-1])), dtype=np.int64)
        for row, text in zip(padded, texts, strict=True):
            row[: len(text)] = text
        steps.append(partial(step, padded, np.array([len(text) for text in texts])))
    return steps


def _transformers(case: Case, threads: int) -> list[Step]:
    """The steps that ask the prompt lookup of transformers for the proposal of one text at a time."""
    import torch
    from transformers.generation.candidate_generator import PromptLookupCandidateGenerator

    generator: Any = PromptLookupCandidateGenerator(
        num_output_tokens=NUM, max_matching_ngram_size=N_MAX, max_length=2**31
    )

    def step(texts: list[Any], i: int) -> Any:
        if not i:
            torch.set_num_threads(threads)
        return generator.get_candidates(texts[i])[0]

    return [
        partial(step, [torch.from_numpy(x)[None] for x in case.texts(call_number)])
        for call_number in range(len(case.parts))
    ]


class Dictionaries:
    """First place after each n-gram, in Python's dictionaries; what a text ends with waits for the next token."""

    def __init__(self, prompt: Array) -> None:
        self.text: list[int] = []
        self.places: list[dict[Any, int]] = [{} for _ in range(N_MAX)]
        self.newest: list[Any] = []
        for token in prompt.tolist():
            self.append(token)

    @property
    def nbytes(self) -> int:
        """Bytes of the dictionaries, their keys and places, and the list of tokens."""
        grams = sum(
            sys.getsizeof(key) + sys.getsizeof(place)
            for places_of_length in self.places
            for key, place in places_of_length.items()
        )
        return grams + sum(map(sys.getsizeof, (self.text, *self.places)))

    def append(self, token: int) -> None:
        text = self.text
        for places_of_length, gram in zip(self.places, self.newest, strict=False):
            places_of_length.setdefault(gram, len(text))
        text.append(token)
        self.newest = [token, *(tuple(text[-n:]) for n in range(2, min(N_MAX, len(text)) + 1))]

    def propose(self) -> list[int]:
        for n in range(len(self.newest) - 1, -1, -1):
            start = self.places[n].get(self.newest[n])
            if start is not None:
                return self.text[start : start + NUM]
        return []


class Counts:
    """Counts of what follows each context, in Python's dictionaries, beside the best so far; of equals the lowest."""

    def __init__(self, prompt: Array) -> None:
        self.known: dict[tuple[int, ...], tuple[list[int], dict[int, int]]] = {}
        self.contexts: list[tuple[int, ...]] = [()]
        for token in prompt.tolist():
            self.append(token)

    @property
    def nbytes(self) -> int:
        """Bytes of the dictionaries, their keys and what they hold."""
        contents = (
            (context, entry, *entry, *entry[0], *entry[1], *entry[1].values()) for context, entry in self.known.items()
        )
        return sys.getsizeof(self.known) + sum(sys.getsizeof(x) for parts in contents for x in parts)

    def append(self, token: int) -> None:
        entries = self.known
        for context in self.contexts:
            entry = entries.get(context)
            if entry is None:
                entries[context] = [token, 1], {token: 1}
                continue
            best, counts = entry
            count = counts[token] = counts.get(token, 0) + 1
            if count > best[1] or (count == best[1] and token < best[0]):
                best[:] = token, count
        last = (*self.contexts[0], token)[1 - ORDERS :]
        self.contexts = [last[n:] for n in range(len(last) + 1)]

    def draft(self) -> list[int]:
        for context in self.contexts:
            entry = self.known.get(context)
            if entry is not None:
                return entry[0][:1]
        return [0]


def _numpy(x: Array) -> Any:
    for n in range(min(N_MAX, len(x) - 1), 0, -1):
        hit = x[n - 1 : -1] == x[-1]
        for back in range(1, n):
            hit &= x[n - 1 - back : -1 - back] == x[-1 - back]
        first = hit.argmax()
        if hit[first]:
            return x[first + n : first + n + NUM]
    return x[:0]


def _read(text: Array) -> Any:
    text.sum()
    return ()


_MEMORY = _anew(_read)
_SEARCH: dict[str, Maker] = {
    OURS: _anew(_searched),
    BATCHED: _searched_at_once,
    TRANSFORMERS: _transformers,
    "NumPy": _anew(_numpy),
    MEMORY: _MEMORY,
}
PEERS: dict[str, dict[str, Maker]] = {
    "generation": {
        OURS: _growing(partial(_ours, N_MAX), methodcaller("propose", NUM)),
        TRANSFORMERS: _transformers,
        DICTIONARIES: _growing(Dictionaries, Dictionaries.propose),
        MEMORY: _MEMORY,
    },
    "search": _SEARCH,
    UNSEEN: _SEARCH,
    "counts": {
        OURS: _growing(partial(_ours, ORDERS), methodcaller("draft", 1)),
        DICTIONARIES: _growing(Counts, Counts.draft),
        MEMORY: _MEMORY,
    },
}
"""Candidates of each work, ours first, then the peers, then the memory yardstick."""
