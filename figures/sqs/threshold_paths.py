"""How far the mean dropped mass of three texts is from its target, over the number of tokens, below the certificate."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve
from simspec.figures.table import Rows

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


def draw(ax: Any, rows: Rows) -> None:
    """Draw texts as thin lines, what certifies a mean above its target dashed, and below it dotted."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name, style in STYLE.items():
            settings: dict[str, Any] = {"marker": "", "linestyle": "-", "linewidth": 1.1, **style}
            curve(axes, rows.of(panel, name), WORDS.get(name, name), **settings)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(1e-6, 1.2)
        axes.set_title(panel)
    for axes in ax[-3:]:
        axes.set_xlabel("tokens")
    for axes in (ax[0], ax[3]):
        axes.set_ylabel("|mean dropped mass − target|")
    ax[2].legend(loc="upper left", bbox_to_anchor=(1.01, 1))
