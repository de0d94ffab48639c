"""Acceptance by position of the draft: given all before, and of all calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simspec.engine.study import Result
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.figures.tasc.drafts import BOOTSTRAP, DRAWN, SETTINGS, SIZES, live, ratio
from simspec.figures.tasc.tasks import LIBRARY, LIVE
from simspec.studies.tasc.ngram_drafts import GAMMA

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["POSITIONS"]

_FEWEST = 20
"""Drafts that must have been looked at for a share to be shown."""


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        panel = f"{LIVE[result.cell['corpus']]}, {DRAWN[result.cell['verify']]}"
        v = result.values
        for series, whole in (("once all before were accepted", "reached"), ("of all calls", "offered")):
            for i in range(GAMMA):
                if v[f"mixed {whole}"][:, i].sum() >= _FEWEST:
                    yield point(panel, series, i + 1, ratio(v["mixed accepted"][:, i], v[f"mixed {whole}"][:, i]))


STYLE: dict[str, dict[str, Any]] = {
    "once all before were accepted": {"color": "#0072B2", "marker": "o"},
    "of all calls": {"color": "#777777", "marker": "s", "linestyle": "--"},
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw both shares on one scale, task by task and way by way."""
    for axes, panel in zip(ax, [*rows.panels(), *[""] * (len(ax) - len(rows.panels()))], strict=True):
        for name in rows.of(panel).series():
            marks.curve(axes, rows.of(panel, name), **STYLE[name])
        axes.set_title(panel)
        axes.set_ylim(0, 1)
        axes.set_xlim(0.8, 8.2)
        axes.set_xlabel("position of the draft")
    ax[0].set_ylabel("share accepted")
    ax[0].legend(loc="upper right")
    ax[1].text(0.97, 0.97, "calls that get far are a\nselection of the easier ones", transform=ax[1].transAxes, fontsize=8,
               color="0.35", ha="right", va="top")  # fmt: skip


POSITIONS = Figure(
    name="tasc.positions",
    title="Fewer calls reach a later draft; given that they do, acceptance need not fall",
    source="TASC, Figure 4",
    study=live,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
    data=f"TASC-spec on {LIBRARY}; {SETTINGS}; verified against the task's own outputs, or by sampling from an n-gram "
    "stand-in; calls that get far are a selection of the easier ones; positions looked at fewer than "
    f"{_FEWEST} times are left out",
    intervals=BOOTSTRAP,
    claims=("tasc.position-decay", "tasc.position-decay-corrected"),
    shape=(1, 4),
    size=(11.5, 3.6),
    missing="the paper's targets, models tuned to Asclepius and MedQuAD, are not at hand",
)
