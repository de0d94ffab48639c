"""Choosing contexts: documents are cut into windows of tokens, and contexts are places within a window.

Where there are two models, a context is a place at which both tokenizations have a boundary.  Documents are shuffled,
corpora take turns, and evaluation and statistics never share a document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.logits.capture.accumulate import FOLDS
from simspec.logits.capture.align import boundaries
from simspec.logits.capture.models import LanguageModel
from simspec.logits.corpora.documents import Document

__all__ = ["Cutter", "Pool", "Reading", "Window", "draft_logits", "grouped"]


class Reading(NamedTuple):
    """An input of the draft, the positions in it that are asked for, and which of the window's contexts these are."""

    tokens: list[int]
    positions: NDArray[np.int64]
    contexts: NDArray[np.int64]


class Window(NamedTuple):
    """One input per model, and the contexts in it.

    A draft with another tokenizer may read the text anew at each context: `readings` are its inputs then, and `draft` and
    `draft_positions` are empty.
    """

    corpus: str
    document: int
    target: list[int]
    draft: list[int]
    positions: NDArray[np.int64]
    draft_positions: NDArray[np.int64]
    following: NDArray[np.int64]
    readings: tuple[Reading, ...] = ()

    @property
    def drafted(self) -> tuple[Reading, ...]:
        """Every input of the draft."""
        return self.readings or (Reading(self.draft, self.draft_positions, np.arange(len(self.draft_positions))),)

    @property
    def draft_tokens(self) -> int:
        """Tokens that the draft reads."""
        return sum(len(reading.tokens) for reading in self.drafted)

    def only(self, first: int, count: int = 1) -> Window:
        """The window with `count` contexts from `first` on alone, and nothing after them."""
        some = slice(first, first + count)
        at = self.positions[some][-1]
        draft_at = self.draft_positions[some][-1] if len(self.draft_positions) else -1
        return self._replace(
            target=self.target[: at + 1],
            draft=self.draft[: draft_at + 1],
            positions=self.positions[some],
            draft_positions=self.draft_positions[some],
            following=self.following[some],
        )


def grouped(inputs: Sequence[list[int]]) -> tuple[Reading, ...]:
    """Few inputs that answer for many: one that another begins with is asked for within that one.

    Parameters
    ----------
    inputs : token ids, at least one each; the last position of each is asked for

    >>> [(r.tokens, r.positions.tolist(), r.contexts.tolist()) for r in grouped([[7], [7, 8], [7, 9], [7, 9, 8]])]
    [([7, 8], [0, 1], [0, 1]), ([7, 9, 8], [1, 2], [2, 3])]
    """
    groups: list[tuple[list[int], list[int]]] = []
    for context, tokens in enumerate(inputs):
        for number, (longest, contexts) in enumerate(groups):
            length = min(len(longest), len(tokens))
            if longest[:length] == tokens[:length]:
                groups[number] = (max(longest, tokens, key=len), [*contexts, context])
                break
        else:
            groups.append((tokens, [context]))
    return tuple(
        Reading(longest, np.array([len(inputs[context]) - 1 for context in contexts]), np.array(contexts))
        for longest, contexts in groups
    )


def draft_logits(draft: LanguageModel, windows: Sequence[Window]) -> NDArray[np.float32]:
    """Raw logits (n, Vd) of the draft in every context of some windows, as many inputs at a time as there are windows."""
    inputs: list[Reading] = []
    start = 0
    for window in windows:
        inputs += [reading._replace(contexts=reading.contexts + start) for reading in window.drafted]
        start += len(window.positions)
    logits = np.empty((0, 0), np.float32)
    for at in range(0, len(inputs), len(windows)):
        batch = inputs[at : at + len(windows)]
        rows = draft.logits([r.tokens for r in batch], [r.positions for r in batch])
        if not at:
            logits = np.empty((start, rows.shape[1]), rows.dtype)
        logits[np.concatenate([r.contexts for r in batch])] = rows
    return logits


@dataclass
class Cutter:
    """Cuts documents into windows, and counts how many places both tokenizations share."""

    target: LanguageModel
    draft: LanguageModel | None
    length: int
    min_position: int
    places: int = 0
    shared: int = 0
    lost_bytes: int = 0
    _pieces: list[list[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for model in (self.target, self.draft):
            if model is not None:
                pieces = zip(model.token_bytes(), model.special.tolist(), strict=True)
                self._pieces.append([b"" if special else piece for piece, special in pieces])

    def __call__(self, number: int, document: Document) -> list[Window]:
        """Windows of a document that hold at least one context."""
        text = document.text.encode()
        ids = [model.encode(document.text) for model in (self.target, self.draft) if model is not None]
        ends = [boundaries(text, [p[i] for i in sequence]) for p, sequence in zip(self._pieces, ids, strict=True)]
        places = ends[0][:-1]  # the next token must be known
        partner = np.searchsorted(ends[-1], places)
        common = ends[-1][np.minimum(partner, len(ends[-1]) - 1)] == places if len(ends[-1]) else places < 0
        self.places += len(places)
        self.shared += int(common.sum())
        self.lost_bytes += len(text) - min((int(e[-1]) if len(e) else 0) for e in ends)
        prefix = self.target.prefix
        step = self.length - len(prefix)
        windows = []
        for start in range(0, len(places), step):
            t = np.arange(start, min(start + step, len(places)))
            t = t[common[t] & (t - start + len(prefix) >= self.min_position)]
            sequence = []
            draft_at = np.empty(0, dtype=np.int64)
            if self.draft is not None and len(t):
                first = int(np.searchsorted(ends[1], ends[0][start - 1], side="right")) if start else 0
                draft_at = partner[t] - first + len(self.draft.prefix)
                t = t[draft_at < (self.draft.limit or np.inf)]
                draft_at = draft_at[draft_at < (self.draft.limit or np.inf)]
                sequence = self.draft.prefix + ids[1][first : partner[t[-1]] + 1] if len(t) else []
            if len(t):
                inputs = prefix + ids[0][start : t[-1] + 1]
                following = np.array([ids[0][i + 1] for i in t])
                at = t - start + len(prefix)
                windows.append(Window(document.corpus, number, inputs, sequence, at, draft_at, following))
        return windows


class Pool:
    """Documents by corpus in shuffled order, cut into windows when they are first asked for."""

    def __init__(self, documents: Sequence[tuple[int, Document]], cut: Cutter, rng: np.random.Generator) -> None:
        corpora = sorted({document.corpus for _, document in documents})
        by_corpus = [[item for item in documents if item[1].corpus == corpus] for corpus in corpora]
        self._corpora = [[listed[i] for i in rng.permutation(len(listed))] for listed in by_corpus]
        self._cut, self._rng = cut, rng
        self._windows: dict[int, list[Window]] = {}

    def _of(self, item: tuple[int, Document]) -> list[Window]:
        if item[0] not in self._windows:
            self._windows[item[0]] = self._cut(*item)
        return self._windows[item[0]]

    def _turns(self, choose: Callable[[list[Window]], list[Window]], share: float) -> Iterator[Window]:
        """The first choice from each document, then the second, ...; corpora take turns until all are exhausted."""

        def one_corpus(items: list[tuple[int, Document]]) -> Iterator[Window]:
            choices: dict[int, list[Window]] = {}
            for turn in range(10**9):
                has_choice = False
                for item in items:
                    if turn == 0:
                        choices[item[0]] = choose(self._of(item))
                    if turn < len(choices[item[0]]):
                        has_choice = True
                        yield choices[item[0]][turn]
                if not has_choice:
                    return

        running = [one_corpus(items[: max(1, int(len(items) * share))]) for items in self._corpora]
        while running:
            for corpus in list(running):
                window = next(corpus, None)
                if window is None:
                    running.remove(corpus)
                else:
                    yield window

    def contexts(self, count: int, per_document: int, share: float, name: str, neighbours: int = 1) -> list[Window]:
        """`count` contexts at random places of the first `share` of each corpus, sorted by document.

        Single ones, at most `per_document` of each; or so many runs of `neighbours` contexts that follow each other.

        Raises
        ------
        ValueError
            where the documents do not have that many.
        """

        def choose(windows: list[Window]) -> list[Window]:
            places = [(n, k) for n, w in enumerate(windows) for k in range(max(1, len(w.positions) - neighbours + 1))]
            picked: list[tuple[int, int]] = []
            for i in self._rng.permutation(len(places)):
                if len(picked) == per_document:
                    break
                n, k = places[i]
                if all(n != m or abs(k - at) >= neighbours for m, at in picked):  # no context twice
                    picked.append((n, k))
            return [windows[n].only(k, neighbours) for n, k in picked]

        chosen_windows: list[Window] = []
        missing = count
        for window in self._turns(choose, share):
            chosen_windows.append(window.only(0, missing))
            missing -= len(chosen_windows[-1].positions)
            if not missing:
                break
        if missing:
            cut = self._cut
            why = (
                f" ({cut.shared} of {cut.places} places are boundaries of both tokenizations, {cut.lost_bytes} bytes lie "
                "behind the first that one tokenizer cannot spell)"
                if cut.draft is not None
                else ""
            )
            raise ValueError(
                f"{name}: {count} asked, {count - missing} found with at most {per_document * neighbours} a document{why}; "
                "give more text, or fewer contexts, or allow more a document"
            )
        return sorted(chosen_windows, key=lambda w: (w.corpus, w.document, int(w.positions[0])))

    def windows(self, count: int) -> list[Window]:
        """Whole windows with at least `count` contexts of at least `FOLDS` documents, taking turns among corpora and documents.

        Raises
        ------
        ValueError
            where there are not that many contexts or documents.
        """
        chosen_windows: list[Window] = []
        contexts = 0
        documents: set[int] = set()
        for window in self._turns(lambda windows: windows, 1):
            if contexts >= count and len(documents) >= FOLDS:
                break
            chosen_windows.append(window)
            contexts += len(window.positions)
            documents.add(window.document)
        if contexts < count:
            raise ValueError(f"statistics: {count} contexts asked, {contexts} found; give more text or ask for fewer")
        if len(documents) < FOLDS:
            raise ValueError(
                f"statistics: texts of {len(documents)} documents; expected at least {FOLDS}, one for each fold; "
                "give more texts, or one that is divided into documents"
            )
        return chosen_windows

    def without(self, texts: set[str]) -> Pool:
        """The pool less the documents with one of these texts."""
        rest = [item for items in self._corpora for item in items if item[1].text not in texts]
        return Pool(rest, self._cut, self._rng)
