"""Tokens of a call and speed-up: what measured acceptance makes possible beside the formula for independent steps."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide, labelled, points
from simspec.figures.table import Rows

_INKS = {"0.02": "#0072B2", "0.1": "#D55E00", "0.3": "#009E73"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw tokens of a call on real and synthetic laws, then speed-up over the drafts of a call and over acceptance."""
    for name, look in {"all steps alike": "-", "independent steps": "--"}.items():
        curve(ax[0], rows.of("real", name), color="black", linestyle=look, marker="o" if look == "-" else "")
    ax[0].set_title("real contexts (wiki)")
    _coins(ax[1], rows.of("drawn"))
    for axes in ax[:2]:
        axes.set_ylabel("tokens of a target call")
    _costs(ax[2], rows.of("cost"))
    _best(ax[3], rows.of("best"))
    for axes in ax[:3]:
        axes.set_xlabel("drafts of a call, γ")
        axes.set_xticks([1, 2, 4, 8, 12, 16])
    for axes in ax:
        labelled(axes, 0.06)


def _coins(axes: Any, rows: Rows) -> None:
    inks = {"one pair of laws": "#777777", "easy and hard stretches": "#000000"}
    for name, ink in inks.items():
        curve(axes, rows.of(series=f"{name}, formula"), color=ink, linestyle="--", marker="", label=f"_{name}")
        curve(axes, rows.of(series=f"{name}, coins"), color=ink, linestyle="-", marker="o", label=name)
    axes.set_title("synthetic texts, drawn with coins (dashed: formula)")


def _costs(axes: Any, rows: Rows) -> None:
    for name in rows.series():
        kind, cost = name.rsplit(", ", 1)
        alike = kind == "all steps alike"
        look = {"linestyle": "-" if alike else "--", "marker": "o" if alike else ""}
        label = f"draft costs {cost}" if alike else f"_{name}"
        curve(axes, rows.of(series=name), color=_INKS[cost], label=label, markersize=3, **look)
    guide(axes, [1, 16], [1, 1])
    axes.set_ylabel("speed-up")
    axes.set_title("real contexts: all steps alike, dashed: independent")


def _best(axes: Any, rows: Rows) -> None:
    for name in rows.series():
        kind, cost = name.rsplit(", ", 1)
        if kind == "formula":
            line = curve(axes, rows.of(series=name), color=_INKS[cost], marker="", linestyle="--")
            line.set_label(f"costs {cost}")
        else:
            points(axes, rows.of(series=name), color=_INKS[cost], marker="o", label=f"_{name}")
    guide(axes, [0, 1], [1, 1])
    axes.set_yscale("log")
    axes.set_yticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    axes.minorticks_off()
    axes.set_xlabel("acceptance rate α")
    axes.set_ylabel("speed-up at the best γ")
    axes.set_title("dashed: formula; marks: real contexts, all steps alike")
