"""RDK, Figure 2: histograms of each position's mean, standard deviation and largest logit, bank by bank."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import colour, dots, guide, steps
from simspec.figures.table import Rows

NAMES = {"wiki": "wiki, 16,384 tokens", "stories": "stories, 2,048 tokens", "gpt2": "GPT-2, 50,257 tokens"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw a row of histograms for each bank, of five vectors each one; what the paper says is marked."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        bank, what = panel.split(": ")
        if bank == "gpt2":
            _vectors(axes, rows.of(panel))
        else:
            steps(axes, rows.of(panel))
            axes.set_ylim(0, None)
        top = axes.get_ylim()[1]
        if what == "standard deviation":
            axes.set_xlim(0, 5.5)
            for edge in (2, 4):
                guide(axes, [edge, edge], [0, top])
        else:
            guide(axes, [0, 0], [0, top])
        if bank == "wiki":
            axes.set_title({"standard deviation": "standard deviation\n(printed: mostly 2 to 4)"}.get(
                what, f"{'largest logit' if what == 'maximum' else 'mean logit'}\n(printed: mostly below 0)"
            ))  # fmt: skip
        if what == "mean":
            axes.set_ylabel(f"{NAMES[bank]}\n{'five vectors' if bank == 'gpt2' else 'share of positions'}")


def _vectors(axes: Any, own: Rows) -> None:
    """Draw a stem for each vector, where there are too few for a histogram."""
    axes.vlines(own.column("x"), 0, own.column("y"), color=colour("gpt2")[0], linewidth=1)
    dots(axes, Rows(p for p in own if p.y))
    axes.set_ylim(0, 0.4)
    axes.set_yticks([])
