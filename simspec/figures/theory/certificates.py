"""Certificates of greedy drafts: the radius by margin and branches, and what they certify of real steps beside what is accepted.

The picture: on the left the least KL(p‖q) of a law whose likeliest tokens miss the target's, a curve for each number of
branches; on the right the share of steps that each criterion certifies and accepts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simspec.certificates import margin_radius
from simspec.engine.estimates.intervals import documents
from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.studies.radii import BRANCHES, CRITERIA, certified_steps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CERTIFICATES"]

_BRANCHES = (1, 2, 4, 8)
_MARGINS = 100
_NAMES = (*CRITERIA, *(f"tree {m}" for m in BRANCHES))
_RADIUS = "least divergence, by margin"
_SHARES = "steps of the wiki bank"


def _study(rows: int = 300, temperature: float = 1) -> Study:
    steps = certified_steps(open_bank("wiki"), "wiki", rows, temperature)
    curves = tuple({"branches": m, "rows": _MARGINS + 1} for m in _BRANCHES)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        if "branches" not in cell:
            return steps.simulate(cell, rows, device)
        margins = np.asarray(rows.numbers) / _MARGINS
        return {"margin": margins, "radius": margin_radius(margins, cell["branches"])}

    return replace(steps, name="certificates", grid=(*curves, *steps.grid), simulate=simulate)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        v = result.values
        if "branches" in result.cell:
            m = result.cell["branches"]
            name = "1 branch: greedy decoding" if m == 1 else f"{m} branches"
            for margin, radius in zip(v["margin"], v["radius"], strict=True):
                yield Point(_RADIUS, name, float(margin), float(radius))
            continue
        for kind in ("certified", "accepted"):
            for place, name in enumerate(_NAMES):
                share = documents(v[f"{kind} {name}"], v["document"])
                yield point(_SHARES, kind, place, share, label=name.replace(" ", "\n"))


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the radii over the margin, and bars of shares by criterion."""
    for place, name in enumerate(rows.of(_RADIUS).series()):
        marks.curve(ax[0], rows.of(_RADIUS, name), place=place, marker="")
    ax[0].set_title(_RADIUS)
    ax[0].set_xlabel("margin p₁ − p₂")
    ax[0].set_ylabel("certified radius of KL(p‖q), nats")
    ax[0].legend()
    marks.bars(ax[1], rows.of(_SHARES))
    ax[1].tick_params(axis="x", labelsize=7)
    ax[1].set_title(_SHARES)
    ax[1].set_xlabel("criterion")
    ax[1].set_ylabel("share of steps")
    ax[1].set_ylim(0, 1)
    ax[1].legend()


CERTIFICATES = Figure(
    name="theory.certificates",
    title="A divergence certifies few of the steps that are accepted; each further branch certifies more",
    source="Sharma 2026",
    study=_study,
    sizes={"quick": {"rows": 40}},
    compact=_compact,
    draw=_draw,
    data="the radius in closed form; 300 contexts of the wiki bank at temperature 1, the likeliest tokens of its draft",
    intervals="bootstrap over documents, 95 % each; none for the radius",
    claims=("greedy.tree-margin", "greedy.coverage"),
    shape=(1, 2),
    size=(10.4, 4.0),
)
