"""How a notebook shows what `simspec.verify` returns: a table of the claims, and a picture of estimates and slacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simspec.checks import needs
from simspec.claims.deciding.verdicts import Verdicts, worst_slack
from simspec.engine.show.picture import Picture
from simspec.html import COLOURS, Html, interval, number, table, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_verdicts", "verdicts_html"]

MOST = 60
"""Rows of a table that is shown."""
ZERO = 1e-9
"""Slacks smaller than this are rounding."""
WRONG = ("refuted", "unsupported", "error")
"""Verdicts that are drawn in the second colour."""


def verdicts_html(verdicts: Verdicts) -> Html:
    """A line for each claim: its verdict, and its first estimate or its worst slack."""
    claims = verdicts["claims"]
    lines = [
        [claim["id"], claim["verdict"], claim["kind"], claim["source"], *_evidence_cells(claim)]
        for claim in claims[:MOST]
    ]
    hidden = len(claims) - MOST
    notes = [tag("div", f"{hidden:,} more claims: frame() returns all")] if hidden > 0 else []
    head = ["claim", "verdict", "kind", "source", "estimate or worst slack", "interval", ""]
    return tag("div", tag("div", repr(verdicts)), table(head, lines), *notes)


def _evidence_cells(claim: dict[str, Any]) -> list[Any]:
    """Estimate, interval and its drawing of a claim's first evidence; else the worst slack."""
    if not claim["evidence"]:
        return [number(worst_slack(claim)), "", Html("")]
    first_evidence = claim["evidence"][0]
    low, high = first_evidence["interval"] or (first_evidence["estimate"],) * 2
    span = min(low, 0.0), max(high, 0.0)
    interval_text = f"[{number(low)}, {number(high)}]" if first_evidence["interval"] else "–"
    return [number(first_evidence["estimate"]), interval_text, interval(first_evidence["estimate"], low, high, span)]


def plot_verdicts(verdicts: Verdicts) -> Picture:
    """Estimates with their intervals, and the smallest slack that was met of the other claims.

    Raises ValueError where no claim has either.
    """
    return Picture(_figure(verdicts["claims"]), "verdicts")


def _figure(claims: list[dict[str, Any]]) -> Any:
    """A panel of what was measured, and below it a panel of the smallest slacks; each has a scale of its own."""
    (mpl,) = needs("drawing", "matplotlib.figure")
    measured: list[tuple[dict[str, Any], Any]] = [
        (claim, evidence)
        for claim in claims
        for evidence in (claim["evidence"] or ())
        if not evidence["data"].startswith("beside")
    ]
    slacks: list[tuple[dict[str, Any], float]] = [
        (claim, worst) for claim in claims if not claim["evidence"] and (worst := worst_slack(claim)) is not None
    ]
    if not measured and not slacks:
        raise ValueError(
            "claims: no claim was measured or tried in floats; expected at least one with evidence or slacks"
        )
    row_counts = [len(panel) for panel in (measured, slacks) if panel]
    height = 0.28 * sum(row_counts) + 1.2 * len(row_counts)
    figure = mpl.Figure(figsize=(8, height), layout="constrained", dpi=120)
    height_ratios = [count + 1 for count in row_counts]
    axes_by_panel = figure.subplots(len(row_counts), 1, squeeze=False, height_ratios=height_ratios)[:, 0]
    if measured:
        _draw_measured(axes_by_panel[0], measured)
    if slacks:
        _draw_slacks(axes_by_panel[-1], slacks)
    return figure


def _draw_measured(axes: Axes, measured: list[tuple[dict[str, Any], Any]]) -> None:
    """Estimates with their intervals, a line each."""
    for at, (claim, evidence) in enumerate(measured):
        low, high = evidence["interval"] or (evidence["estimate"],) * 2
        axes.plot([low, high], [at, at], color=_colour(claim), linewidth=2)
        axes.plot([evidence["estimate"]], [at], "o", color=_colour(claim), markersize=4)
    _name_rows(axes, [claim["id"] + f" ({evidence['data']})"[:32] for claim, evidence in measured])
    axes.set_xlabel("estimate")


def _draw_slacks(axes: Axes, slacks: list[tuple[dict[str, Any], float]]) -> None:
    """The smallest slacks, on a logarithmic scale on both sides of zero."""
    for at, (claim, worst) in enumerate(slacks):
        axes.plot([worst], [at], "o", color=_colour(claim), markersize=4)
    _name_rows(axes, [claim["id"] for claim, _ in slacks])
    largest = max(10.0, *(10 * abs(worst) for _, worst in slacks))
    axes.set_xscale("symlog", linthresh=ZERO)
    axes.set_xticks([sign * 10.0**power for sign in (-1, 1) for power in (-8, -4, 0)] + [0])
    axes.set_xlim(-largest, largest)
    axes.set_xlabel("smallest slack in floats (below zero: the claim fails)")


def _colour(claim: dict[str, Any]) -> str:
    return COLOURS[1] if claim["verdict"] in WRONG else COLOURS[0]


def _name_rows(axes: Axes, names: list[str]) -> None:
    """What both panels have: a name for each row, the first on top, and a line at zero."""
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.invert_yaxis()
    axes.axvline(0, color="0.6", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
