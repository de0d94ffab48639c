"""Algorithm 1 against linear time: errors below their bounds, acceptance over the temperature, operations counted."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide, labelled
from simspec.figures.table import Rows

_LOOKS = {
    "affine": {"color": "#5E3C99", "marker": "v"},
    "normalised": {"color": "#009E73", "marker": "^"},
    "exponential": {"color": "#0072B2", "marker": "s"},
    "first order": {"color": "#E69F00", "marker": "d"},
    "Algorithm 1": {"color": "#D55E00", "marker": "D"},
    "drafted rows only": {"color": "#D55E00", "marker": "D", "linestyle": "--"},
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw two panels of errors with their bounds, one of acceptance rates and one of operations."""
    _errors(ax[0], rows.of("Ω = c pᵀ"), "Ω = c pᵀ exactly: error of the three forms")
    _errors(ax[1], rows.of("Ω real"), "Ω of real logits: error of the general form")
    _named(ax[2], rows.of("acceptance"))
    ax[2].set_xscale("log", base=2)
    ax[2].set_xlabel("temperature τ / max Ω")
    ax[2].set_ylabel("acceptance rate")
    ax[2].set_ylim(0)
    ax[2].set_title("real logits, 1 % of the tokens kept")
    _named(ax[3], rows.of("operations"))
    ax[3].set_xscale("log", base=2)
    ax[3].set_yscale("log")
    ax[3].set_xlabel("vocabulary V")
    ax[3].set_ylabel("operations of one step")
    ax[3].set_title("operations, counted")
    for axes in ax:
        labelled(axes, 0.06)


def _named(axes: Any, rows: Rows) -> None:
    for place, name in enumerate(rows.series()):
        curve(axes, rows.of(series=name), place=place, **_LOOKS.get(name, {}))


def _errors(axes: Any, rows: Rows, title: str) -> None:
    for name in rows.series():
        form, what = name.split(", ")
        own = rows.of(series=name)
        if what == "error":
            curve(axes, own, **{"label": form, "linestyle": "-", **_LOOKS[form]})
        else:
            look = {**_LOOKS[form], "marker": "", "linestyle": "--", "linewidth": 1}
            curve(axes, own, band=False, **{**look, "label": f"_{name}"})
    middle = sorted({p.x for p in rows})[len({p.x for p in rows}) // 2]
    top = max((p for p in rows if p.x == middle), key=lambda p: p.y)
    axes.annotate("proved bound", (top.x, top.y), xytext=(4, 4), textcoords="offset points", fontsize=8)
    x = [min(rows.column("x")) * 8, max(rows.column("x"))]
    least = min(rows.column("y")) / 20
    guide(axes, x, [least * (x[1] / at) ** 2 for at in x])
    axes.annotate("τ⁻²", (x[0], least * (x[1] / x[0]) ** 2), color="0.35", fontsize=8, ha="right", va="top")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("temperature τ / max Ω")
    axes.set_ylabel("‖r̂ − Mᵀq′‖₁")
    axes.set_title(title)
