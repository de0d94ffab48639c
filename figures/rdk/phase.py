"""Maps of acceptance differences: scale of the logits over the share of tokens kept, a column for each tail."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import spread
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw every map on one scale of colours, with its numbers; heavy pruning to the right."""
    panels = sorted(rows.panels(), key=lambda panel: rows.series().index(rows.of(panel)[0].series))
    for at, (axes, panel) in enumerate(zip(ax, panels, strict=True)):
        own = rows.of(panel)
        shown = spread(axes, own, cmap="RdBu_r", vmin=-1, vmax=1)
        axes.invert_xaxis()
        _numbers(axes, own)
        row, tail = panel.rsplit(", ", 1)
        axes.set_title(f"{row}, {tail}" if at % 3 == 0 else tail)
        axes.grid(visible=False)
        if at % 3 == 0:
            axes.set_ylabel("scale of the logits")
        if at >= len(ax) - 3:
            axes.set_xlabel("tokens kept, %")
    ax[0].figure.colorbar(shown, ax=ax, shrink=0.5, label="difference of acceptance rates")


def _numbers(axes: Any, rows: Rows) -> None:
    x, y = (sorted(set(rows.column(name))) for name in "xy")
    for p in rows:
        number = "0" if abs(p.z) < 0.005 else f"{p.z:+.2f}".replace("0.", ".").replace("-", "−")
        text = "○" if p.label else number
        ink = "white" if abs(p.z) > 0.6 else "black"
        axes.text(x.index(p.x), y.index(p.y), text, ha="center", va="center", fontsize=6, color=ink)
