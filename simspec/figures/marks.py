"""How rows are drawn: curves with their intervals, bars, maps, and lines that guide the eye; one colour a method.

A picture is made of these, so that what is drawn can be read back from it: every mark holds numbers of the rows, and a
guide says that it is one.  Colours are those of Okabe and Ito, safe for the colour-blind; marks and dashes differ as
well, for print in grey.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.figures.table import Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "GUIDE",
    "WARMTH",
    "bars",
    "colour",
    "curve",
    "curves",
    "dots",
    "framed",
    "guide",
    "labelled",
    "legend",
    "named",
    "spread",
    "stacks",
    "steps",
    "titled",
]

WARMTH = ("#2166AC", "#67A9CF", "#9AA9B5", "#E7A97B", "#EF8A62", "#B2182B")
"""Colours of rising temperatures, from cold to hot."""
GUIDE = "guide"
"""Group name of the artists that show no data."""

_INK = {
    "blue": "#0072B2",
    "red": "#D55E00",
    "green": "#009E73",
    "pink": "#CC79A7",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "black": "#000000",
    "grey": "#777777",
    "brown": "#7F4F24",
    "violet": "#5E3C99",
}
_METHODS = {  # name: ink, mark, dashes
    "SD": ("black", "o", "-"),
    "no transfer": ("grey", "x", ":"),
    "target": ("black", "o", "-"),
    "draft": ("sky", "s", "-"),
    "TLI": ("sky", "s", "-"),
    "RDK": ("red", "D", "-"),
    "RDK, leaking": ("orange", "d", "--"),
    "RDK, linear time": ("orange", "d", "--"),
    "static mixture": ("green", "^", "-"),
    "uniform": ("grey", "", "--"),
    "unigram": ("grey", "", "-."),
    "EARS": ("blue", "o", "-"),
    "EARS, fresh draw": ("sky", "s", "--"),
    "lenience": ("orange", "s", "-"),
    "typical": ("brown", "v", "-"),
    "mixture": ("green", "^", "-"),
    "PAD": ("pink", "P", "-"),
    "envelope": ("black", "", "--"),
    "dense": ("black", "o", "-"),
    "SQS": ("blue", "o", "-"),
    "K-SQS": ("sky", "s", "-"),
    "C-SQS": ("violet", "D", "-"),
    "n-gram": ("green", "^", "-"),
    "prompt lookup": ("orange", "s", "-"),
    "RDK, learnt affinity": ("violet", "v", "-"),
    "TLI with unigram": ("blue", "s", "--"),
    "static mixture, hindsight": ("green", "^", ":"),
    "unpruned": ("black", "", "--"),
    "normal": ("orange", "s", "-"),
    "Student-t": ("blue", "o", "-"),
    "smollm2": ("violet", "s", "-"),
    "wiki": ("blue", "o", "-"),
    "stories": ("green", "^", "-"),
    "gpt2": ("red", "D", "-"),
    "Gaussian logits": ("grey", "x", "-"),
}
_MARKS = "osD^vPX"


def colour(name: str, place: int = 0) -> tuple[str, str, str]:
    """Colour, mark and dashes of a method, the same in the whole gallery; others take the next by their place.

    >>> colour("RDK")
    ('#D55E00', 'D', '-')
    """
    if name in _METHODS:
        ink, mark, dashes = _METHODS[name]
        return _INK[ink], mark, dashes
    inks = list(_INK.values())
    return inks[place % len(inks)], _MARKS[place % len(_MARKS)], "-"


def curve(ax: Axes, rows: Points, name: Any = None, place: Any = 0, band: Any = True, **style: Any) -> Any:
    """Draw one curve: y over x as marks on a line, its interval as a band; returns the line."""
    name = rows[0].series if name is None else name
    ink, mark, dashes = colour(name, place)
    x, y, low, high = (rows.column(field) for field in ("x", "y", "low", "high"))
    settings = {"color": ink, "marker": mark, "linestyle": dashes, "label": name, **style}
    (line,) = ax.plot(x, y, **settings)
    if band and not np.isnan(low).all():
        ax.fill_between(x, low, high, color=settings["color"], alpha=0.18, linewidth=0)
    return line


def curves(ax: Axes, rows: Points, **style: Any) -> None:
    """Draw every curve of some rows, in order."""
    for place, name in enumerate(rows.series()):
        curve(ax, rows.of(series=name), place=place, **style)


def steps(ax: Axes, rows: Points, name: Any = None, place: Any = 0, **style: Any) -> Any:
    """Draw a histogram as an outline: y from each x to the next, intervals as a band; returns the line."""
    line = curve(ax, rows, name, place, band=False, **{"drawstyle": "steps-post", "marker": "", **style})
    x, low, high = (rows.column(field) for field in ("x", "low", "high"))
    if not np.isnan(low).all():
        ax.fill_between(x, low, high, step="post", color=line.get_color(), alpha=0.18, linewidth=0)
    return line


def dots(ax: Axes, rows: Points, name: Any = None, place: Any = 0, **style: Any) -> Any:
    """Draw single marks with their intervals as whiskers; returns the line of marks."""
    mark = colour(rows[0].series if name is None else name, place)[1] or "o"
    line = curve(ax, rows, name, place, band=False, **{"linestyle": "", "marker": mark, **style})
    there = [p for p in rows if not np.isnan(p.low)]
    if there:
        ends = [[p.y - p.low for p in there], [p.high - p.y for p in there]]
        settings = {"ecolor": line.get_color(), "elinewidth": 1, "capsize": 0, "zorder": line.get_zorder()}
        ax.errorbar([p.x for p in there], [p.y for p in there], yerr=ends, fmt="none", **settings)
    return line


def legend(ax: Axes, **style: Any) -> None:
    """Draw a legend where there is something to name; a quick simulation leaves panels empty."""
    if ax.get_legend_handles_labels()[0]:
        ax.legend(**style)


def bars(ax: Axes, rows: Points, **style: Any) -> None:
    """Draw series as bars side by side at their places, intervals as whiskers, places named by their labels."""
    names = rows.series()
    places = sorted(set(rows.column("x")))
    width = 0.8 / len(names)
    for at, name in enumerate(names):
        points = rows.of(series=name)
        ink, _, _ = colour(name, at)
        x = [p.x + (at - (len(names) - 1) / 2) * width for p in points]
        ax.bar(x, points.column("y"), width * 0.92, **{"color": ink, "label": name, **style})
        if not np.isnan(points.column("low")).all():
            ends = [[p.y - p.low for p in points], [p.high - p.y for p in points]]
            ax.errorbar(x, points.column("y"), yerr=ends, fmt="none", ecolor="0.15", elinewidth=0.9, capsize=2)
    labels = {p.x: p.label for p in rows}
    if any(labels.values()):
        ax.set_xticks(places, [labels[x] for x in places])


def stacks(ax: Axes, rows: Points, inks: Sequence[str], **style: Any) -> None:
    """Draw series on top of each other as the parts of one bar at each place, places named by their labels."""
    heights: dict[float, float] = {}
    for name, ink in zip(rows.series(), inks, strict=True):
        points = rows.of(series=name)
        bottom = [heights.get(p.x, 0.0) for p in points]
        ax.bar(points.column("x"), points.column("y"), 0.8, bottom=bottom, **{"color": ink, "label": name, **style})
        heights |= {p.x: low + p.y for p, low in zip(points, bottom, strict=True)}
    labels = {p.x: p.label for p in rows}
    ax.set_xticks(list(labels), list(labels.values()))


def spread(ax: Axes, rows: Points, **style: Any) -> Any:
    """Draw z over (x, y) as a map of coloured cells; returns it, for a colour bar."""
    x = sorted(set(rows.column("x")))
    y = sorted(set(rows.column("y")))
    z = np.full((len(y), len(x)), np.nan)
    for p in rows:
        z[y.index(p.y), x.index(p.x)] = p.z
    mesh = ax.pcolormesh(range(len(x)), range(len(y)), z, **style)
    ax.set_xticks(range(len(x)), [f"{v:g}" for v in x])
    ax.set_yticks(range(len(y)), [f"{v:g}" for v in y])
    return mesh


def guide(ax: Axes, x: Sequence[float], y: Sequence[float], text: str = "", **style: Any) -> None:
    """Draw a line that is no data (a diagonal, a level), with a word at its end."""
    (line,) = ax.plot(x, y, **{"color": "0.6", "linewidth": 0.9, "linestyle": "--", "marker": "", "zorder": 1, **style})
    line.set_gid(GUIDE)
    if text:
        ax.annotate(text, (x[-1], y[-1]), color="0.35", fontsize=8, xytext=(2, 2), textcoords="offset points")


def labelled(ax: Axes, spacing: float = 0.045) -> None:
    """Write each curve's name beside its end on the right, in its colour, moved apart where they would overlap.

    Curves that coincide share a place, and their names are joined by a sign of equality.

    Parameters
    ----------
    spacing : least distance of two names, as a share of the height of the axes
    """
    ax.autoscale_view()  # limits are else settled when the picture is drawn, after the names have been placed
    groups: list[tuple[np.ndarray, list[Any]]] = []
    for line in (
        candidate
        for candidate in ax.get_lines()
        if candidate.get_gid() != GUIDE and not str(candidate.get_label()).startswith("_")
    ):
        points = _shown(ax, line)
        same = next((lines for path, lines in groups if path.shape == points.shape and _near(path, points)), None)
        if same is not None:
            same.append(line)
        elif len(points):
            groups.append((points, [line]))
    ends = [(float(path[np.argmax(path[:, 0]), 1].clip(0, 1)), lines) for path, lines in groups]
    ends.sort(key=lambda end: end[0])
    for height, (_, lines) in zip(_apart([height for height, _ in ends], spacing), ends, strict=True):
        ax.annotate(
            " = ".join(line.get_label() for line in reversed(lines)),
            (1.01, height),
            xycoords="axes fraction",
            color=lines[-1].get_color(),
            fontsize=8,
            va="center",
            annotation_clip=False,
        )


def _shown(ax: Axes, line: Any) -> np.ndarray:
    """Finite points of a curve (n, 2), as shares of the width and height of the axes."""
    points = np.column_stack([np.asarray(v, dtype=float) for v in line.get_data()])
    return np.asarray(
        ax.transAxes.inverted().transform(ax.transData.transform(points[np.isfinite(points).all(axis=1)]))
    )


def _near(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether points lie where the eye cannot tell them apart."""
    return bool((np.abs(first - second) < 0.005).all())


def _apart(heights: Sequence[float], spacing: float) -> list[float]:
    """Rising heights moved apart by at least so much: upwards, then down again where they would leave the axes.

    >>> [round(h, 2) for h in _apart([0.1, 0.12, 0.98, 1.0], 0.1)]
    [0.1, 0.2, 0.9, 1.0]
    """
    placements = []
    at = -np.inf
    for height in heights:
        at = max(height, at + spacing)
        placements.append(at)
    top = max([1.0, *heights])
    for i in reversed(range(len(placements))):
        placements[i] = min(placements[i], top)
        top = placements[i] - spacing
    return placements


def titled(
    ax: Iterable[Axes],
    rows: Points,
    titles: Mapping[str, str],
    names: Mapping[str, str],
    draw_panel: Callable[..., None],
) -> None:
    """Draw panels by their titles: bars where places have names, `drawn(axes, rows)` elsewhere, nothing without rows."""
    for axes, (panel, title) in zip(ax, titles.items(), strict=True):
        panel_rows = rows.of(panel)
        axes.set_title(title)
        axes.set_visible(bool(panel_rows))
        if any(panel_rows.column("label")):
            bars(axes, Points(p._replace(label=names.get(p.label, p.label)) for p in panel_rows))
            axes.tick_params(axis="x", rotation=20)
        elif panel_rows:
            draw_panel(axes, panel_rows)


def framed(axes: Axes, panel_rows: Points, panel: str, x_label: str) -> None:
    """Title and x label of a panel; its heights from 0, or, where resampling is shown, from where the curves part."""
    axes.set_title(panel)
    axes.set_xlabel(x_label)
    axes.set_ylim(bottom=min(panel_rows.column("low")) - 0.02 if panel.startswith("resampling") else 0)


def named(ax: Axes, line: Any, text: str | None = None, at: int | None = None, **style: Any) -> None:
    """Write a line's name above one of its marks, by default its highest, in its colour."""
    x, y = (np.asarray(v, dtype=float) for v in line.get_data())
    place = int(np.nanargmax(y)) if at is None else at
    settings = {"xytext": (3, 3), "textcoords": "offset points", "fontsize": 8, "color": line.get_color()}
    ax.annotate(line.get_label() if text is None else text, (x[place], y[place]), **{**settings, **style})
