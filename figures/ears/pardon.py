"""Left: how many drafts the pardon lets in; right: how far their law lies from the target's, beside the others'."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, labelled
from simspec.figures.table import Rows

INKS = {"Gaussian logits": "#0072B2", "wiki bank": "#D55E00"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw both quantities over β; the two kinds of laws keep their colours."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for name in rows.of(panel).series():
            dashes, mark = (":", "s") if name.startswith("standard") else ("-", "o")
            curve(axes, rows.of(panel, name), color=INKS[name.split(", ")[-1]], linestyle=dashes, marker=mark)
        axes.set_xlabel("tolerance β")
        axes.set_ylim(bottom=0)
        labelled(axes)
    ax[0].set_ylabel("share of drafts accepted by pardon")
    ax[1].set_ylabel("KL of accepted tokens to the target, nats")
