"""Enriching the tokenizer against drafting from n-grams: model steps saved on the same held-out outputs.

One new token in the place of several saves their steps; an accepted draft saves one step too.  Both gains are base tokens per
model step, so that they can be compared where a step that verifies drafts costs about as much as one that does not.
Drafts are accepted while they agree with the held-out text: agreement with the reference, not with a model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.study import Rows, Study, Values
from simspec.methods.tasc.acceptance import target_calls
from simspec.methods.tasc.drafters import PromptNgrams, mixed, train
from simspec.methods.tasc.encoding import replay
from simspec.studies.tasc.bigram_counts import bigrams, entropy_bits, spectrum, thinned
from simspec.studies.tasc.enrichment import pair_weights
from simspec.studies.tasc.task_tokens import Task, enriched, token_ids

__all__ = ["TABLES", "Tables", "regimes", "variability"]


class Tables(NamedTuple):
    """As in TASC-spec: the longest n-gram of either table, the least count in the corpus's, and the weight of the corpus."""

    n_max: int = 4
    min_count: int = 5
    mix: float = 0.75


TABLES = Tables()


def variability(tasks: Sequence[Task]) -> list[float]:
    """Entropy in bits of the word bigrams of each task's held-out outputs, thinned to equal numbers of bigrams.

    >>> from simspec.logits.corpora import Corpus
    >>> from simspec.studies.tasc.task_tokens import prepare
    >>> one, two = (Corpus("", tuple("12345"), (text,) * 5, "") for text in ("a a a a a", "a b c d e"))
    >>> [round(bits, 6) for bits in variability(prepare([one, two]))]
    [0.0, 2.0]
    """
    spectra = [spectrum(bigrams(task.outputs).counts()) for task in tasks]
    equal = min(int(task_spectrum.total) for task_spectrum in spectra)
    return [entropy_bits(thinned(task_spectrum, equal)) for task_spectrum in spectra]


def _prompts(task: Task, numbers: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """What was read before each output: the prompts of a model, else the inputs."""
    if task.prompts is not None:
        return tuple(task.prompts[number] for number in numbers)
    if task.tokenizer is None:
        raise ValueError(f"task: {task.name!r} has neither prompts nor a tokenizer; expected one of them")
    return token_ids(task.tokenizer, [task.inputs[number] for number in numbers])


def _simulate(task: Task, bits: float, cell: Any, rows: Rows) -> Values:
    """Return base tokens per model step with added tokens and with n-gram drafts, one value for each row."""
    count = min(cell["texts"], len(task.held))
    # evenly spread over the held-out texts, whose order may mean something
    text_numbers = [int(i * len(task.held) / count) for i in range(count)]
    sampled_texts = [task.held[i] for i in text_numbers]
    prompts = _prompts(task, text_numbers)
    merge_table = enriched(task, cell["budget"], cell["n_max"])
    shorter = np.array([len(text) for text in replay(sampled_texts, merge_table).texts], dtype=np.float64)
    vocab = max(task.vocab, 1 + max(max(prompt, default=0) for prompt in prompts))  # prompts may hold fillers
    table = train(task.train, cell["n_max"], cell["min_count"], vocab)
    drafter = mixed(table, PromptNgrams(cell["n_max"], vocab), cell["mix"])
    calls = np.array(
        [
            target_calls(drafter, text, cell["gamma"], prompt)
            for text, prompt in zip(sampled_texts, prompts, strict=True)
        ],
        dtype=np.float64,
    )
    tokens = np.array([len(text) for text in sampled_texts], dtype=np.float64)
    weights = pair_weights(rows.key, rows.numbers, count)
    return {
        "enrichment": (weights @ tokens) / (weights @ shorter),
        "drafting": (weights @ tokens) / (weights @ calls),
        "variability": np.full(len(weights), bits),
        "texts": np.full(len(weights), float(count)),
    }


def regimes(
    tasks: Callable[[], Sequence[Task]],
    names: Sequence[str],
    budget: int = 1000,
    texts: int = 40,
    tables: Tables = TABLES,
    gamma: int = 10,
    resamples: int = 100,
) -> Study:
    """Gains of both methods on each task.

    Values, row 0 the corpus and every further row a bootstrap sample of its held-out pairs: ``enrichment`` and ``drafting``
    (base tokens per model step), ``variability`` (see there), and how many ``texts`` they come from.

    Parameters
    ----------
    tasks : () -> tasks; asked for when the first cell is simulated
    names : names of these tasks, in their order
    budget : int; new tokens; encoded through the merge table
    texts : int; held-out outputs, at most, evenly spaced
    tables : Tables
    gamma : int; drafts a step
    resamples : int, at least 2

    Four tokens as one; or drafts: nothing is known of the first token, the other three are right.

    >>> from simspec.logits.corpora import Corpus
    >>> from simspec.engine.row_values import gather
    >>> from simspec.studies.tasc.task_tokens import prepare
    >>> pairs = Corpus("count", tuple("1234"), ("a b c d",) * 4, "by hand")
    >>> study = regimes(lambda: prepare([pairs]), ["count"], budget=3, tables=Tables(min_count=1), gamma=3, resamples=2)
    >>> values = gather(study)[0].values
    >>> values["enrichment"].tolist(), values["drafting"].tolist()
    ([4.0, 4.0, 4.0], [2.0, 2.0, 2.0])
    """
    if texts < 2 or resamples < 2:
        raise ValueError(f"texts, resamples: {texts}, {resamples}; expected two or more of each")
    cached_tasks = cache(lambda: tuple(tasks()))
    bits = cache(lambda: variability(cached_tasks()))
    settings = {"budget": budget, "texts": texts, **tables._asdict(), "gamma": gamma}
    return Study(
        name="regimes",
        question="Does a task gain more from new tokens or from n-gram drafts?",
        grid=tuple({"task": name, "number": number, **settings} for number, name in enumerate(names)),
        simulate=lambda cell, rows, device: _simulate(
            cached_tasks()[cell["number"]], bits()[cell["number"]], cell, rows
        ),
        summary="base tokens per model step; row 0 the corpus, the others bootstrap samples of its held-out pairs",
        rows=1 + resamples,
    )
