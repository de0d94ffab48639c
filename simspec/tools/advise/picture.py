"""The picture of an advice: speed against the number of drafts, a line for each rule of the first setting."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.checks import needs
from simspec.tools.advise.advice import Advice

__all__ = ["picture"]


def picture(advice: Advice) -> Any:
    """Figure: speed against drafts a call; the best number of drafts is marked, with the interval of its speed.

    >>> from simspec.tools.advise import Plan, advise
    >>> from simspec.tools.reading import Pairs
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> picture(advise(half, Plan(rules=("sd",)))).axes[0].get_xlabel()
    'drafts a target call'
    """
    (mpl,) = needs("drawing", "matplotlib.figure")

    from simspec.engine.show.plots import COLOURS

    drawn = mpl.Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = drawn.subplots()
    for at, row in enumerate(advice.first):
        colour, line = COLOURS[at % len(COLOURS)], "-" if row.lossless else "--"
        axes.plot(advice.gammas, row.speeds, line, color=colour, lw=1.2, label=row.rule)
        ends = [[row.speedup.estimate - row.speedup.low], [row.speedup.high - row.speedup.estimate]]
        bars = ends if np.isfinite(ends).all() else None
        axes.errorbar(row.gamma, row.speedup.estimate, bars, fmt="o", color=colour, ms=4, lw=1)
    axes.axhline(1, color="0.4", lw=0.8, ls=":")
    axes.set_xlabel("drafts a target call")
    axes.set_ylabel("speed against the target alone")
    axes.set_title(f"{advice.source}: cost {advice.cost:g}; dashed: the text changes", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    drawn.legend(loc="outside right center", fontsize=8, frameon=False)
    return drawn
