"""Paths of the threshold: how far the mean dropped mass is from its target after each token, and both certificates.

The picture: how far the mean dropped mass of three texts is from its target, over the number of tokens, below the certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.engine.study import Cell, Result, Rows, Study, Values, cross
from simspec.figures import marks
from simspec.figures.data import LAWS, bank_of, cells, pair, words
from simspec.figures.figure import Figure
from simspec.figures.table import Point, Points
from simspec.kernels import random as philox
from simspec.methods.csqs.thresholds import ranked, threshold_path
from simspec.studies.csqs.threshold_paths import dropped_bounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PATHS"]

STEP_SIZES = (0.01, 0.1, 1.0)
TARGET = 0.05
FIRST = 0.01
TEXTS = 3
_POOL = 60
"""Most contexts that texts are drawn from."""
_PAIRS = LAWS[:3]
_ORDER = 6


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    """Texts of contexts drawn from a pool, one text a row; the same pool for every row."""
    pool = min(_POOL, bank_of(cell).contexts) if "bank" in cell else _POOL
    _, q = pair(cell, Rows(rows.key, range(pool)))
    length = int(cell["length"])
    u = philox.uniform(rows.key, rows.numbers, range(length), _ORDER)
    order = np.minimum((u * len(q)).astype(np.int64), len(q) - 1)
    laws = ranked(q)
    dropped = np.stack(
        [
            np.asarray(
                threshold_path(laws, FIRST, cell["step_size"], TARGET, text_contexts, keep_top=False).dropped,
                dtype=float,
            )
            for text_contexts in order
        ]
    )
    return {"mean": np.cumsum(dropped.reshape(len(order), -1), axis=1) / np.arange(1, length + 1)}


def _study(length: int = 4096, vocab: int = 1000, temperature: float = 1, *, laws: tuple[str, ...] = _PAIRS) -> Study:
    return Study(
        name="sqs-paths",
        question="How fast does the mean dropped mass approach its target?",
        grid=tuple(
            {**pair_of_laws, **cell}
            for pair_of_laws in cells(laws, vocab, temperature, TEXTS)
            for cell in cross(step_size=STEP_SIZES, length=(length,))
        ),
        simulate=_simulate,
        rows=TEXTS,
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    """Distances from the target, on which a logarithmic axis shows the rate."""
    for result in results:
        step = result.cell["step_size"]
        length = result.cell["length"]
        panel = f"{words(result.cell)}, η = {step:g}"
        steps = np.unique(np.geomspace(1, length, 60).round().astype(int))
        for text in range(TEXTS):
            for n in steps:
                yield Point(
                    panel, f"text {text + 1}", float(n), abs(float(result.values["mean"][text, n - 1]) - TARGET)
                )
        for side, name in enumerate(("certificate, below", "certificate, above")):
            for n in steps:
                yield Point(panel, name, float(n), abs(dropped_bounds(FIRST, step, TARGET, int(n))[side] - TARGET))


STYLE: dict[str, dict[str, Any]] = {
    "certificate, above": {"color": "#000000", "linestyle": "--"},
    "certificate, below": {"color": "#000000", "linestyle": ":"},
    "text 1": {"color": "#0072B2"},
    "text 2": {"color": "#009E73"},
    "text 3": {"color": "#CC79A7"},
}
WORDS = {
    "certificate, above": "certificate of a mean\nabove the target",
    "certificate, below": "certificate of a mean\nbelow the target",
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw texts as thin lines, what certifies a mean above its target dashed, and below it dotted."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name, style in STYLE.items():
            settings: dict[str, Any] = {"marker": "", "linestyle": "-", "linewidth": 1.1, **style}
            marks.curve(axes, rows.of(panel, name), WORDS.get(name, name), **settings)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(1e-6, 1.2)
        axes.set_title(panel)
    for axes in ax[-3:]:
        axes.set_xlabel("tokens")
    for axes in ax[::3]:
        axes.set_ylabel("|mean dropped mass − target|")
    ax[2].legend(loc="upper left", bbox_to_anchor=(1.01, 1))


PATHS = Figure(
    name="sqs.threshold-paths",
    title="The mean dropped mass of C-SQS comes to its target within a certificate for either side",
    source="beyond the paper; SQS, Theorem 2",
    study=_study,
    sizes={"quick": {"length": 32, "laws": _PAIRS[:1]}},
    compact=_compact,
    draw=_draw,
    data="texts of contexts drawn from 60 draft laws of Gaussian logits (V = 1,000) and of the wiki bank, and from the 39 whole "
    "rows of SmolLM2-135M-Instruct with its weights rounded to 3 bits in answers of the target (bank smollm2); target 0.05, "
    "first threshold 0.01, Eq. 6 read literally; the certificate holds for any laws",
    claims=("csqs.two-sided", "csqs.average-dropped", "csqs.asymptotic"),
    shape=(3, 3),
    size=(10.5, 8.6),
)
