"""What a capture does before it runs its models: they are loaded, texts are read, contexts are chosen.

What it will take is known then (`Prepared.takes`).  Running and writing are in `simspec.logits.capture`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simspec.checks import check_memory
from simspec.logits.bank.storage import STORAGE
from simspec.logits.capture.accumulate import needed
from simspec.logits.capture.drafts import make_draft, parse_draft
from simspec.logits.capture.models import LanguageModel, file_digest, load_model
from simspec.logits.capture.windows import Cutter, Pool, Window
from simspec.logits.corpora.documents import Document, read_documents

__all__ = ["Advance", "Options", "Prepared", "load_pair", "prepare"]

Numbered = list[tuple[int, Document]]
Advance = Callable[[str, int], Callable[[int], None]]
"""(what is done, of how much) -> what is told how much more of it is done."""


@dataclass(frozen=True)
class Options:
    """Which contexts are captured, how models are run, and what the bank says of itself.

    Attributes
    ----------
    contexts, statistics, tuning : int
        numbers of contexts; `statistics` is a least number, 0 for none.
    window, min_position : int
        contexts have their last token at positions `min_position` to `window` - 1 of the target's input.
    per_document : int
        most evaluation contexts of one document, or most runs of them.
    neighbours : int
        contexts that follow each other in the text, of each place chosen: only between these are correlations seen.
    batch : int
        windows that are run at once.
    seed : int
        of the choice of documents and places.
    device : {"auto", "cpu", "cuda"}
    storage : {"float16", "float32"}
    name : str
        of the bank; by default that of its file.
    licence, note, command : str
        kept in the provenance.

    Raises
    ------
    ValueError
        for a value out of its range.

    Examples
    --------
    >>> Options(contexts=0)
    Traceback (most recent call last):
    ...
    ValueError: contexts: 0; expected at least 1
    """

    contexts: int = 300
    statistics: int = 0
    tuning: int = 0
    window: int = 128
    min_position: int = 16
    per_document: int = 2
    neighbours: int = 1
    batch: int = 8
    seed: int = 0
    device: str = "auto"
    storage: str = "float16"
    name: str | None = None
    licence: str = ""
    note: str = ""
    command: str = ""

    def __post_init__(self) -> None:
        """Refuse settings that are too small or not known, by name."""
        minima = {
            "contexts": 1,
            "statistics": 0,
            "tuning": 0,
            "batch": 1,
            "min_position": 0,
            "per_document": 1,
            "neighbours": 1,
        }
        for key, value in (minima | {"window": self.min_position + 2}).items():
            if getattr(self, key) < value:
                raise ValueError(f"{key}: {getattr(self, key)}; expected at least {value}")
        if self.seed < 0:
            raise ValueError(f"seed: {self.seed}; expected an integer that is not negative")
        if self.storage not in STORAGE:
            raise ValueError(f"storage: {self.storage!r}; expected 'float16' or 'float32'")


@dataclass(frozen=True)
class Prepared:
    """Models that are loaded and contexts that are chosen; made by `prepare`, written by `record`.

    Attributes
    ----------
    documents : numbered documents of the evaluation text
    chosen, tuned, streamed : windows with the contexts for evaluation, for tuning and for the statistics
    """

    target: LanguageModel
    draft: LanguageModel | None
    asked: Options
    documents: Numbered
    files: list[Any]
    cut: Cutter
    chosen: list[Window]
    tuned: list[Window]
    streamed: list[Window]

    def takes(self) -> str:
        """What recording will take: tokens that the models read, the size of the file, memory."""
        models = [self.target] + ([] if self.draft is None else [self.draft])
        width = sum(model.vocab for model in models)
        rows = [sum(len(w.positions) for w in some) for some in (self.chosen, self.tuned, self.streamed)]
        once = sum(len(w.target) + len(w.draft) for w in [*self.chosen, *self.tuned])
        twice = sum(2 * len(w.target) + len(w.draft) for w in self.streamed)
        size = (rows[0] + rows[1]) * width * np.dtype(self.asked.storage).itemsize
        streams = needed(self.target.vocab) if self.streamed else 0
        summary = f"{rows[0]:,} contexts" + (f", {rows[1]:,} for tuning" if rows[1] else "")
        summary += f", {rows[2]:,} for statistics" if rows[2] else ""
        memory = f"{(size + streams) / 1e9:.2g} GB of memory beside the models"
        return f"{summary}: the models read {once + twice:,} tokens; a file of {size / 1e9:.2g} GB, {memory}"


def prepare(
    target: str | LanguageModel,
    draft: str | LanguageModel | None,
    *,
    text: Sequence[str | Path],
    statistics_text: Sequence[str | Path] = (),
    settings: Options = Options(),
    advance: Advance = lambda title, total: lambda n: None,
) -> Prepared:
    """Load the models, read the texts and choose the contexts; parameters and errors are those of `capture`."""
    documents, others, files = _read(text, statistics_text)
    target_model, theirs = load_pair(target, draft, settings, [document.text for _, document in others], advance)
    cut = Cutter(target_model, theirs, settings.window, settings.min_position)
    return Prepared(target_model, theirs, settings, documents, files, cut, *_choose(documents, others, cut, settings))


def load_pair(
    target: str | LanguageModel,
    draft: str | LanguageModel | None,
    settings: Options = Options(),
    texts: Sequence[str] = (),
    advance: Advance = lambda title, total: lambda n: None,
) -> tuple[LanguageModel, LanguageModel | None]:
    """Load a target, and a draft or make it of the target, and see that contexts fit.

    Parameters
    ----------
    target, draft : as for `capture`
    texts : in which a draft that is made of counts counts tokens

    Raises
    ------
    ValueError
        for models that cannot be loaded, drafts that cannot be made, and windows that are too long.
    """
    step = advance("loading models", 1 if draft is None else 2)
    spec = parse_draft(draft) if isinstance(draft, str) else None
    target_model = load_model(target, "target", settings.device)
    step(1)
    theirs = None
    if spec is not None:
        counted = [target_model.encode(text) for text in texts] if spec.needs_texts else None
        theirs = make_draft(spec, target_model, counted)
    elif draft is not None:
        theirs = load_model(draft, "draft", settings.device)
    step(1)
    if target_model.limit is not None and settings.window > target_model.limit:
        raise ValueError(f"window: {settings.window}; {target!r} takes at most {target_model.limit} tokens")
    width = (target_model.vocab + (theirs.vocab if theirs else 0)) * np.dtype(settings.storage).itemsize
    check_memory("contexts", settings.contexts, (settings.contexts + settings.tuning) * width)
    return target_model, theirs


def _choose(documents: Numbered, others: Numbered, cut: Cutter, settings: Options) -> list[list[Window]]:
    """Windows for evaluation, for tuning and for the statistics."""
    rng = np.random.default_rng(settings.seed)
    pool = Pool(documents, cut, rng)
    share = 0.5 if (settings.statistics or settings.tuning) and not others else 1
    evaluation_windows = pool.contexts(settings.contexts, settings.per_document, share, "contexts", settings.neighbours)
    texts = dict(documents + others)
    rest = (Pool(others, cut, rng) if others else pool).without({texts[w.document].text for w in evaluation_windows})
    tuned = rest.contexts(settings.tuning, settings.per_document, 1, "tuning") if settings.tuning else []
    return [evaluation_windows, tuned, rest.windows(settings.statistics) if settings.statistics else []]


def _read(text: Sequence[str | Path], statistics_text: Sequence[str | Path]) -> tuple[Numbered, Numbered, list[Any]]:
    """Numbered documents for evaluation and for statistics, and what the provenance says of their files."""
    if not text:
        raise ValueError("text: no file; expected at least one")
    documents: Numbered = []
    others: Numbered = []
    files = []
    for role, paths, numbered in (("evaluation", text, documents), ("statistics", statistics_text, others)):
        for path in paths:
            read = read_documents(path)
            numbered += enumerate(read, len(documents) + len(others))
            facts = {"file": read[0].corpus, "sha256": file_digest(Path(path)), "documents": len(read), "for": role}
            files.append(facts)
    return documents, others, files
