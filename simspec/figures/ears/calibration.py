"""Calibration of the uncertainty signals: one minus the largest probability against entropy, context by context.

The picture: each context's uncertainty by two cheap signals over its entropy, and how well they rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.engine.study import Result, Study
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.studies.ears.real import PAIRS
from simspec.studies.ears.uncertainty import SIGNALS, kendall_interval, uncertainty_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CALIBRATION"]

_PAIRS = ("one minus max", "variance")


_KINDS = {"smollm2, answers": "answers", "smollm2, texts": "texts"}
"""Kinds of text of SmolLM2's bank by the name in the cells."""
_BANKS = {"wiki": "wiki bank", "smollm2, answers": "SmolLM2, its answers", "smollm2, texts": "SmolLM2, corpus texts"}


def _study(rows: int = 300, temperature: float = 1.0, *, positions: int | None = None) -> Study:
    """Signals of `rows` contexts of each source; of SmolLM2's recorded positions of each kind of text all, or so many."""
    smollm2 = open_bank("smollm2")
    banks = {"wiki": open_bank("wiki"), **{name: smollm2.of_kind(kind) for name, kind in _KINDS.items()}}
    study = uncertainty_ranks(banks, _BANKS, PAIRS[:1], rows, (temperature,))
    first, answers, texts, *synthetic = study.grid
    wiki = {**first, "rows": min(rows, first["rows"])}
    recorded = tuple({**cell, "rows": min(positions or cell["rows"], cell["rows"])} for cell in (answers, texts))
    largest = max(rows, *(cell["rows"] for cell in recorded))
    return replace(study, grid=(wiki, *synthetic, *recorded), rows=largest)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        panel = _BANKS[result.cell["bank"]] if "bank" in result.cell else "Gaussian logits"
        entropy = result.values[SIGNALS[2]]
        for name in _PAIRS:
            signal = result.values[name]
            tau = kendall_interval(signal, entropy, result.values["document"], resamples=2_000)
            label = f"Kendall's τ {tau.estimate:.2f} [{tau.low:.2f}, {tau.high:.2f}]"
            for at in np.argsort(entropy):
                yield Point(panel, name, float(entropy[at]), float(signal[at]), label=label)


_FEW = 400
"""Marks of more contexts are smaller and paler."""
_LABELS = {"one minus max": "1 − max p", "variance": "1 − Σ p²"}
INKS = ("#0072B2", "#D55E00")


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a mark for each context, one colour a signal, and its rank correlation in the legend."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for at, (name, words) in enumerate(_LABELS.items()):
            own = rows.of(panel, name)
            style: dict[str, Any] = {
                "linestyle": "",
                "markersize": 2.5 if len(own) <= _FEW else 1.6,
                "alpha": 0.6 if len(own) <= _FEW else 0.35,
            }
            marks.curve(axes, own, f"{words}: {own[0].label}", color=INKS[at], marker="o^"[at], **style)
        axes.set_title(panel)
        axes.set_xlabel("entropy of the target's law, nats")
        axes.set_ylim(0, 1.02)
        axes.legend(loc="lower right", markerscale=2)
    ax[0].set_ylabel("signal of uncertainty")


CALIBRATION = Figure(
    name="ears.calibration",
    title="Do the cheap signals rank positions as entropy does?",
    source="EARS, first experiment 3",
    study=_study,
    sizes={"quick": {"rows": 12, "positions": 40}},
    compact=_compact,
    draw=_draw,
    data="target laws of simulated Gaussian logits (scale 2, V = 1,000), of the wiki bank, and of all recorded positions of "
    "SmolLM2-135M-Instruct (bank smollm2: 1,008 of its own answers, which decide, beside them 336 of corpus texts; the stored "
    "entropies are those of the whole laws), at temperature 1; Kendall's τ with its 95 % bootstrap interval over documents is "
    "written beside each signal",
    claims=("ears.calibration", "ears.other-uncertainty"),
    shape=(1, 4),
    size=(16.8, 3.9),
)
