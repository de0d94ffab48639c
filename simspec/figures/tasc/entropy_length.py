"""TASC, Appendix E: entropy of the training outputs against the length of held-out ones, as tokens are added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simspec.engine.study import Result
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.figures.tasc.length import enriched_study
from simspec.figures.tasc.tasks import LIBRARY, LIVE, NAMES, place, recorded_only, simulated_only
from simspec.studies.tasc.corpus_statistics import resampled
from simspec.studies.tasc.recorded import said
from simspec.studies.tasc.task_predict import PREDICTORS

__all__ = ["ENTROPY_LENGTH"]

_TAU = "Kendall's τ with the held-out length"


def _curves(result: Result) -> Iterator[Point]:
    tokens, n_max = result.values["tokens merge"], result.cell["n_max"]
    shares = [resampled(column / tokens[:, 0]) for column in tokens.T]
    for name, words in (("renyi", "H₂"), ("shannon", "H")):
        for entropy, share in zip(result.values[f"train {name}"][0], shares, strict=True):
            yield point(LIVE[result.cell["task"]], f"{words}, n-grams up to {n_max}", float(entropy), share)


def _recorded(result: Result) -> Iterator[Point]:
    """Of each predictor, n-grams up to 4, over all budgets up to 1,000: the last setting but those that end early."""
    name = result.cell["recorded"]
    at = 0
    while f"prediction/settings/{at}/n_max" in result.values:
        setting = f"prediction/settings/{at}"
        n_max, last = (float(result.values[f"{setting}/{what}"][0, 0]) for what in ("n_max", "last budget"))
        if n_max == 4 and last == 1000:
            for key, words in PREDICTORS.items():
                yield point(_TAU, words, place(name), said(result, f"{setting}/tau/{key}"), NAMES[name])
        at += 1


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in simulated_only(results):
        yield from _curves(result)
    found = [one for result in recorded_only(results) for one in _recorded(result)]
    for words in PREDICTORS.values():
        yield from (one for one in found if one.series == words)


ENTROPY_LENGTH = Figure(
    name="tasc.entropy-length",
    title="Entropy tells the compressed length, and the number of new tokens tells it at least as well",
    source="TASC, Appendix E and 6.1",
    study=enriched_study,
    compact=_compact,
    data="entropy, in nats, of the tokens of training outputs against tokens of held-out outputs as 0 to 1,000 tokens "
    f"are added, a mark every 50: left and middle {LIBRARY}; right recorded corpora, n-grams up to 4, 41 budgets, "
    "where −1 is a perfect ranking and the dashed line the paper's printed mean, −0.964",
    intervals="bootstrap over held-out texts, 95 % each",
    claims=("tasc.renyi-predicts", "tasc.directional-rate"),
    shape=(1, 3),
    size=(12.5, 4.2),
    missing="the paper ranks measured run times of fine-tuned models; the number of tokens to be decoded stands in "
    "their place",
)
