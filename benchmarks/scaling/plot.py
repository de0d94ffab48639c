"""The picture of scaling curves: times on the left, times a token and speed-ups on the right, one row for each axis.

Draws what `benchmarks.scaling` measured.  Curves differ by mark and dash as well as by colour, and each is named at
its end.  Matplotlib is imported when a picture is drawn.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.scaling.curves import Curve
from benchmarks.scaling.works import AXES
from simspec.checks import needs
from simspec.engine.show import plots

__all__ = ["check_ending", "figure", "save", "spread"]

_MARKERS = "osD^vP*X<"
_DASHES = ("-", "--", "-.")
_SIZE = (11.2, 11.6)
_TEXT = 8.5
_SMALL = 7.5
_GAP = 0.058
"""Least distance of two names, in heights of a panel."""


def spread(desired: Sequence[float], gap: float) -> list[float]:
    """Places in [0, 1] at least `gap` apart (less if they do not fit) as near to the wanted ones as their order allows.

    Neighbours that are too close share the room around their mean.

    >>> spread([0.5, 0.5, 0.9], 0.25)
    [0.375, 0.625, 0.9]
    """
    n = len(desired)
    gap = min(gap, 1 / max(1, n - 1))
    order = np.argsort(desired, kind="stable")
    groups: list[tuple[float, int]] = []  # lowest place and number of members
    for at in order:
        low = min(max(desired[at], 0.0), 1.0)
        members = 1
        while groups and groups[-1][0] + gap * groups[-1][1] > low:
            before, number = groups.pop()
            middle = (number * (before + gap * (number - 1) / 2) + members * (low + gap * (members - 1) / 2)) / (
                number + members
            )
            members += number
            low = min(max(middle - gap * (members - 1) / 2, 0.0), 1 - gap * (members - 1))
        groups.append((low, members))
    places = [low + gap * i for low, members in groups for i in range(members)]
    out = [0.0] * n
    for at, place in zip(order, places, strict=True):
        out[at] = place
    return out


def figure(curves: Sequence[Curve]) -> Any:
    """A Matplotlib figure: a row for each axis that has curves, log-log.

    Left the median time of a call, with its quartiles as a band and lines of the expected slope; right the time a token,
    flat where time is linear, or the speed-up over one thread, with the ideal one.
    """
    (mpl,) = needs("drawing", "matplotlib.figure")

    axes_of = [axis for axis in AXES if any(c.axis == axis for c in curves)]
    drawn_figure = mpl.Figure(figsize=(_SIZE[0], _SIZE[1] * len(axes_of) / 3), dpi=150)
    grid = drawn_figure.subplots(len(axes_of), 2, squeeze=False)
    top = 1 - 0.45 / drawn_figure.get_figheight()
    drawn_figure.subplots_adjust(0.065, 0.5 / drawn_figure.get_figheight(), 0.825, top, wspace=0.88, hspace=0.26)
    names = list(dict.fromkeys(c.kernel for c in curves))
    for line, axis in zip(grid, axes_of, strict=True):
        members = [c for c in curves if c.axis == axis]
        styles = [_style(names.index(c.kernel)) for c in members]
        _time(line[0], members, styles)
        (_speed_up if axis == "threads" else _time_a_token)(line[1], members, styles)
    note = "medians and quartiles of interleaved rounds; b: exponent fitted outside the grey"
    if not all(c.alone for c in curves if c.axis != "threads"):
        note += "; *: all threads, others one"
    drawn_figure.suptitle(f"How the kernels scale ({note})", fontsize=10, y=1 - 0.12 / drawn_figure.get_figheight())
    return drawn_figure


def _style(index: int) -> dict[str, Any]:
    colours = plots.COLOURS
    return {
        "color": colours[index % len(colours)],
        "marker": _MARKERS[index % len(_MARKERS)],
        "linestyle": _DASHES[index % len(_DASHES)],
    }


def _time(axes: Any, members: Sequence[Curve], styles: Sequence[Any]) -> None:
    slope, sign = (-1, "−") if members[0].axis == "threads" else (1, "")
    runs = [1e3 * c.seconds for c in members]
    _panel(axes, members, styles, runs, f"time of a call (ms; dotted: slope {sign}1)")
    _slopes(axes, slope)
    texts = [c.kernel if slope < 0 else f"{_called(c)}, b = {c.found.middle:.2f}" for c in members]
    _name(axes, members, styles, runs, texts)


def _time_a_token(axes: Any, members: Sequence[Curve], styles: Sequence[Any]) -> None:
    runs = [1e9 * c.seconds / np.asarray(c.tokens) for c in members]
    _panel(axes, members, styles, runs, "time a token (ns; linear is flat)")
    _name(axes, members, styles, runs, [f"{_called(c)}, {_two(r)} ns" for c, r in zip(members, runs, strict=True)])


def _speed_up(axes: Any, members: Sequence[Curve], styles: Sequence[Any]) -> None:
    runs = [c.seconds[:, :1] / c.seconds for c in members]
    _panel(axes, members, styles, runs, "speed-up over one thread")
    x = sorted({x for c in members for x in c.x})
    axes.plot(x, x, color="black", linewidth=0.8, linestyle=":", zorder=0.5)
    axes.set_ylim(top=max(axes.get_ylim()[1], 1.15 * x[-1]))
    axes.annotate(
        "ideal", (x[-1], x[-1]), (-6, 0), textcoords="offset points", fontsize=_SMALL, ha="right", va="bottom"
    )
    _name(axes, members, styles, runs, [f"{c.kernel}, {_two(r)}×" for c, r in zip(members, runs, strict=True)])


def _called(curve: Curve) -> str:
    return curve.kernel if curve.alone else f"{curve.kernel} *"


def _two(run: NDArray[Any]) -> str:
    """The last median in two digits, never with an exponent."""
    return np.format_float_positional(np.median(run[:, -1]), 2, fractional=False, trim="-")


def _panel(
    axes: Any, members: Sequence[Curve], styles: Sequence[Any], runs: Sequence[NDArray[Any]], label: str
) -> None:
    """Medians and quartiles of the runs (rounds, points) against x."""
    from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

    axes.set_xscale("log")
    axes.set_yscale("log")
    for curve, style, values in zip(members, styles, runs, strict=True):
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
        axes.fill_between(curve.x, low, high, color=style["color"], alpha=0.13, linewidth=0)
        axes.plot(curve.x, middle, markersize=4, linewidth=1.2, **style)
    fit_from = min(c.least for c in members)
    first = min(min(c.x) for c in members)
    low, high = axes.get_xlim()
    if fit_from > first:
        axes.axvspan(low, fit_from, color="0.93", linewidth=0, zorder=0)
    axes.set_xlim(low, high)
    plain = FuncFormatter(
        lambda value, _: f"{value:g}" if 1e-3 <= value < 1e3 else f"$10^{{{round(np.log10(value))}}}$"
    )
    if members[0].axis == "threads":
        axes.set_xticks(sorted({x for c in members for x in c.x}))
        axes.xaxis.set_minor_locator(NullLocator())
    bottom = min(np.median(r, axis=0).min() for r in runs) / 1.6
    up = max(np.median(r, axis=0).max() for r in runs) * 1.6
    axes.set_ylim(bottom, up)  # a wide band, a disturbed run, may leave the panel: it must not flatten the curves
    if up / bottom < 100:  # hardly two whole powers of ten: name steps between them
        from matplotlib.ticker import LogLocator

        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(plain)
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(AXES[members[0].axis], fontsize=_TEXT)
    axes.set_ylabel(label, fontsize=_TEXT)
    axes.tick_params(labelsize=_SMALL)
    axes.grid(True, color="0.88", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _slopes(axes: Any, slope: int) -> None:
    """Faint lines of the expected slope."""
    (x_low, right) = axes.get_xlim()
    (bottom, top) = axes.get_ylim()
    x = np.array([x_low, right])
    for start in np.geomspace(bottom / (right / x_low), top * right / x_low, 13):
        axes.plot(x, start * (x / x_low) ** slope, color="0.8", linewidth=0.7, linestyle=":", zorder=0.5)
    axes.set_xlim(x_low, right)
    axes.set_ylim(bottom, top)


def _name(
    axes: Any, members: Sequence[Curve], styles: Sequence[Any], runs: Sequence[NDArray[Any]], texts: Sequence[str]
) -> None:
    """Each curve's name beside its end, kept apart, with a line to it."""
    axes.set_xlim(axes.get_xlim())  # what is drawn outside must not move them
    axes.set_ylim(axes.get_ylim())
    inside = axes.transData + axes.transAxes.inverted()
    ends = [inside.transform((c.x[-1], np.median(r[:, -1]))) for c, r in zip(members, runs, strict=True)]
    places = spread([y for _, y in ends], _GAP)
    for text, (x, y), place, style in zip(texts, ends, places, styles, strict=True):
        line_style = {"color": style["color"], "linewidth": 0.7, "clip_on": False, "transform": axes.transAxes}
        axes.plot([x, 1.03, 1.07], [y, place, place], **line_style)
        axes.plot([1.07], [place], marker=style["marker"], markersize=4, **line_style)
        axes.text(1.095, place, text, fontsize=_SMALL, va="center", transform=axes.transAxes)


def check_ending(path: Path) -> None:
    """Refuse a file type that a picture cannot have, by writing an empty one where it is no harm.

    Raises
    ------
    ValueError
        naming the option, where the name ends in something else.
    """
    (mpl,) = needs("drawing", "matplotlib.figure")

    with tempfile.TemporaryDirectory() as folder:
        try:
            plots.save(mpl.Figure(figsize=(1, 1)), Path(folder, path.name))
        except ValueError:
            raise ValueError(f"--plot: {path}; expected a name that ends in .svg, .png, .pdf") from None


def save(curves: Sequence[Curve], path: Path) -> None:
    """Draw and write the picture: the whole file or nothing.

    Raises
    ------
    ValueError
        where it cannot be written.
    """
    try:
        plots.save(figure(curves), path)
    except ValueError as error:
        raise ValueError(str(error).replace("-o:", "--plot:", 1)) from None
