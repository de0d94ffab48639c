"""TASC, Appendix E: entropy of the training outputs against the length of held-out ones, as tokens are added.

The picture: held-out length over entropy as tokens are added, and how well each predictor ranks the lengths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simspec.engine.study import Result
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.figures.tasc.length import SIZES, enriched_study
from simspec.figures.tasc.tasks import LIBRARY, LIVE, NAMES, place, recorded_only, simulated_only
from simspec.studies.tasc.corpus_statistics import resampled
from simspec.studies.tasc.recorded import said
from simspec.studies.tasc.task_predict import PREDICTORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ENTROPY_LENGTH"]

_TAU = "Kendall's τ with the held-out length"


def _curves(result: Result) -> Iterator[Point]:
    tokens = result.values["tokens merge"]
    n_max = result.cell["n_max"]
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
        n_max, last = (float(result.values[f"{setting}/{field}"][0, 0]) for field in ("n_max", "last budget"))
        if n_max == 4 and last == 1000:
            for key, words in PREDICTORS.items():
                yield point(_TAU, words, place(name), said(result, f"{setting}/tau/{key}"), NAMES[name])
        at += 1


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in simulated_only(results):
        yield from _curves(result)
    recorded_points = [recorded_point for result in recorded_only(results) for recorded_point in _recorded(result)]
    for words in PREDICTORS.values():
        yield from (recorded_point for recorded_point in recorded_points if recorded_point.series == words)


INKS = {"2-Rényi entropy": "#0072B2", "Shannon entropy": "#D55E00", "the number of new tokens alone": "#000000"}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw both tasks' paths from no new token (left, 1) to 1,000, then Kendall's τ by task."""
    *paths, ranks = rows.panels()
    for axes, panel in zip(ax[:2], paths, strict=True):
        for name in rows.of(panel).series():
            ink = "#0072B2" if name.startswith("H₂") else "#D55E00"
            dashes = "-" if name.endswith("4") else ":"
            marks.curve(axes, rows.of(panel, name), color=ink, linestyle=dashes, marker="o", markersize=2.5)
        axes.set_title(panel)
        axes.set_xlabel("entropy of the training outputs' tokens, nats")
    ax[0].legend(loc="upper right")
    ax[0].set_ylabel("held-out length, as a share of that before")
    for at, (name, ink) in enumerate(INKS.items()):
        own = rows.of(ranks, name)
        shifted = Points(p._replace(x=p.x + 0.22 * (at - 1)) for p in own)
        marks.dots(ax[2], shifted, color=ink, marker="os^"[at], markersize=4.5)
        ax[2].set_xticks(own.column("x"), own.column("label"), rotation=45, ha="right", fontsize=8)
    ax[2].set_title(ranks)
    marks.guide(ax[2], (-0.4, 7.4), (-0.964, -0.964))
    ax[2].legend(loc="upper right")


ENTROPY_LENGTH = Figure(
    name="tasc.entropy-length",
    title="Entropy tells the compressed length, and the number of new tokens tells it at least as well",
    source="TASC, Appendix E and 6.1",
    study=enriched_study,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
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
