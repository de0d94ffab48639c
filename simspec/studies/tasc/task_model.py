"""Tokens per call of a real language model, with n-gram drafters of a task: greedy drafts, sampling verification.

The model is given the inputs of the task and writes outputs of its own, at temperature 1.  It need not be good at the
task, and what it writes may be unlike the outputs that the tables are counted on: the figure is the model's, not the task's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from simspec.engine.estimates.intervals import Interval
from simspec.engine.row_values import gather
from simspec.logits.corpora import Corpus
from simspec.studies.tasc.ngram_drafts import GAMMA, ngram_drafts
from simspec.studies.tasc.ngram_tasks import Model
from simspec.studies.tasc.task_gains import ratio

__all__ = ["DRAFTERS", "WAYS", "ModelGains", "model_gains"]

DRAFTERS = {
    "corpus": "corpus",
    "prompt": "mix 0",
    "mixed": "mixed",
    "corpus, rare n-grams too": "corpus all",
    "mixed, rare n-grams too": "mixed all",
    "corpus, bigrams": "corpus n=2",
    "N-Grammys": "corpus n-grammys",
    "N-Grammys, mixed": "mixed n-grammys",
}
"""Drafters by the name of their column in `simspec.studies.tasc.ngram_drafts`."""
WAYS = {"sampled": "texts that the model writes", "reference": "the task's own outputs"}
"""What drafts are verified against."""


class ModelGains(NamedTuple):
    """Tokens per target call.

    Attributes
    ----------
    pairs, longest : int; held-out pairs; tokens that are kept of a prompt (the last) and of an output (the first)
    calls : {"sampled", "reference": {drafter: interval}}
    """

    pairs: int
    longest: int
    calls: Mapping[str, Mapping[str, Interval]]


def model_gains(
    corpus: Corpus, model: Model, pairs: int = 40, gamma: int = GAMMA, seed: int = 0, level: float = 0.95
) -> ModelGains:
    """Tokens per target call of each drafter, on texts that a model writes and on the task's own, in the model's tokens.

    Tables are counted on two fifths of the pairs, calls on a fifth; their settings are TASC's (n-grams seen at least
    five times, weight 0.75 of the corpus).

    Parameters
    ----------
    corpus : Corpus
    model : Model; for example `simspec.studies.tasc.ngram_model.ModelTarget`
    pairs : int, at least 2; most pairs that are written for
    gamma : int; drafts a call
    seed : int, of the split and of the texts
    level : in (0, 1), of the bootstrap intervals over pairs

    Raises ValueError for fewer than two pairs, or a corpus with fewer than ten different inputs.
    """
    if pairs < 2:
        raise ValueError(f"pairs: {pairs}; expected two or more")
    study = ngram_drafts(
        {corpus.name: corpus}, pairs, tuning=1, gamma=gamma, verify=tuple(WAYS), seed=seed, model=model
    )
    calls: dict[str, dict[str, Interval]] = {}
    count = 0
    for result in gather(study, seed):
        tokens = result.values["tokens"]
        count = len(tokens)
        calls[result.cell["verify"]] = {
            name: ratio(np.stack([tokens, result.values[f"{column} calls"]], axis=1), level)
            for name, column in DRAFTERS.items()
        }
    return ModelGains(count, model.longest, calls)
