"""Capturing a bank of logits from models and texts; the command is in `simspec.cli.capture`.

The theory, the file format and the choice of contexts are elsewhere (`bank`, `checked`, `windows`, `accumulate`);
here they are put together: load, choose, run, stream, write.
"""

from __future__ import annotations

import datetime
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.logits.bank import Bank, open_bank
from simspec.logits.bank.storage import Contexts, Part, check_out, store_rows, write_bank
from simspec.logits.capture.align import draft_to_target
from simspec.logits.capture.chat import Speech
from simspec.logits.capture.models import LanguageModel
from simspec.logits.capture.passes import lasting, progress_bars, run_contexts, run_statistics
from simspec.logits.capture.prepared import Options, Prepared, prepare, prepare_chat
from simspec.logits.capture.reread import leading_tokens
from simspec.logits.capture.unfinished import Unfinished, key_of
from simspec.logits.capture.windows import Window, draft_logits
from simspec.version import __version__

__all__ = [
    "Options",
    "Prepared",
    "Speech",
    "announce",
    "capture",
    "capture_chat",
    "contexts_of",
    "draft_rows",
    "lasting",
    "prepare",
    "prepare_chat",
    "record",
    "today",
    "versions",
]


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
        Hugging Face id, local folder or GGUF file; vocabularies may differ, then contexts are places where both
        tokenizations of the whole document have a boundary, and the bank says how many there are.  That choice looks at
        the text on both sides of the place, so true next tokens there are not a fair sample of all next tokens.
        In place of a draft, how it is made of the target (:func:`simspec.logits.capture.drafts.parse_draft`).
    text, statistics_text : sequences of paths
        ``.txt``, ``.jsonl`` or ``.json`` (:func:`simspec.logits.corpora.documents.read_documents`).
    out : path
        the bank; it appears whole or not at all.  What is done is kept beside it, in a folder that ends in
        ``.unfinished``, until then: the same call after an interruption goes on from there, to the same bytes.
    options : fields of `Options`, by name

    Returns
    -------
    Bank
        opened from `out`.

    Raises
    ------
    ValueError
        for arguments out of range, too little text, models that cannot be loaded, logits that are not finite, or where an
        unfinished capture of something else stands beside `out`.

    Examples
    --------
    >>> capture("gpt2-medium", "gpt2", text=["articles.txt"], out="mine.safetensors")  # doctest: +SKIP
    """
    settings = Options(**options)
    check_out(out)
    with progress_bars(progress, transient=True) as advance:
        prepared = prepare(
            target, draft, text=text, statistics_text=statistics_text, settings=settings, advance=advance
        )
    if progress:
        announce(prepared)
    return record(prepared, out, progress)


def capture_chat(
    target: str,
    draft: str | None = None,
    *,
    chat: str | Path,
    out: str | Path,
    speech: Speech = Speech(),  # noqa: B008
    statistics_text: Sequence[str | Path] = (),
    progress: bool = True,
    **options: Any,
) -> Bank:
    """Let a target answer prompts in its chat format, and write a bank of both models' logits at every position of its answers.

    Parameters
    ----------
    target, draft : as for `capture`
    chat : ``.jsonl`` file of prompts (:func:`simspec.logits.capture.chat.read_prompts`)
    out : the bank; answers and logits that are done are kept beside it until then, and the same call goes on from there
    speech : temperature at which answers are written, their longest length, and the seed
    options : fields of `Options`, by name

    Raises
    ------
    ValueError
        as `capture` does; for malformed prompts, a target without a chat template, and empty answers.

    Examples
    --------
    >>> capture_chat("smollm2", "quantised:4", chat="prompts.jsonl", out="chat.safetensors")  # doctest: +SKIP
    """
    settings = Options(**options)
    check_out(out)
    answers = Path(out).with_name(f"{Path(out).name}.answers")
    with progress_bars(progress) as advance:
        prepared = prepare_chat(
            target,
            draft,
            chat=chat,
            answers=answers,
            speech=speech,
            statistics_text=statistics_text,
            settings=settings,
            advance=advance,
            announce=partial(print, file=sys.stderr, flush=True) if progress else lambda line: None,
        )
    if progress:
        announce(prepared)
    bank = record(prepared, out, progress)
    shutil.rmtree(answers, ignore_errors=True)
    return bank


def announce(prepared: Prepared) -> None:
    """Print what recording will take: contexts, tokens, the file, memory, and the time by one batch that is timed."""
    print(f"{prepared.takes()}; about {lasting(prepared.seconds())} here", file=sys.stderr, flush=True)


def record(prepared: Prepared, out: str | Path, progress: bool = True) -> Bank:
    """Run the models over what is prepared, and write the bank; goes on with what an interrupted run has left beside it."""
    target_model = prepared.target
    theirs = prepared.draft
    settings = prepared.asked
    evaluation_windows = prepared.chosen
    tuned = prepared.tuned
    streamed = prepared.streamed
    table = _table(target_model, theirs)
    unfinished = Unfinished(out, _key(prepared))
    if progress and unfinished.folder.is_dir():
        print(f"going on with what an earlier run has left in {unfinished.folder}", file=sys.stderr)
    with progress_bars(progress) as advance:

        def part(title: str, windows: list[Window]) -> Part:
            step = advance(title, len(windows))
            rows = run_contexts(
                target=target_model,
                draft=theirs,
                windows=windows,
                batch=settings.batch,
                storage=settings.storage,
                step=step,
                unfinished=unfinished,
                name=title,
            )
            return Part(*rows, contexts_of(windows))

        evaluation = part("evaluation", evaluation_windows)
        tuning = part("tuning", tuned) if tuned else None
        tensors = (
            run_statistics(target_model, theirs, table, streamed, settings.batch, advance, unfinished)
            if streamed
            else None
        )
    with progress_bars(progress, transient=True) as advance:
        advance("writing", 1)
        _write(prepared, out, table, (evaluation, tuning, tensors))
    unfinished.remove()
    return open_bank(Path(out))


def draft_rows(prepared: Prepared) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Logits of the draft alone at the chosen contexts, as a bank stores them, and the target's token of each draft token.

    The target does not run: for a further draft on contexts of which a bank has the target's logits already.

    Parameters
    ----------
    prepared : with a draft

    Returns
    -------
    logits (n, Vd), and (Vd,) with -1 for a token that the target lacks.

    Raises ValueError without a draft.

    >>> prepared = prepare("gpt2", "distilgpt2", text=["articles.txt"])  # doctest: +SKIP
    >>> draft_rows(prepared)[0].shape  # doctest: +SKIP
    (300, 50257)
    """
    draft = prepared.draft
    table = _table(prepared.target, draft)
    if draft is None or table is None:
        raise ValueError("prepared: has no draft; expected a pair of models")
    settings = prepared.asked
    parts = []
    for start in range(0, len(prepared.chosen), settings.batch):
        windows = prepared.chosen[start : start + settings.batch]
        logits = draft_logits(draft, windows)
        parts.append(store_rows(logits, np.dtype(settings.storage)).stored)
    return np.concatenate(parts).astype(np.float64), table


def _key(prepared: Prepared) -> str:
    """What must be the same for one run to go on with what another has left."""
    target_model = prepared.target
    theirs = prepared.draft
    settings = prepared.asked
    facts = {
        "models": [target_model.facts, None if theirs is None else theirs.facts],
        "how": [settings.batch, settings.storage, target_model.device],
        "versions": versions(),
    }
    return key_of(facts, {"evaluation": prepared.chosen, "tuning": prepared.tuned, "statistics": prepared.streamed})


def _write(
    prepared: Prepared,
    out: str | Path,
    table: NDArray[np.int32] | None,
    parts: tuple[Part, Part | None, dict[str, NDArray[Any]] | None],
) -> None:
    """The bank's file, with where it is from."""
    target_model = prepared.target
    theirs = prepared.draft
    settings = prepared.asked
    cut = prepared.cut
    evaluation, tuning, tensors = parts
    record_facts = {"licence": settings.licence, "note": settings.note, "date": today(), "command": settings.command}
    provenance = {
        "models": {"target": target_model.facts} | ({} if theirs is None else {"draft": theirs.facts}),
        "texts": prepared.files,
        **record_facts,
        "seed": settings.seed,
        "device": target_model.device,
        "versions": versions(),
        "places": {"target": cut.places, "shared": cut.shared, "share": cut.shared / max(cut.places, 1)},
        "bytes not spelled by both tokenizers": cut.lost_bytes,
        "documents": {
            "evaluation": _count(prepared.chosen),
            "tuning": _count(prepared.tuned),
            "statistics": _count(prepared.streamed),
        },
    }
    if prepared.speech is not None:
        provenance["chat"] = {**asdict(prepared.speech), "text": "written by the target in its chat format"}
    draft_strings = None
    draft_first = None
    if theirs is not None and table is not None and not np.array_equal(np.arange(target_model.vocab), table):
        draft_strings = theirs.token_bytes(), table
        if theirs.strings != target_model.strings:
            draft_first = leading_tokens(target_model, theirs)
    write_bank(
        out,
        name=settings.name or Path(out).name.removesuffix(".safetensors"),
        evaluation=evaluation,
        tokens=target_model.token_bytes(),
        draft_vocab=draft_strings,
        draft_first=draft_first,
        tuning=tuning,
        statistics=tensors,
        provenance=provenance,
    )


def _table(target: LanguageModel, draft: LanguageModel | None) -> NDArray[np.int32] | None:
    if draft is None:
        return None
    if target.strings == draft.strings and np.array_equal(target.special, draft.special):
        tokens = np.arange(target.vocab, dtype=np.int32)
        return tokens if draft.token_mask is None else np.where(draft.token_mask, tokens, -1).astype(np.int32)
    roles = (target.roles, draft.roles)
    return draft_to_target(target.strings, draft.strings, target.special, draft.special, roles)


def contexts_of(windows: list[Window]) -> Contexts:
    """What a bank keeps of the contexts of some windows."""
    context_counts = [len(w.positions) for w in windows]
    return Contexts(
        last=np.concatenate([np.array(w.target)[w.positions] for w in windows]).astype(np.int32),
        following=np.concatenate([w.following for w in windows]).astype(np.int32),
        position=np.concatenate([w.positions for w in windows]).astype(np.int32),
        document=np.repeat([w.document for w in windows], context_counts).astype(np.int32),
        corpus=np.repeat([w.corpus for w in windows], context_counts),
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


def versions() -> dict[str, str]:
    """Versions of what a capture rests on, by name."""
    import torch
    import transformers

    versions = {"simspec": __version__, "numpy": np.__version__, "torch": str(torch.__version__)}
    return versions | {"transformers": transformers.__version__}
