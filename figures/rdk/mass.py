"""RDK, Figure 6: the laws over the target's ranks, and each scheme's mass in four parts for two ways to prune."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, labelled, stacks
from simspec.figures.table import Rows

_PARTS = {
    "kept accepted": ("#005F46", "accepted, on kept tokens"),
    "pruned accepted": ("#5CC8A5", "accepted, on pruned tokens"),
    "kept rejected": ("#9A9A9A", "rejected, on kept tokens"),
    "pruned rejected": ("#DADADA", "rejected, on pruned tokens"),
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw the law of each scheme, then its parts; the height of the green ones is the acceptance rate."""
    left = rows.of("laws")
    for name in left.series():
        look = {"linewidth": 6, "alpha": 0.35, "linestyle": "-"} if name == "uniform" else {}
        positive = Rows(p for p in left.of(series=name) if p.y > 0)
        curve(ax[0], positive, **{"marker": "", **look})
    ax[0].set_xscale("log")
    ax[0].set_yscale("log")
    ax[0].set_ylim(1e-10, 1)
    ax[0].set_xlabel("rank of the token for the target")
    ax[0].set_ylabel("probability")
    ax[0].set_title("what is drawn from, likeliest kept")
    labelled(ax[0], 0.07)
    for axes, panel in zip(ax[1:], rows.panels()[1:], strict=True):
        own = rows.of(panel)
        stacks(axes, own, [_PARTS[name][0] for name in own.series()])
        _write_acceptance(axes, own)
        for name in axes.get_xticklabels():
            name.set(rotation=35, ha="right", rotation_mode="anchor")
        axes.set_title(panel)
        axes.set_ylim(0, 1)
        axes.grid(visible=False, axis="x")
    ax[1].set_ylabel("mass of the drafter")
    handles, names = ax[2].get_legend_handles_labels()
    ax[2].legend(handles[::-1], [_PARTS[name][1] for name in names[::-1]], loc="center left", bbox_to_anchor=(1, 0.5))


def _write_acceptance(axes: Any, rows: Rows) -> None:
    def on_kept(place: float) -> float:
        return sum(p.y for p in rows if p.x == place and p.series == "kept accepted")

    for place in sorted(set(rows.column("x"))):
        accepted = sum(p.y for p in rows if p.x == place and p.series.endswith("accepted"))
        within = accepted > 0.1
        axes.text(
            place,
            accepted + (-0.012 if within else 0.012),
            f"{accepted:.3f}",
            ha="center",
            va="top" if within else "bottom",
            color="white" if within and on_kept(place) == accepted else "black",
            fontsize=7.5,
        )
