"""Tokens per call under EARS over those of speculative decoding: a panel for each kind of laws, a curve for each γ."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide, labelled
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw the ratio over β; longer drafts are darker."""
    top = 1.03 * max(rows.column("high"))
    for axes, panel in zip(ax, rows.panels(), strict=True):
        names = rows.of(panel).series()
        for at, name in enumerate(names):
            curve(axes, rows.of(panel, name), place=at, color=str(0.72 - 0.72 * at / (len(names) - 1)))
        guide(axes, (0, 0.5), (1, 1))
        axes.annotate("speculative decoding", (0.5, 1), fontsize=8, color="0.35", ha="right", va="top", xytext=(0, -3),
                      textcoords="offset points")  # fmt: skip
        axes.set_title(panel)
        axes.set_xlabel("tolerance β")
        axes.set_ylim(0.8, top)
        labelled(axes)
    ax[0].set_ylabel("tokens per call, over speculative decoding's")
