"""What a capture does before it runs its models: they are loaded, texts are read, contexts are chosen.

What it will take is known then (`Prepared.takes`).  Running and writing are in `simspec.logits.capture`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simspec.checks import check_memory
from simspec.logits.bank.storage import STORAGE
from simspec.logits.capture.accumulate import needed
from simspec.logits.capture.chat import Prompt, Speech, Written, answer_all, chat_window, read_prompts
from simspec.logits.capture.drafts import check_names, make_draft, parse_draft
from simspec.logits.capture.models import LanguageModel, file_digest, load_model
from simspec.logits.capture.passes import lasting
from simspec.logits.capture.windows import Cutter, Pool, Window, draft_logits
from simspec.logits.corpora.documents import Document, read_documents

__all__ = ["Advance", "Options", "Prepared", "load_pair", "prepare", "prepare_chat"]

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
    speech: Speech | None = None
    """how the target wrote the contexts' texts; None for texts of a corpus"""

    def takes(self) -> str:
        """What recording will take: tokens that the models read, the size of the file, memory."""
        rows = [sum(len(w.positions) for w in some) for some in (self.chosen, self.tuned, self.streamed)]
        size = (rows[0] + rows[1]) * self.width * np.dtype(self.asked.storage).itemsize
        streams = needed(self.target.vocab) if self.streamed else 0
        summary = f"{rows[0]:,} contexts" + (f", {rows[1]:,} for tuning" if rows[1] else "")
        summary += f", {rows[2]:,} for statistics" if rows[2] else ""
        memory = f"{(size + streams) / 1e9:.2g} GB of memory beside the models"
        return f"{summary}{self._chosen_among()}: the models read {self.tokens:,} tokens; a file of {size / 1e9:.2g} GB, {memory}"

    def _chosen_among(self) -> str:
        """Where the contexts of texts are, if two tokenizers leave some places out; answers to prompts have all of theirs."""
        if self.speech is not None or self.cut.shared == self.cut.places:
            return ""
        share = self.cut.shared / self.cut.places
        return f" at the {share:.0%} of the text's tokens after which both tokenizations have a boundary (--chat takes all)"

    @property
    def width(self) -> int:
        """Logits of a context, of both models."""
        return self.target.vocab + (0 if self.draft is None else self.draft.vocab)

    @property
    def tokens(self) -> int:
        """Tokens that both models read together; those of the statistics are read in two passes by the target."""
        once = sum(len(w.target) + w.draft_tokens for w in [*self.chosen, *self.tuned])
        return once + sum(2 * len(w.target) + w.draft_tokens for w in self.streamed)

    def seconds(self) -> float:
        """How long recording will take here, from the time of a first batch of windows, which is run and thrown away."""
        batch = self.chosen[: self.asked.batch]
        start = time.perf_counter()
        self.target.logits([w.target for w in batch], [w.positions for w in batch])
        if self.draft is not None:
            draft_logits(self.draft, batch)
        took = time.perf_counter() - start
        return took * self.tokens / sum(len(w.target) + w.draft_tokens for w in batch)


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
    if not text:
        raise ValueError("text: no file; expected at least one")
    documents, others, files = _read(text, statistics_text)
    target_model, theirs = load_pair(target, draft, settings, [document.text for _, document in others], advance)
    cut = Cutter(target_model, theirs, settings.window, settings.min_position)
    windows = _choose(documents, others, cut, settings)
    return Prepared(
        target_model,
        theirs,
        settings,
        documents,
        files,
        cut,
        chosen=windows[0],
        tuned=windows[1],
        streamed=windows[2],
    )


def prepare_chat(
    target: str | LanguageModel,
    draft: str | LanguageModel | None,
    *,
    chat: str | Path,
    answers: str | Path,
    speech: Speech = Speech(),  # noqa: B008
    statistics_text: Sequence[str | Path] = (),
    settings: Options = Options(),
    advance: Advance = lambda title, total: lambda n: None,
    announce: Callable[[str], None] = lambda line: None,
) -> Prepared:
    """Load the models and let the target answer prompts: contexts are all positions of its answers.

    Parameters
    ----------
    target, draft : as for `capture`
    chat : ``.jsonl`` file of prompts (:func:`simspec.logits.capture.chat.read_prompts`)
    answers : folder in which each answer is kept once it is written; what is there is not written again
    speech : temperature, longest answer and seed
    statistics_text, settings : as for `capture`; how contexts are chosen says nothing here
    announce : is given, after the first answer, what all of them will take

    Raises
    ------
    ValueError
        as `capture` does; for prompts that are malformed, a target without a chat template, and empty answers.
    """
    prompts = read_prompts(chat)
    _, others, files = _read((), statistics_text)
    if (settings.statistics or settings.tuning) and not others:
        raise ValueError("--statistics, --tuning: with --chat they need other texts; expected --statistics-text FILE")
    target_model, theirs = load_pair(target, draft, settings, [document.text for _, document in others], advance)
    # texts are chosen first: whether they suffice is known before answers are written, which takes long
    cut = Cutter(target_model, theirs, settings.window, settings.min_position)
    rest = Pool([(number + len(prompts), document) for number, document in others], cut, _rng(settings))
    tuned = rest.contexts(settings.tuning, settings.per_document, 1, "tuning") if settings.tuning else []
    streamed = rest.windows(settings.statistics) if settings.statistics else []
    step = advance("answering", len(prompts))
    lines: list[str] = []

    def note(first_answer: Written) -> None:
        if not lines and first_answer.number + 1 < len(prompts):
            lines.append(_chat_takes(target_model, theirs, settings, speech, prompts, first_answer))
            announce(lines[0])

    answered = answer_all(target_model, prompts, speech, Path(answers), step, note)
    windows = [
        chat_window(target_model, theirs, prompt, ids, answer, number)
        for number, (prompt, (ids, answer)) in enumerate(zip(prompts, answered, strict=True))
    ]
    cut.places += sum(len(answer) for _, answer in answered)
    cut.shared += sum(len(window.positions) for window in windows)
    chat_file = {"file": Path(chat).name, "sha256": file_digest(Path(chat)), "documents": len(prompts), "for": "chat"}
    return Prepared(
        target_model,
        theirs,
        settings,
        documents=[],
        files=[chat_file, *files],
        cut=cut,
        chosen=windows,
        tuned=tuned,
        streamed=streamed,
        speech=speech,
    )


def _chat_takes(
    target: LanguageModel,
    draft: LanguageModel | None,
    settings: Options,
    speech: Speech,
    prompts: Sequence[Prompt],
    first: Written,
) -> str:
    """What answers will take at most, if all are as long as they may be: time at the pace of the first one, file, memory."""
    count = len(prompts)
    prompt_length = len(first.prompt)
    answer_length = len(first.answer)
    writing = first.seconds / answer_length * speech.length * (count - first.number - 1)
    window = chat_window(target, draft, prompts[first.number], first.prompt, first.answer, first.number)
    start = time.perf_counter()
    target.logits([window.target], [window.positions])
    if draft is not None:
        draft_logits(draft, [window])
    once = time.perf_counter() - start
    reading = once * (prompt_length + speech.length) / (prompt_length + answer_length) * count
    width = target.vocab + (0 if draft is None else draft.vocab)
    size = count * speech.length * width * np.dtype(settings.storage).itemsize
    streams = needed(target.vocab) if settings.statistics else 0
    return (
        f"{count:,} answers of at most {speech.length} tokens, by the first one: at most about {lasting(writing)} here to write "
        f"the others and {lasting(reading)} to read all with both models; a file of at most {size / 1e9:.2g} GB, "
        f"{(size + streams) / 1e9:.2g} GB of memory beside the models"
    )


def _rng(settings: Options) -> np.random.Generator:
    return np.random.default_rng(settings.seed)


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
    check_names(target, draft)
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
    rng = _rng(settings)
    pool = Pool(documents, cut, rng)
    share = 0.5 if (settings.statistics or settings.tuning) and not others else 1
    evaluation_windows = pool.contexts(settings.contexts, settings.per_document, share, "contexts", settings.neighbours)
    texts = dict(documents + others)
    rest = (Pool(others, cut, rng) if others else pool).without({texts[w.document].text for w in evaluation_windows})
    tuned = rest.contexts(settings.tuning, settings.per_document, 1, "tuning") if settings.tuning else []
    return [evaluation_windows, tuned, rest.windows(settings.statistics) if settings.statistics else []]


def _read(text: Sequence[str | Path], statistics_text: Sequence[str | Path]) -> tuple[Numbered, Numbered, list[Any]]:
    """Numbered documents for evaluation and for statistics, and what the provenance says of their files."""
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
