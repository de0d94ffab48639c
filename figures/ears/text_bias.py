"""Total variation of whole texts over their length, on a logarithmic scale: by rule, and one rule with its bounds."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, labelled
from simspec.figures.table import Rows

TITLES = {"rules": "by rule", "bounds": "EARS at β = 0.1 and what bounds it"}
STYLE: dict[str, dict[str, Any]] = {  # EARS in blues, darker where more is forgiven
    "EARS, β = 0.05": {"color": "#56B4E9", "marker": "o"},
    "EARS, β = 0.1": {"color": "#0072B2", "marker": "o"},
    "EARS, β = 0.2": {"color": "#003F63", "marker": "o"},
    "lenience, 0.8": {"color": "#E69F00", "marker": "s"},
    "sum of the tokens' biases": {"color": "#777777", "marker": "", "linestyle": "-."},
    "lower bound": {"color": "#000000", "marker": "", "linestyle": ":"},
    "upper bound": {"color": "#000000", "marker": "", "linestyle": "--"},
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw the distance of the text laws over the number of tokens."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for name in rows.of(panel).series():
            curve(axes, rows.of(panel, name), **STYLE.get(name, {}))
        axes.set_xscale("log", base=2)
        axes.set_xticks(sorted(set(rows.column("x"))), [f"{x:g}" for x in sorted(set(rows.column("x")))])
        axes.set_title(TITLES[panel])
        axes.set_xlabel("tokens of the text")
        axes.set_ylim(-0.02, 1.02)
        labelled(axes)
    ax[0].set_ylabel("total variation of the text laws")
