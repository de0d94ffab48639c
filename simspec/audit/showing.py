"""How a notebook shows the report of an audit: the verdict with a table of the pairs of distributions, and a picture of TV."""

from __future__ import annotations

from typing import Any

from simspec.audit.report import Report, tv_interval
from simspec.checks import needs
from simspec.engine.show.picture import Picture
from simspec.html import COLOURS, Html, table, tag

__all__ = ["plot_report", "report_html"]


def report_html(report: Report) -> Html:
    """The verdict in words, and a line for each pair of laws."""
    lines = [[f.pair.name, f.pair.gamma, f.pair.vocab, f"{f.calls:,}", tv_interval(f.tv)] for f in report]
    return tag("div", tag("pre", report.words()), table(["laws", "gamma", "V", "calls", "TV"], lines))


def plot_report(report: Report) -> Picture:
    """The interval of TV on each pair of laws, and the TV that counts as lossless."""
    return Picture(_figure(report), f"audit: {report.verdict}")


def _figure(report: Report) -> Any:
    """A line for each pair of laws, from the lowest TV that the calls allow to the highest."""
    (mpl,) = needs("drawing", "matplotlib.figure")
    figure = mpl.Figure(figsize=(6.4, 1.2 + 0.24 * len(report)), layout="constrained", dpi=120)
    axes = figure.subplots()
    for at, finding in enumerate(report):
        colour = COLOURS[1] if finding.tv[0] > 0 or finding.fault else COLOURS[0]
        axes.plot(finding.tv, [at, at], color=colour, linewidth=3, solid_capstyle="butt")
    axes.axvline(report.tv_limit, color="0.4", linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(report)), [f.pair.name for f in report], fontsize=7)
    axes.set_xlim(0, 1)
    axes.invert_yaxis()
    axes.set_xlabel("total variation from the target (dotted: largest value that counts as lossless)")
    axes.set_title(f"{report.verdict} after {report.calls:,} calls", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
