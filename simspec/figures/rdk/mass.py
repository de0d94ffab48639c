"""RDK, Figure 6: where each scheme's mass goes after pruning 200,000 tokens to 500.

The picture: the laws over the target's ranks, and each scheme's mass in four parts for two ways to prune.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Result, Study
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.studies.rdk.drafter_mass import PARTS, SCHEMES, drafter_mass
from simspec.studies.rdk.synthetic_laws import ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MASS"]

_NAMES = {
    "target": "target",
    "none": "no transfer",
    "tli": "TLI",
    "rdk prior": "RDK",
    "rdk leaking": "RDK, leaking",
    "uniform": "uniform",
    "mixture": "TLI with uniform",
}
_SHOWN = ("target", "uniform", "tli", "rdk prior")


def _study(vocab: int = 200_000, kept_tokens: int = 500, df: float = 30, scale: float = 2, rows: int = 60) -> Study:
    if kept_tokens > vocab:
        raise ValueError(f"kept_tokens: {kept_tokens}; expected at most vocab, {vocab}")
    return drafter_mass(vocab, kept_tokens, df=df, scale=scale, rows=rows)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    likely = next(r for r in results if r.cell["order"] == "likely")
    at = ranks(likely.cell["vocab"])
    for name in _SHOWN:
        for i, rank in enumerate(at):
            yield point("laws", _NAMES[name], rank, student(likely.values[f"{name} at"][:, i], 0.95, 0, 1))
    for result in results:
        panel = {"likely": "the target's likeliest are kept", "random": "random tokens are kept"}[result.cell["order"]]
        for i, mass_part in enumerate(PARTS):
            for place, name in enumerate(SCHEMES):
                mass = student(result.values[name][:, i], 0.95, 0, 1)
                yield point(panel, mass_part, place, mass, _NAMES[name])


_PARTS = {
    "kept accepted": ("#005F46", "accepted, on kept tokens"),
    "pruned accepted": ("#5CC8A5", "accepted, on pruned tokens"),
    "kept rejected": ("#9A9A9A", "rejected, on kept tokens"),
    "pruned rejected": ("#DADADA", "rejected, on pruned tokens"),
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the law of each scheme, then its parts; the height of the green ones is the acceptance rate."""
    left = rows.of("laws")
    for name in left.series():
        look = {"linewidth": 6, "alpha": 0.35, "linestyle": "-"} if name == "uniform" else {}
        positive = Points(p for p in left.of(series=name) if p.y > 0)
        marks.curve(ax[0], positive, **{"marker": "", **look})
    ax[0].set_xscale("log")
    ax[0].set_yscale("log")
    ax[0].set_ylim(1e-10, 1)
    ax[0].set_xlabel("rank of the token for the target")
    ax[0].set_ylabel("probability")
    ax[0].set_title("what is drawn from, likeliest kept")
    marks.labelled(ax[0], 0.07)
    for axes, panel in zip(ax[1:], rows.panels()[1:], strict=True):
        own = rows.of(panel)
        marks.stacks(axes, own, [_PARTS[name][0] for name in own.series()])
        _write_acceptance(axes, own)
        for label in axes.get_xticklabels():
            label.set(rotation=35, ha="right", rotation_mode="anchor")
        axes.set_title(panel)
        axes.set_ylim(0, 1)
        axes.grid(visible=False, axis="x")
    ax[1].set_ylabel("mass of the drafter")
    handles, names = ax[2].get_legend_handles_labels()
    ax[2].legend(handles[::-1], [_PARTS[name][1] for name in names[::-1]], loc="center left", bbox_to_anchor=(1, 0.5))


def _write_acceptance(axes: Axes, rows: Points) -> None:
    """Write the acceptance into its bar, or above where the bar is low."""

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


MASS = Figure(
    name="rdk.mass",
    title="Where the mass goes when 500 of 200,000 tokens are kept: RDK without the target's law is uniform",
    source="RDK, Figure 6",
    study=_study,
    sizes={"quick": {"vocab": 2_000, "kept_tokens": 5, "rows": 3}, "deep": {"rows": 240}},
    compact=_compact,
    draw=_draw,
    data="synthetic Student-t logits of equal law, df 30, scale 2, V = 200,000; the drafter is the pruned target; "
    "the last bar is half TLI, half uniform on the pruned tokens; a green number is an acceptance rate",
    intervals="Student-t, 95 % each (bands on the left; those of the bars stand in the rows)",
    claims=("rdk.plateau-wins", "rdk.linear-is-mixture"),
    shape=(1, 3),
    size=(11.5, 4.0),
)
