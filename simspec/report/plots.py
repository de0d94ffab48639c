"""Small plots as inline SVG: lines with intervals, and histograms of slack.

Pure functions from numbers to text: no ids, no dates, so that the same verdicts give the same bytes.  Colours are classes
that the page's style sheet fills in for light and dark.  For figures of papers and notebooks use matplotlib, not this.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from simspec.html import number

__all__ = ["chart", "describe_slacks", "histogram", "ticks"]

WIDTH = 640
HEIGHT = 280
LEFT = 64
RIGHT = 16
TOP = 14
BOTTOM = 46
COLOURS = 6
ROUNDING = 1e-9
"""Slacks all smaller than this are rounding, and are told in a sentence, not drawn."""


def ticks(low: float, high: float, log: bool = False, count: int = 6) -> list[float]:
    """Round values from `low` to `high`: multiples of 1, 2 or 5 times a power of ten, or powers of ten on a log axis.

    >>> ticks(0, 1), ticks(1, 1000, log=True)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [1.0, 10.0, 100.0, 1000.0])
    """
    if log:
        first = math.ceil(math.log10(low) - 1e-9)
        last = math.floor(math.log10(high) + 1e-9)
        stride = max(1, math.ceil((last - first + 1) / 8))
        powers = [10.0**n for n in range(first, last + 1, stride)]
        if len(powers) >= 2:
            return powers
        steps = [m * 10.0**n for n in range(first - 1, last + 1) for m in (1, 2, 5)]
        return [s for s in steps if low * (1 - 1e-9) <= s <= high * (1 + 1e-9)] or [low, high]
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    return [float(f"{n * step:.12g}") for n in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def chart(plot: Mapping[str, Any]) -> str:
    """Figure with lines, markers, intervals, axes, legend and hover titles.

    Parameters
    ----------
    plot : mapping
        ``title``, ``x_label``, ``y_label``, ``x_log`` and ``series``, each with ``name``, ``x``, ``y`` and, if it has
        them, ``low`` and ``high``.  Words on the x axis become equally spaced places; missing y values are left out.

    Raises
    ------
    ValueError
        for series of unequal length, and for x values that are not positive on a log axis.

    Examples
    --------
    >>> line = {"name": "SD", "x": [1, 2], "y": [0.5, 0.75]}
    >>> chart({"title": "Acceptance", "x_label": "γ", "y_label": "α", "x_log": False, "series": [line]}).count("<circle")
    3
    """
    series, places = _series(plot)
    xs = [x for s in series for x, *_ in s["points"]]
    ys = [v for s in series for _, *values in s["points"] for v in values if v is not None]
    if not xs:
        return f'<figure class="plot"><figcaption>{escape(str(plot.get("title") or ""))}: no data</figcaption></figure>'
    log = bool(plot.get("x_log")) and not places
    if log and min(xs) <= 0:
        raise ValueError(f"plot {plot.get('title')!r}: x_log is set and an x is {min(xs)}; expected x > 0")
    x_low, x_high = (-0.5, len(places) - 0.5) if places else _widen(min(xs), max(xs), log)
    y_low, y_high = _range(ys)
    to_x = _scale(x_low, x_high, LEFT, WIDTH - RIGHT, log)
    to_y = _scale(y_low, y_high, HEIGHT - BOTTOM, TOP)
    x_marks = [(float(n), w) for n, w in enumerate(places)] or [(t, number(t, 3)) for t in ticks(x_low, x_high, log)]
    body = _axes(x_marks, ticks(y_low, y_high), to_x, to_y, plot.get("x_label"), plot.get("y_label"))
    for n, s in enumerate(series):
        body += _line(s, n % COLOURS, to_x, to_y, bool(places))
    return _figure(plot.get("title"), body, [str(s["name"]) for s in series])


def describe_slacks(slacks: Sequence[float]) -> str | None:
    """One sentence where a histogram of the slacks would show nothing: all are zero, or only rounding.

    >>> describe_slacks([0.0, 0.0])
    'All 2 recorded slacks are 0.'
    """
    values = [s for s in slacks if s is not None and math.isfinite(s)]
    if not values:
        return None
    low = min(values)
    high = max(values)
    if low == high:
        return f"All {len(values):,} recorded slacks are {number(low)}."
    if max(abs(low), abs(high)) < ROUNDING:
        worst = max(values, key=abs)
        return (
            f"All {len(values):,} recorded slacks are 0 within rounding; the largest deviation is {number(worst, 2)}."
        )
    return None


def histogram(slacks: Sequence[float], bins: int = 32) -> str:
    """Figure of how often which slack occurred; bars left of zero (violations) have a colour of their own.

    A bin edge lies at zero, so that no bar holds both signs.

    >>> histogram([0.5, 0.25, -0.125]).count("<rect")
    3
    """
    values = [0.0 if abs(s) < ROUNDING else s for s in slacks if s is not None and math.isfinite(s)]
    if not values:
        return ""
    low = min(0.0, *values)
    high = max(0.0, *values)
    width = (high - low) / bins or 1.0
    counts: dict[int, int] = {}
    for v in values:
        cell = math.floor(v / width + 1e-12)
        counts[cell] = counts.get(cell, 0) + 1
    first = min(0, *counts)
    last = max(0, *counts) + 1
    to_x = _scale(first * width, last * width, LEFT, WIDTH - RIGHT)
    top = max(counts.values())
    to_y = _scale(0, top * 1.04, HEIGHT - BOTTOM, TOP)
    y_ticks = [t for t in ticks(0, top) if t == int(t)]
    marks = [(t, number(t, 3)) for t in ticks(first * width, last * width)]
    body = _axes(marks, y_ticks, to_x, to_y, "slack (below zero: a violation)", "instances")
    for cell in sorted(counts):
        left = to_x(cell * width)
        right = to_x((cell + 1) * width)
        y = to_y(counts[cell])
        hint = f"slack {number(cell * width, 3)} to {number((cell + 1) * width, 3)}: {counts[cell]:,} instances"
        body += (
            f'<rect class="{"bad" if cell < 0 else "bar"}" x="{left:.1f}" y="{y:.1f}" '
            f'width="{max(0.8, right - left - 1):.1f}" height="{HEIGHT - BOTTOM - y:.1f}"><title>{hint}</title></rect>'
        )
    body += f'<path class="zero" d="M{to_x(0):.1f} {TOP}V{HEIGHT - BOTTOM}"/>'
    return _figure(f"Slack of {len(values):,} recorded instances", body, [])


def _series(plot: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Points (x, y, low, high) of each series, and the words of a categorical x axis in order of appearance."""
    entries = plot.get("series") or []
    words = any(isinstance(x, str) for s in entries for x in s["x"])
    places = list(dict.fromkeys(str(x) for s in entries for x in s["x"])) if words else []
    out = []
    for s in entries:
        n = len(s["x"])
        columns = [s["x"], s["y"], s.get("low") or [None] * n, s.get("high") or [None] * n]
        if any(len(c) != n for c in columns):
            raise ValueError(
                f"plot {plot.get('title')!r}, series {s['name']!r}: lengths of x, y, low, high are "
                f"{[len(c) for c in columns]}; expected the same"
            )
        points = [
            (float(places.index(str(x))) if places else float(x), y, low, high)
            for x, y, low, high in zip(*columns, strict=True)
            if x is not None and y is not None and math.isfinite(y)
        ]
        out.append({"name": s["name"], "points": points if places else sorted(points, key=lambda p: p[0])})
    return out, places


def _widen(low: float, high: float, log: bool) -> tuple[float, float]:
    if log:
        return (low / 2, high * 2) if low == high else (low, high)
    margin = abs(low) * 0.1 or 1.0
    return (low - margin, high + margin) if low == high else (low, high)


def _range(ys: Sequence[float]) -> tuple[float, float]:
    """From the data with a little air; down to zero where that is near."""
    low, high = _widen(min(ys), max(ys), False)
    if 0 < low < 0.5 * high:
        low = 0.0
    air = 0.05 * (high - low)
    return (low if low == 0 else low - air), high + air


def _scale(low: float, high: float, start: float, stop: float, log: bool = False) -> Callable[[float], float]:
    def value(v: float) -> float:
        return math.log10(v) if log else v

    a = value(low)
    b = value(high)
    return lambda v: start + (value(v) - a) / (b - a) * (stop - start)


def _axes(
    x_marks: Sequence[tuple[float, str]],
    y_marks: Sequence[float],
    to_x: Callable[[float], float],
    to_y: Callable[[float], float],
    x_label: str | None,
    y_label: str | None,
) -> str:
    """Return the SVG of the grid, the axes, their ticks and their labels."""
    bottom = HEIGHT - BOTTOM
    right = WIDTH - RIGHT
    out = []
    for value in y_marks:
        y = to_y(value)
        out.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>')
        # 4 lower: text stands on its baseline, and the middle of a digit is to be level with the line
        out.append(f'<text class="y" x="{LEFT - 8}" y="{y + 4:.1f}">{number(value, 3)}</text>')
    out.append(f'<path class="axis" d="M{LEFT} {bottom}H{right}"/>')
    for value, word in x_marks:
        x = to_x(value)
        out.append(f'<path class="axis" d="M{x:.1f} {bottom}v5"/>')
        out.append(f'<text class="x" x="{x:.1f}" y="{bottom + 19}">{escape(word)}</text>')
    if x_label:
        out.append(f'<text class="x" x="{(LEFT + right) / 2:.1f}" y="{HEIGHT - 7}">{escape(x_label)}</text>')
    if y_label:
        middle = (TOP + bottom) / 2
        out.append(f'<text class="x" transform="translate(14 {middle:.1f}) rotate(-90)">{escape(y_label)}</text>')
    return "".join(out)


def _line(
    s: Mapping[str, Any], colour: int, to_x: Callable[[float], float], to_y: Callable[[float], float], loose: bool
) -> str:
    """Return the SVG of one series: the line, unless the points are loose, then intervals and points."""
    points = s["points"]
    out = []
    path = "L".join(f"{to_x(x):.1f} {to_y(y):.1f}" for x, y, *_ in points)
    if len(points) > 1 and not loose:
        out.append(f'<path class="line s{colour}" d="M{path}"/>')
    for x, y, low, high in points:
        at = to_x(x)
        hint = f"{s['name']}: {number(y)}"
        if low is not None and high is not None:
            out.append(f'<path class="whisker s{colour}" d="M{at:.1f} {to_y(low):.1f}V{to_y(high):.1f}"/>')
            hint += f" [{number(low)}, {number(high)}]"
        out.append(f'<circle class="dot s{colour}" cx="{at:.1f}" cy="{to_y(y):.1f}" r="3.2">')
        # browsers show a title when the pointer rests on the point
        out.append(f"<title>{escape(hint)}</title></circle>")
    return "".join(out)


def _figure(title: str | None, body: str, names: Sequence[str]) -> str:
    legend = ""
    if names:
        items = "".join(
            f'<li><svg viewBox="0 0 28 10" aria-hidden="true"><path class="line s{n % COLOURS}" d="M1 5H27"/>'
            f'<circle class="dot s{n % COLOURS}" cx="14" cy="5" r="3.2"/></svg>{escape(name)}</li>'
            for n, name in enumerate(names)
        )
        legend = f'<ul class="legend">{items}</ul>'
    label = escape(str(title or "plot"), quote=True)
    return (
        f'<figure class="plot"><figcaption>{escape(str(title or ""))}</figcaption>{legend}'
        f'<div class="scroll"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{body}</svg></div>'
        "</figure>"
    )
