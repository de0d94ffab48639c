"""RDK, Figure 1: how much of the text the most frequent tokens carry, with the paper's own point beside.

The picture: share of the occurrences over the share of the vocabulary, most frequent tokens first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Result, Study
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.studies.rdk.token_counts import SHARES, token_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TOKEN_FREQUENCY"]

_BANKS = {"answers": "SmolLM2, its answers", "texts": "SmolLM2, wiki's texts", "wiki": "wiki", "stories": "stories"}
_OWN = {"pooled curve": "ranked by the same text", "law curve": "mean target law"}


def _study() -> Study:
    smollm2 = open_bank("smollm2")
    of_kind = {kind: smollm2.of_kind(kind) for kind in ("answers", "texts")}
    return token_counts({**of_kind, "wiki": open_bank("wiki"), "stories": open_bank("stories")}, _BANKS)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        name = result.cell["data"]
        vocab = result.cell["vocab"]
        panel = f"{name}: V = {vocab:,}, {result.values['occurrences'][0]:,.0f} tokens of text"
        for i, share in enumerate(SHARES):
            x = max(1, round(share * vocab)) / vocab
            yield point(panel, "ranked by other texts", x, student(result.values["curve"][:, i], 0.95, 0, 1))
        for measure, series in _OWN.items():
            for i, share in enumerate(SHARES):
                yield Point(panel, series, max(1, round(share * vocab)) / vocab, float(result.values[measure][0, i]))


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw both rankings and the mean law of each bank, on the scale that shows the head."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        marks.curves(axes, rows.of(panel), markersize=3)
        even = np.geomspace(1e-3, 1, 60).tolist()
        marks.guide(axes, even, even)
        axes.annotate("all equally frequent", (0.13, 0.14), color="0.35", fontsize=8, ha="right")
        marks.guide(axes, [1e-3, 1], [0.95, 0.95], linestyle=":")
        marks.guide(axes, [0.126], [0.95], marker="*", markersize=11, color="0.2", linestyle="", zorder=5)
        axes.set_xscale("log")
        axes.set_xticks([1e-3, 1e-2, 1e-1, 1], ["0.1 %", "1 %", "10 %", "100 %"])
        axes.set_title(panel)
        axes.set_xlabel("most frequent share of the vocabulary")
        axes.set_ylim(-0.02, 1.04)
    ax[-1].annotate("the paper: 12.6 % carry 95 %", (0.1, 0.97), fontsize=8, color="0.2", ha="right")
    ax[-1].legend(loc="upper left", bbox_to_anchor=(0, 0.92))
    ax[0].set_ylabel("share of the occurrences")


TOKEN_FREQUENCY = Figure(
    name="rdk.token-frequency",
    title="A small share of the vocabulary carries most of a text",
    source="RDK, Figure 1",
    study=_study,
    compact=_compact,
    draw=_draw,
    data="true next tokens of the banks' statistics texts, in ten folds of documents; SmolLM2's (bank smollm2) are those of "
    "its answers to questions, on which the claims are decided, and of wiki's texts in its own tokens",
    intervals="Student-t over folds, 95 % each",
    claims=("rdk.long-tail", "rdk.frequent-quarter"),
    shape=(1, 4),
    size=(17.4, 3.9),
    missing="the 100 million tokens of the paper's corpus and its tokenizer are not at hand; the texts are smaller and "
    "rank the rare tokens less well: the truth lies between the ranking by the same text and that by others",
)
