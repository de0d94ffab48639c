"""Acceptance against bias of all relaxed rules on the same pairs, under the proved envelope.

The picture: acceptance over total variation of the output law: each rule's curve, and the most that any rule can have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.data import IN_WORDS, LAWS, cells, in_blocks, interval, words
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.laws import Array, overlap
from simspec.methods import SD, Method, curve, ears, fresh, lenience, mixture, typical

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FRONT"]

RULES: dict[str, tuple[Method, ...]] = {
    "SD": (SD,),
    "EARS": tuple(ears(b) for b in (0.02, 0.05, 0.1, 0.2, 0.3)),
    "EARS, fresh draw": tuple(replace(ears(b), residual=fresh) for b in (0.0, 0.05, 0.1, 0.2)),
    "lenience": tuple(lenience(s) for s in (0.95, 0.9, 0.8, 0.6, 0.4)),
    "mixture": tuple(mixture(w) for w in (0.05, 0.1, 0.2, 0.4)),
    "typical": tuple(typical(e, e**0.5) for e in (0.3, 0.09, 0.03)),
}


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    def values(p: Array, q: Array) -> dict[str, Array]:
        columns: dict[str, Array] = {"overlap": overlap(p, q)}
        for name, rules in RULES.items():
            curve_rows = curve([(str(i), rule) for i, rule in enumerate(rules)], p, q)
            columns[f"acceptance {name}"] = np.stack([row.acceptance for row in curve_rows], axis=-1)
            columns[f"tv {name}"] = np.stack([row.tv for row in curve_rows], axis=-1)
        return columns

    return in_blocks(cell, rows, values)


def _study(rows: int = 300, vocab: int = 1000, temperature: float = 1) -> Study:
    return Study(
        name="relaxed-front",
        question="How much acceptance does each relaxed rule gain, and at what bias?",
        grid=cells(LAWS, vocab, temperature, rows),
        simulate=_simulate,
        rows=rows,
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        panel = words(result.cell)
        values = result.values
        for name, rules in RULES.items():
            for i in range(len(rules)):
                bias = float(values[f"tv {name}"][:, i].mean())
                yield point(panel, name, bias, interval(result, values[f"acceptance {name}"][:, i]))
        base = float(values["overlap"].mean())  # the mean of each context's own bound is at most this line
        for bias in (0.0, 1 - base, 0.5):
            yield Point(panel, "envelope", bias, min(1.0, base + bias))


STYLE: dict[str, dict[str, Any]] = {  # hollow and of three sizes, so that rules on the same line are all seen
    "SD": {"marker": "*", "markersize": 11},
    "EARS": {"markersize": 9, "markerfacecolor": "none", "linestyle": ""},
    "lenience": {"markersize": 6, "markerfacecolor": "none", "linestyle": ""},
    "mixture": {"markersize": 4, "linestyle": ""},
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw every rule; nothing lies above the dashed line."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for at, name in enumerate(rows.of(panel).series()):
            marks.curve(axes, rows.of(panel, name), place=at, **{"zorder": 3, **STYLE.get(name, {})})
        axes.set_title(panel)
        axes.set_xlim(-0.02, 0.46)
        axes.set_ylim(min(0.48, min(rows.of(panel).column("low")) - 0.02), 1.02)
    for axes in ax[2:]:
        axes.set_xlabel("bias: total variation of output and target")
    for axes in ax[::2]:
        axes.set_ylabel("acceptance rate")
    ax[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


FRONT = Figure(
    name="ears.front",
    title="All rules but two lie on the envelope",
    source="beyond the paper; the trade-off of EARS, Mechanism 2",
    study=_study,
    sizes={"quick": {"rows": 8}},
    compact=_compact,
    draw=_draw,
    data=f"the same pairs of laws under every rule: {IN_WORDS}; the dashed line is the most acceptance that any rule can have "
    "at that mean bias",
    intervals="95 % each, of the acceptance: Student-t over simulated pairs, bootstrap over documents of a bank",
    claims=("ears.best-tradeoff", "ears.bias.residual", "ears.fidelity.residual"),
    shape=(2, 2),
    size=(9.6, 7.0),
)
