"""RDK, Figure 1: how much of the text the most frequent tokens carry, with the paper's own point beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Result, Study
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.logits.bank import open_bank
from simspec.studies.rdk.token_counts import SHARES, token_counts

__all__ = ["TOKEN_FREQUENCY"]

_BANKS = ("wiki", "stories")
_OWN = {"pooled curve": "ranked by the same text", "law curve": "mean target law"}


def _study(effort: str) -> Study:
    return token_counts({name: open_bank(name) for name in _BANKS}, {name: name for name in _BANKS})


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        name, vocab = result.cell["bank"], result.cell["vocab"]
        panel = f"{name}: V = {vocab:,}, {result.values['occurrences'][0]:,.0f} tokens of text"
        for i, share in enumerate(SHARES):
            x = max(1, round(share * vocab)) / vocab
            yield point(panel, "ranked by other texts", x, student(result.values["curve"][:, i], 0.95, 0, 1))
        for measure, series in _OWN.items():
            for i, share in enumerate(SHARES):
                yield Point(panel, series, max(1, round(share * vocab)) / vocab, float(result.values[measure][0, i]))


TOKEN_FREQUENCY = Figure(
    name="rdk.token-frequency",
    title="A small share of the vocabulary carries most of a text",
    source="RDK, Figure 1",
    study=_study,
    compact=_compact,
    data="true next tokens of the banks' statistics texts, in ten folds of documents",
    intervals="Student-t over folds, 95 % each",
    claims=("rdk.long-tail", "rdk.frequent-quarter"),
    shape=(1, 2),
    size=(9.6, 3.8),
    missing="the 100 million tokens of the paper's corpus and its tokenizer are not at hand; the texts are smaller and "
    "rank the rare tokens less well: the truth lies between the ranking by the same text and that by others",
)
