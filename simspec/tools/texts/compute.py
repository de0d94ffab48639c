"""What `simspec texts` measures of a task that was read: bigrams, n-gram drafts, added tokens, a model, predictions."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from simspec.studies.tasc.corpus_statistics import Row, table
from simspec.studies.tasc.task_gains import draft_gains, savings
from simspec.studies.tasc.task_model import model_gains
from simspec.studies.tasc.task_predict import predictions
from simspec.studies.tasc.task_record import measured, predicted, sampled
from simspec.tools.texts.load import Progress, Task
from simspec.tools.texts.table import Measured

if TYPE_CHECKING:
    from simspec.logits.capture.models import LanguageModel

__all__ = ["compute"]

StageProgress = Callable[[int, int], None]


def compute(task: Task, progress: Progress | None = None) -> Measured:
    """Measure a task.

    Parameters
    ----------
    task : as `simspec.tools.texts.load.task_of` reads it
    progress : as `simspec.tools.texts.texts` takes it

    Raises ValueError for a corpus in which no bigrams can be counted where nothing else is requested, and as the functions of
    `simspec.studies.tasc` do.

    >>> from simspec.tools.texts.load import Request, task_of
    >>> measured = compute(task_of(Request("library:tagging", pairs=20, budget=0, gamma=0, resamples=2)))
    >>> measured.row.pairs, measured.gains, measured.savings
    (20, {}, [])
    """
    request = task.request
    row, missing = _bigrams(task, _stage(progress, "counting bigrams"))
    gains = {}
    if request.gamma:
        drafting = _stage(progress, "drafting")
        gains = draft_gains(task.encoded, request.n_max, request.gamma, mix=request.mix, progress=drafting)
    budgets = sorted({math.ceil(request.budget / 2), request.budget} - {0})
    saved = []
    if budgets:
        saved = savings(task.encoded, budgets, request.n_max, progress=_stage(progress, "adding tokens"))
    entry = measured(task.corpus, row, task.encoded, gains, saved)
    if task.model is not None:
        entry["sampling"] = _sampling(task, task.model, _stage(progress, "the model writes"))
    if request.renyi:
        entry["prediction"] = _prediction(task, _stage(progress, "spending budgets"))
    return Measured(
        request=request,
        corpus=task.corpus,
        encoded=task.encoded,
        row=row,
        missing=missing,
        gains=gains,
        savings=saved,
        entry=entry,
    )


def _stage(progress: Progress | None, name: str) -> StageProgress | None:
    """Progress of one stage, which is announced before anything of it is done."""
    if progress is None:
        return None
    progress(name, 0, None)
    return partial(progress, name)


def _bigrams(task: Task, progress: StageProgress | None) -> tuple[Row | None, str]:
    """Bigram statistics; or None, and why they cannot be counted where the rest can be measured all the same."""
    try:
        (row,) = table([task.corpus], task.request.resamples, progress=progress)
    except ValueError as error:  # labels of one word have no bigrams
        if not (task.request.gamma or task.request.budget):
            raise
        return None, str(error).removeprefix("corpora: ")
    return row, ""


def _sampling(task: Task, model: LanguageModel, progress: StageProgress | None) -> dict[str, Any]:
    """Drafts on texts that the model writes, and on the task's outputs in the model's tokens."""
    from simspec.studies.tasc.ngram_model import ModelTarget

    request = task.request
    number_of_texts = request.model_pairs + 1  # one more text, on which the study's weights are tried

    def notify(texts_written: int) -> None:
        if progress is not None:
            progress(min(texts_written, number_of_texts), number_of_texts)

    target = ModelTarget(model, notify=notify)
    gains = model_gains(task.corpus, target, request.model_pairs, request.gamma, request.seed)
    return sampled(gains, model.facts, request.gamma)


def _prediction(task: Task, progress: StageProgress | None) -> dict[str, Any]:
    """Whether Rényi entropy predicts the lengths of the outputs as tokens are added."""
    request = task.request
    results = predictions(
        task.corpus,
        resamples=request.resamples,
        progress=progress,
        share=request.held_out,
        seed=request.seed,
        texts=request.texts,
        tokenizer=request.tokenizer,
    )
    return predicted(results, task.encoded.unit if request.tokenizer else "byte-pair encoding, 2,000 tokens")
