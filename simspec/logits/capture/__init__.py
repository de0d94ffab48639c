"""Capturing a bank of logits from models and texts; the command is in `simspec.logits.capture.command`.

The theory, the file format and the choice of contexts are elsewhere (`bank`, `checked`, `windows`, `accumulate`);
here they are put together: load, choose, run, stream, write.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import check_memory
from simspec.logits.bank import Bank, open_bank
from simspec.logits.bank.storage import STORAGE, Contexts, Part, check_out, write_bank
from simspec.logits.capture.align import draft_to_target
from simspec.logits.capture.models import LanguageModel, file_digest, load_model
from simspec.logits.capture.passes import progress_bars, run_contexts, run_statistics
from simspec.logits.capture.windows import Cutter, Pool, Window
from simspec.logits.corpora.documents import Document, read_documents
from simspec.version import __version__

__all__ = ["Options", "capture", "today"]


Numbered = list[tuple[int, Document]]


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
        most evaluation contexts of one document.
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
    batch: int = 8
    seed: int = 0
    device: str = "auto"
    storage: str = "float16"
    name: str | None = None
    licence: str = ""
    note: str = ""
    command: str = ""

    def __post_init__(self) -> None:
        least = {"contexts": 1, "statistics": 0, "tuning": 0, "batch": 1, "min_position": 0, "per_document": 1}
        for key, value in (least | {"window": self.min_position + 2}).items():
            if getattr(self, key) < value:
                raise ValueError(f"{key}: {getattr(self, key)}; expected at least {value}")
        if self.seed < 0:
            raise ValueError(f"seed: {self.seed}; expected an integer that is not negative")
        if self.storage not in STORAGE:
            raise ValueError(f"storage: {self.storage!r}; expected 'float16' or 'float32'")


def capture(
    target: str,
    draft: str | None = None,
    *,
    text: Sequence[str | Path],
    out: str | Path,
    statistics_text: Sequence[str | Path] = (),
    progress: bool = True,
    **options: Any,
) -> Bank:
    """Run a target, and a draft, over texts and write a bank of their logits.

    Evaluation contexts are single places in windows of at most `window` tokens, at most `per_document` of a document,
    corpora taking turns.  Statistics and tuning contexts come from documents that no evaluation context comes from: of
    `statistics_text`, or else of `text`, half of which is then kept from evaluation.

    Parameters
    ----------
    target, draft : str
        Hugging Face id or local folder; vocabularies may differ, then contexts are places where both tokenizations
        of the whole document have a boundary, and the bank says how many there are.  That choice looks at the text
        on both sides of the place, so true next tokens there are not a fair sample of all next tokens.
    text, statistics_text : sequences of paths
        ``.txt``, ``.jsonl`` or ``.json`` (:func:`simspec.logits.corpora.documents.read_documents`).
    out : path
        the bank; it appears whole or not at all.
    options : fields of `Options`, by name

    Returns
    -------
    Bank
        opened from `out`.

    Raises
    ------
    ValueError
        for arguments out of range, too little text, models that cannot be loaded, or logits that are not finite.

    Examples
    --------
    >>> capture("gpt2-medium", "gpt2", text=["articles.txt"], out="mine.safetensors")  # doctest: +SKIP
    """
    asked = Options(**options)
    check_out(out)
    documents, others, files = _read(text, statistics_text)
    ours, theirs = _models(target, draft, asked)
    cut = Cutter(ours, theirs, asked.window, asked.min_position)
    chosen, tuned, streamed = _choose(documents, others, cut, asked)
    table = _table(ours, theirs)
    with progress_bars(progress) as advance:

        def part(title: str, windows: list[Window]) -> Part:
            step = advance(title, len(windows))
            return Part(*run_contexts(ours, theirs, windows, asked.batch, asked.storage, step), _contexts(windows))

        evaluation = part("evaluation", chosen)
        tuning = part("tuning", tuned) if tuned else None
        tensors = run_statistics(ours, theirs, table, streamed, asked.batch, advance) if streamed else None
    kept = {"licence": asked.licence, "note": asked.note, "date": today(), "command": asked.command}
    provenance = {
        "models": {"target": ours.facts} | ({} if theirs is None else {"draft": theirs.facts}),
        "texts": files,
        **kept,
        "seed": asked.seed,
        "device": ours.device,
        "versions": _versions(),
        "places": {"target": cut.places, "shared": cut.shared, "share": cut.shared / max(cut.places, 1)},
        "bytes not spelled by both tokenizers": cut.lost_bytes,
        "documents": {"evaluation": _count(chosen), "tuning": _count(tuned), "statistics": _count(streamed)},
    }
    own = None
    if theirs is not None and table is not None and not np.array_equal(np.arange(ours.vocab), table):
        own = theirs.token_bytes(), table
    write_bank(
        out,
        name=asked.name or Path(out).name.removesuffix(".safetensors"),
        evaluation=evaluation,
        tokens=ours.token_bytes(),
        draft_vocab=own,
        tuning=tuning,
        statistics=tensors,
        provenance=provenance,
    )
    return open_bank(Path(out))


def _models(target: str, draft: str | None, asked: Options) -> tuple[LanguageModel, LanguageModel | None]:
    ours = load_model(target, "target", asked.device)
    theirs = None if draft is None else load_model(draft, "draft", asked.device)
    if ours.limit is not None and asked.window > ours.limit:
        raise ValueError(f"window: {asked.window}; {target!r} takes at most {ours.limit} tokens")
    width = (ours.vocab + (theirs.vocab if theirs else 0)) * np.dtype(asked.storage).itemsize
    check_memory("contexts", asked.contexts, (asked.contexts + asked.tuning) * width)
    return ours, theirs


def _choose(documents: Numbered, others: Numbered, cut: Cutter, asked: Options) -> list[list[Window]]:
    """Windows for evaluation, for tuning and for the statistics."""
    rng = np.random.default_rng(asked.seed)
    pool = Pool(documents, cut, rng)
    share = 0.5 if (asked.statistics or asked.tuning) and not others else 1
    chosen = pool.contexts(asked.contexts, asked.per_document, share, "contexts")
    texts = dict(documents + others)
    rest = (Pool(others, cut, rng) if others else pool).without({texts[w.document].text for w in chosen})
    tuned = rest.contexts(asked.tuning, asked.per_document, 1, "tuning") if asked.tuning else []
    return [chosen, tuned, rest.windows(asked.statistics) if asked.statistics else []]


def _read(text: Sequence[str | Path], statistics_text: Sequence[str | Path]) -> tuple[Numbered, Numbered, list[Any]]:
    """Numbered documents for evaluation and for statistics, and what the provenance says of their files."""
    if not text:
        raise ValueError("text: no file; expected at least one")
    documents: Numbered = []
    others: Numbered = []
    files = []
    for role, paths, found in (("evaluation", text, documents), ("statistics", statistics_text, others)):
        for path in paths:
            read = read_documents(path)
            found += enumerate(read, len(documents) + len(others))
            facts = {"file": read[0].corpus, "sha256": file_digest(Path(path)), "documents": len(read), "for": role}
            files.append(facts)
    return documents, others, files


def _table(target: LanguageModel, draft: LanguageModel | None) -> NDArray[np.int32] | None:
    if draft is None:
        return None
    if target.strings == draft.strings and np.array_equal(target.special, draft.special):
        return np.arange(target.vocab, dtype=np.int32)
    roles = (target.roles, draft.roles)
    return draft_to_target(target.strings, draft.strings, target.special, draft.special, roles)


def _contexts(windows: list[Window]) -> Contexts:
    return Contexts(
        last=np.array([w.target[-1] for w in windows], dtype=np.int32),
        following=np.array([w.following[0] for w in windows], dtype=np.int32),
        position=np.array([w.positions[0] for w in windows], dtype=np.int32),
        document=np.array([w.document for w in windows], dtype=np.int32),
        corpus=np.array([w.corpus for w in windows]),
    )


def _count(windows: list[Window]) -> dict[str, int]:
    """Documents of each corpus that the windows come from."""
    pairs = {(w.corpus, w.document) for w in windows}
    return {corpus: sum(c == corpus for c, _ in pairs) for corpus in sorted({c for c, _ in pairs})}


def today() -> str:
    """Date of capture, UTC; SOURCE_DATE_EPOCH is honoured, for files that can be made again bit by bit."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC) if epoch else datetime.datetime.now(datetime.UTC)
    return moment.date().isoformat()


def _versions() -> dict[str, str]:
    import torch
    import transformers

    versions = {"simspec": __version__, "numpy": np.__version__, "torch": str(torch.__version__)}
    return versions | {"transformers": transformers.__version__}
