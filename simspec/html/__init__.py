"""HTML that notebooks show: tables, bars and intervals, with all text escaped; no script, font or network.

What is shown of a law, a method, a study or a claim stands beside it, in a module of its own; this is what they share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["COLOURS", "Html", "Shown", "bars", "columns", "entry", "interval", "number", "table", "tag", "text_bar"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, which people with colour-blindness can tell apart; the pale yellow is left out."""
WIDTH = 180
HEIGHT = 10
"""Pixels of a bar."""


class Html(str):
    """Text that is HTML already, and is not escaped again."""

    __slots__ = ()

    def __html__(self) -> str:
        """What templates take as it is."""
        return self


@dataclass(frozen=True, repr=False)
class Shown:
    """What a notebook shows as HTML, and anything else as text.

    >>> Shown("a < b", "a &lt; b")
    a < b
    """

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def tag(name: str, *content: Any, **attributes: Any) -> Html:
    """An element; content that is no HTML yet, and attributes, are escaped.

    >>> tag("td", "a < b", colspan=2)
    '<td colspan="2">a &lt; b</td>'
    """
    attribute_text = "".join(f' {key}="{escape(str(value))}"' for key, value in attributes.items())
    inner = "".join(map(_as_html, content))
    return Html(f"<{name}{attribute_text}>{inner}</{name}>")


def _as_html(content: object) -> Html:
    """Content of an element: HTML as it is, anything else as text."""
    return content if isinstance(content, Html) else Html(escape(str(content), quote=False))


def number(x: float | int | None, digits: int = 4) -> str:
    """A number for reading: at most `digits` significant digits, thousands set apart, powers of ten in superscript.

    >>> number(1234567), number(0.12345678), number(-3.2e-17), number(None)
    ('1,234,567', '0.1235', '−3.2 × 10⁻¹⁷', '–')
    """
    if x is None or not math.isfinite(x):
        return "–"
    if x == int(x) and abs(x) < 1e9:
        return f"{int(x):,}".replace("-", "−")
    exponent = math.floor(math.log10(abs(x)))
    if -4 <= exponent < 9:
        text = f"{x:,.{max(0, digits - 1 - exponent)}f}"
        return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")
    mantissa, power = f"{x:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa} × 10{raised}".replace("-", "−")


def entry(x: Any) -> str:
    """A mass for reading: fractions as they are, other numbers as `number` writes them.

    >>> entry(Fraction(1, 4)), entry(0.25), entry("1/4")
    ('1/4', '0.25', '1/4')
    """
    return str(x) if isinstance(x, Fraction | int | str) else number(float(x))


def bars(rows: Sequence[Sequence[tuple[Any, str]]], full_scale: Any = 1, mark: Any = None) -> Html:
    """Bars one below the other, each of coloured stretches; `full_scale` fills the width, `mark` is a line across all of them.

    >>> bars([[(0.5, COLOURS[0]), (0.25, COLOURS[1])]]).count("<rect")
    2
    """
    scale = WIDTH / float(full_scale) if full_scale > 0 else 0.0
    shapes = []
    for row, parts in enumerate(rows):
        at = 0.0
        for mass, colour in parts:
            size = {
                "x": f"{at:.2f}",
                "y": row * HEIGHT + 1,
                "width": f"{float(mass) * scale:.2f}",
                "height": HEIGHT - 2,
            }
            shapes.append(tag("rect", fill=colour, **size))
            at += float(mass) * scale
    high = HEIGHT * len(rows)
    if mark is not None:
        shapes.append(_line(float(mark) * scale, 0, float(mark) * scale, high, 2))
    return tag("svg", *shapes, width=WIDTH + 2, height=high, role="img")


def _line(x1: float, y1: float, x2: float, y2: float, width: float) -> Html:
    ends = {"x1": f"{x1:.2f}", "y1": y1, "x2": f"{x2:.2f}", "y2": y2}
    return tag("line", **ends, stroke="currentColor", **{"stroke-width": width})


def interval(estimate: float, low: float, high: float, span: tuple[float, float], mark: float | None = None) -> Html:
    """An estimate as a dot on its interval, drawn from `span[0]` to `span[1]`; `mark` is a value to compare with.

    >>> interval(0.5, 0.4, 0.6, (0, 1), mark=0.3).count("<line")
    2
    """
    width = span[1] - span[0] or 1.0
    at = [3 + (WIDTH - 6) * min(1.0, max(0.0, (value - span[0]) / width)) for value in (estimate, low, high)]
    shapes = [_line(at[1], HEIGHT / 2, at[2], HEIGHT / 2, 2)]
    shapes.append(tag("circle", cx=f"{at[0]:.2f}", cy=HEIGHT / 2, r=3, fill=COLOURS[0]))
    if mark is not None:
        place = 3 + (WIDTH - 6) * (mark - span[0]) / width
        shapes.append(tag("line", x1=f"{place:.2f}", y1=0, x2=f"{place:.2f}", y2=HEIGHT, stroke=COLOURS[1]))
    return tag("svg", *shapes, width=WIDTH, height=HEIGHT, role="img")


def table(head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> Html:
    """A table; the first column names the rows.

    >>> table(["token", "p"], [["<s>", "1/4"]]).count("&lt;s&gt;")
    1
    """
    lines = [[_as_html(value) for value in row] for row in rows]
    return Html(_template("table.html.j2").render(head=[_as_html(name) for name in head], rows=lines))


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # it takes long, and most of simspec shows nothing

    return Environment(
        loader=PackageLoader("simspec.html", "."), autoescape=True, undefined=StrictUndefined
    ).get_template(name)


def columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same as text: columns padded to one width, the first to the left, the others to the right.

    >>> print(columns(["token", "p"], [["a", "1/4"]]))
    token    p
    a      1/4
    """
    wide = [max(len(line[n]) for line in (head, *rows)) for n in range(len(head))]
    return "\n".join(
        "  ".join(text.rjust(w) if n else text.ljust(w) for n, (text, w) in enumerate(zip(line, wide, strict=True)))
        for line in (head, *rows)
    )


def text_bar(mass: Any, full_scale: Any = 1, width: int = 16) -> str:
    """A bar of blocks, to an eighth of a letter, padded to `width` letters.

    >>> text_bar(0.5, width=4), text_bar(Fraction(1, 8), width=1)
    ('██  ', '▏')
    """
    eighths = round(8 * width * float(mass) / float(full_scale)) if full_scale > 0 else 0
    return ("█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()).ljust(width)
