"""TASC-spec's figures: tokens per call by drafter (Table 3), acceptance by position (4), mixing weight (7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from simspec.engine.estimates.intervals import Interval, documents
from simspec.engine.study import Result, Study, remembered
from simspec.figures.tasc.tasks import RECORDED
from simspec.laws import Array
from simspec.studies.tasc.ngram_drafts import ngram_drafts
from simspec.studies.tasc.recorded import beside

__all__ = ["BOOTSTRAP", "DRAWN", "SETTINGS", "SIZES", "live", "per_call", "ratio", "with_record"]


DRAWN = {"reference": "own outputs", "sampled": "n-gram stand-in"}
BOOTSTRAP = "bootstrap over pairs of texts, 95 % each"
SETTINGS = "n-grams up to 4 seen five times or more, 8 greedy drafts a call, weight 0.75 of the corpus"


@cache
def live(pairs: int = 200, tuning: int = 20, *, ways: tuple[str, ...] = ("reference", "sampled")) -> Study:
    """Drafts on the two tasks of the standard library; the three figures share what it simulates."""
    study = ngram_drafts(pairs={"reference": pairs, "sampled": min(pairs, 120)}, tuning=tuning, verify=ways)
    return replace(study, simulate=remembered(study.simulate))


def with_record(pairs: int = 200, tuning: int = 20, *, ways: tuple[str, ...] = ("reference", "sampled")) -> Study:
    """The same, with what was recorded on corpora beside it."""
    return beside(live(pairs=pairs, tuning=tuning, ways=ways), RECORDED)


SIZES: Mapping[str, Mapping[str, Any]] = {
    "quick": {"pairs": 10, "tuning": 2, "ways": ("reference",)},
    "deep": {"pairs": 1000, "tuning": 100},
}
"""What the efforts change of the study."""


def per_call(result: Result, drafter: str) -> Interval:
    """Tokens of a target call with a drafter."""
    return ratio(result.values["tokens"], result.values[f"{drafter} calls"])


def ratio(above: Array, below: Array) -> Interval:
    """Ratio of two sums, resampled over texts; of very few texts both quantiles can lie on one side of the estimate."""
    table = np.column_stack([above, below])

    def share(m: Array) -> Array:
        return np.divide(m[..., 0], m[..., 1], out=np.zeros_like(m[..., 0]), where=m[..., 1] > 0)

    found = documents(table, np.arange(len(table)), statistic=share)
    return found._replace(low=min(found.low, found.estimate), high=max(found.high, found.estimate))
