"""The n-gram drafts that TASC-spec's empirical claims are decided on, and what is measured on them."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import chosen_here
from simspec.claims.measured import Data, Interval, Result, Study, documents, rows_for, shared
from simspec.studies.tasc.ngram_drafts import ngram_drafts

__all__ = ["DATA", "STAND_IN", "described", "drafts", "gain_of", "model_of", "rate_of"]

STAND_IN = "n-gram stand-in"


@shared
def drafts(data: Data) -> Study:
    """The study that all claims about n-gram drafters are decided on."""
    ways = ("reference",) if data.effort == "quick" else ("reference", "sampled")
    pairs = {"reference": rows_for(data, 16, 100, 1000), "sampled": rows_for(data, 16, 40, 1000)}
    tuning = rows_for(data, 8, 20, 100)
    return ngram_drafts(pairs=pairs, tuning=tuning, verify=ways, seed=data.seed)


def described(result: Result) -> str:
    """Data, size and verification of a cell, for the evidence."""
    n = len(result.values["tokens"])
    tokens = int(result.values["tokens"].sum())
    target = {"reference": "greedy match on reference outputs", "sampled": f"sampling from the {STAND_IN}"}
    return f"{result.cell['source']}, {n} test pairs, {tokens:,} tokens, {target[result.cell['verify']]}"


def model_of(result: Result) -> str:
    """The target of a cell, for the evidence."""
    return {"reference": "none: the reference text", "sampled": STAND_IN}[result.cell["verify"]]


DATA = (
    chosen_here("tasks, models and tables")
    + "Two tasks of Python's standard library: token types of functions (low output variability) and docstrings of "
    "headers (high). Tokens are words; tables, the target's stand-in and the test are of different pairs. Back-off "
    "tables up to n = 4, n-grams seen fewer than 5 times left out, 8 greedy drafts a call. Verified greedily against "
    "the reference outputs, which is agreement with a text and not a model's run, and by sampling from a stand-in, an "
    "n-gram model with a cache of its prompt. "
)


def rate_of(result: Result, drafter: str) -> float:
    """Tokens per target call."""
    return float(result.values["tokens"].sum() / result.values[f"{drafter} calls"].sum())


def gain_of(result: Result, one: str, other: str, level: float) -> Interval:
    """Tokens per call of one drafter less those of another, resampled over pairs of texts."""
    v = result.values
    table = np.column_stack([v["tokens"], v[f"{one} calls"], v[f"{other} calls"]])
    return documents(
        table, np.arange(len(table)), level, statistic=lambda m: m[..., 0] / m[..., 1] - m[..., 0] / m[..., 2]
    )
