"""TASC-spec's figures: tokens per call by drafter (Table 3), acceptance by position (4), mixing weight (7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from simspec.engine.estimates.intervals import Interval, documents
from simspec.engine.study import Result, Study, remembered
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.figures.tasc.tasks import LIBRARY, LIVE, NAMES, RECORDED, place, recorded_only, simulated_only
from simspec.laws import Array
from simspec.studies.tasc.ngram_drafts import GAMMA, MIXES, ngram_drafts
from simspec.studies.tasc.recorded import beside, said

__all__ = ["MIXING", "POSITIONS", "SPEED"]

_WAYS = {
    "reference": "verified against the task's own outputs",
    "sampled": "verified by sampling from a small language model (left of the line) or an n-gram stand-in (right)",
}
_DRAFTERS = {
    "N-Grammys": ("corpus n-grammys", "N-Grammys"),
    "N-Grammys, mixed": ("mixed n-grammys", "N-Grammys, mixed"),
    "corpus alone": ("corpus", "corpus"),
    "TASC-spec": ("mixed", "mixed"),
    "TASC-spec, rare n-grams too": ("mixed all", "mixed, rare n-grams too"),
}
"""Series: the column of a study of drafts, and the name on record."""
_FEWEST = 20
"""Drafts that must have been looked at for a share to be shown."""
_BOOTSTRAP = "bootstrap over pairs of texts, 95 % each"
_SETTINGS = "n-grams up to 4 seen five times or more, 8 greedy drafts a call, weight 0.75 of the corpus"


@cache
def _live(effort: str) -> Study:
    pairs, tuning = {"quick": (10, 2), "default": (200, 20), "deep": (1000, 100)}[effort]
    ways = ("reference",) if effort == "quick" else ("reference", "sampled")
    study = ngram_drafts(pairs={"reference": pairs, "sampled": min(pairs, 120)}, tuning=tuning, verify=ways)
    return replace(study, simulate=remembered(study.simulate))


def _with_record(effort: str) -> Study:
    return beside(_live(effort), RECORDED)


def _per_call(result: Result, drafter: str) -> Interval:
    return _ratio(result.values["tokens"], result.values[f"{drafter} calls"])


def _ratio(above: Array, below: Array) -> Interval:
    """Ratio of two sums, resampled over texts; of very few texts both quantiles can lie on one side of the estimate."""
    table = np.column_stack([above, below])

    def share(m: Array) -> Array:
        return np.divide(m[..., 0], m[..., 1], out=np.zeros_like(m[..., 0]), where=m[..., 1] > 0)

    found = documents(table, np.arange(len(table)), statistic=share)
    return found._replace(low=min(found.low, found.estimate), high=max(found.high, found.estimate))


# --- Table 3 ----------------------------------------------------------------------------------------------------------


def _speed(results: Sequence[Result]) -> Iterator[Point]:
    for way, panel in _WAYS.items():
        for series, (column, name) in _DRAFTERS.items():
            for result in recorded_only(results):
                task = result.cell["recorded"]
                yield point(panel, series, place(task), said(result, f"sampling/{way}/{name}"), NAMES[task])
            for result in (r for r in simulated_only(results) if r.cell["verify"] == way):
                at = len(RECORDED) + 0.3 + list(LIVE).index(result.cell["corpus"])
                label = f"{LIVE[result.cell['corpus']]}\n(words)"
                yield point(panel, series, at, _per_call(result, column), label)


SPEED = Figure(
    name="tasc.ngram-speed",
    title="Tokens per target call of n-gram drafters: the task's texts help where the target writes like them",
    source="TASC, Table 3",
    study=_with_record,
    compact=_speed,
    data=f"{_SETTINGS}; N-Grammys drafts from the target's own bigrams, TASC-spec from the task's texts and the "
    "prompt; left of the line recorded corpora in the tokens of a small language model, which is not tuned to the "
    f"tasks and writes, at temperature 1, what is below; right {LIBRARY}, a token is a word, the model below an n-gram "
    "stand-in with a cache of the prompt",
    intervals=_BOOTSTRAP,
    claims=("tasc.beats-ngrammys", "tasc.beats-ngrammys-corrected", "tasc.spec-lossless"),
    shape=(2, 1),
    size=(10.0, 6.4),
    missing="the paper times fine-tuned models of 0.5 to 8 billion parameters on Asclepius, MedQuAD and EUR-LEX; here "
    "tokens per call of a small model, no run time",
)


# --- Figure 4 ---------------------------------------------------------------------------------------------------------

_DRAWN = {"reference": "own outputs", "sampled": "n-gram stand-in"}


def _positions(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        panel, v = f"{LIVE[result.cell['corpus']]}, {_DRAWN[result.cell['verify']]}", result.values
        for series, whole in (("once all before were accepted", "reached"), ("of all calls", "offered")):
            for i in range(GAMMA):
                if v[f"mixed {whole}"][:, i].sum() >= _FEWEST:
                    yield point(panel, series, i + 1, _ratio(v["mixed accepted"][:, i], v[f"mixed {whole}"][:, i]))


POSITIONS = Figure(
    name="tasc.positions",
    title="Fewer calls reach a later draft; given that they do, acceptance need not fall",
    source="TASC, Figure 4",
    study=_live,
    compact=_positions,
    data=f"TASC-spec on {LIBRARY}; {_SETTINGS}; verified against the task's own outputs, or by sampling from an n-gram "
    "stand-in; calls that get far are a selection of the easier ones; positions looked at fewer than "
    f"{_FEWEST} times are left out",
    intervals=_BOOTSTRAP,
    claims=("tasc.position-decay", "tasc.position-decay-corrected"),
    shape=(1, 4),
    size=(11.5, 3.6),
    missing="the paper's targets, models tuned to Asclepius and MedQuAD, are not at hand",
)


# --- Figure 7 ---------------------------------------------------------------------------------------------------------


def _mixing(results: Sequence[Result]) -> Iterator[Point]:
    for result in simulated_only(results):
        panel = LIVE[result.cell["corpus"]]
        for mix in MIXES:
            yield point(panel, _DRAWN[result.cell["verify"]], mix, _per_call(result, f"mix {mix:g}"))
    for series, name in (("prompt alone", "prompt"), ("corpus alone", "corpus"), ("TASC-spec, λ = 0.75", "mixed")):
        for result in recorded_only(results):
            task = result.cell["recorded"]
            found = said(result, f"tokens per call/{name}")
            yield point("recorded corpora, own outputs", series, place(task), found, NAMES[task])


MIXING = Figure(
    name="tasc.mixing",
    title="The best weight of corpus and prompt depends on the task",
    source="TASC, Figure 7",
    study=_with_record,
    compact=_mixing,
    data=f"{LIBRARY}; n-grams up to 4 seen five times or more, 8 greedy drafts a call; weight 0 is the prompt alone, 1 "
    "the corpus alone; verified against the task's own outputs, or by sampling from an n-gram stand-in; the paper finds "
    "the best weight in the shaded range; right recorded corpora in the tokens of a base of 16,384, every n-gram kept",
    intervals=_BOOTSTRAP,
    claims=("tasc.mixture", "tasc.mixture-average"),
    shape=(1, 3),
    size=(12.0, 4.0),
    missing="the paper's tuned models on MedQuAD and Asclepius are not at hand",
)
