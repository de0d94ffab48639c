"""Bits of a draft law: what the codec really sends beside the formula, over the number of tokens kept.

The picture: bits over the number of tokens kept: what is sent as marks, the formula as lines, the dense lattice across.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.data import LAWS, cells, document, interval, pair, words
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.methods import dense_bits, encode, payload_bits, quantise, sparsify, top_mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BITS"]

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
RESOLUTIONS = (100, 1000)


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    _, q = pair(cell, rows)
    sent = np.empty((len(q), len(RESOLUTIONS), len(SIZES)))
    for n, law in enumerate(q):
        for r, resolution in enumerate(RESOLUTIONS):
            for i, k in enumerate(SIZES):
                mask = top_mask(law, k)
                sent[n, r, i] = encode(quantise(sparsify(law, mask), resolution, mask), mask).length
    return {"sent": sent, "vocab": np.full(len(q), float(q.shape[-1])), "document": document(cell, rows)}


def _study(rows: int = 40, vocab: int = 1000, temperature: float = 1, *, laws: tuple[str, ...] = LAWS) -> Study:
    return Study(
        name="sqs-bits",
        question="How many bits does the codec send for a draft law?",
        grid=cells(laws, vocab, temperature, rows),
        simulate=_simulate,
        rows=rows,
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        panel = words(result.cell)
        vocab = int(result.values["vocab"][0])
        for r, resolution in enumerate(RESOLUTIONS):
            for i, k in enumerate(SIZES):
                sent_interval = interval(result, result.values["sent"][:, r, i], highest=np.inf)
                yield point(panel, f"sent, ℓ = {resolution}", k, sent_interval)
        for resolution in RESOLUTIONS:
            for k in SIZES:
                yield Point(
                    panel, f"formula, ℓ = {resolution}", k, float(payload_bits(vocab, k=k, resolution=resolution))
                )
            for k in (SIZES[0], 2 * SIZES[-1]):
                yield Point(panel, f"dense, ℓ = {resolution}", k, float(dense_bits(vocab, resolution=resolution)))


INKS = {"100": "#0072B2", "1000": "#D55E00"}
STYLE: dict[str, dict[str, Any]] = {  # hollow marks, so that the line is seen within them
    "sent": {"marker": "o", "linestyle": "", "markersize": 7, "markerfacecolor": "none"},
    "formula": {"marker": "", "linestyle": "-"},
    "dense": {"marker": "", "linestyle": ":"},
}
WORDS = {"sent": "sent by the codec", "formula": "formula", "dense": "dense lattice"}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw one colour a resolution."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            kind, resolution = name.split(", ℓ = ")
            words = f"{WORDS[kind]}, ℓ = {int(resolution):,}"
            marks.curve(axes, rows.of(panel, name), words, color=INKS[resolution], **STYLE[kind])
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_title(panel)
    for axes in ax[2:]:
        axes.set_xlabel("tokens kept, K")
    for axes in ax[::2]:
        axes.set_ylabel("bits of a draft law")
    marks.legend(ax[1], loc="center left", bbox_to_anchor=(1.01, 0.5))


BITS = Figure(
    name="sqs.bits",
    title="The codec sends exactly the bits of the formula",
    source="beyond the paper; SQS, Eqs. 2 and 5",
    study=_study,
    sizes={"quick": {"rows": 2, "laws": LAWS[:1]}, "deep": {"rows": 300}},
    compact=_compact,
    draw=_draw,
    data="draft laws of Gaussian logits (V = 1,000), of the wiki bank (V = 16,384) and of the bank smollm2 (V = 49,152; "
    "SmolLM2-135M-Instruct with its weights rounded to 3 or 4 bits, in answers of the target), the K likeliest tokens kept",
    intervals="95 % each: Student-t over simulated laws, bootstrap over documents of a bank",
    claims=("sqs.bits", "sqs.subset-bits", "sqs.bandwidth", "sqs.bandwidth-support"),
    shape=(2, 2),
    size=(9.6, 7.0),
)
