"""One picture of a study: a measure against a parameter, its intervals as bands, a panel for what else varies.

Draws results that are there; simulates nothing.  Matplotlib is imported when a picture is drawn.
"""

from __future__ import annotations

import io
import json
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simspec.checks import nearest, needs
from simspec.engine.cells import CellResult
from simspec.engine.show.live import constant, labels, varying
from simspec.engine.store.segment import canonical
from simspec.engine.study import Study
from simspec.files import write_file
from simspec.html import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOURS", "axes_of", "figure", "save"]

_MARKERS = "osD^vP*"
_PANELS = 12
_FORMATS = (".svg", ".png", ".pdf")


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def axes_of(
    results: Sequence[CellResult], x: str | None, y: str | None, hue: str | None
) -> tuple[str, str, str | None, list[str]]:
    """What to draw along x, along y, in colours and in panels: as told, the rest chosen.

    x is the parameter with the most values of those that are numbers everywhere, else of all that vary; the colour is
    the one that leaves the fewest panels, of which every combination of the others has one.

    Raises
    ------
    ValueError
        naming the option, where there is no such parameter or measure.

    Examples
    --------
    >>> from simspec.engine.cells import Estimate
    >>> cells = [{"a": "u", "b": 1}, {"a": "v", "b": 1}, {"a": "u", "b": 2}]
    >>> done = [CellResult(c, "0f", 1, 1, True, {"m": Estimate(0, 0, 0)}, {}, 0.95) for c in cells]
    >>> axes_of(done, None, None, None)
    ('b', 'm', 'a', [])
    """
    cells = [result.cell for result in results]
    there = list(dict.fromkeys(n for c in cells for n in c))
    measured = labels(results)
    estimate_names = list(dict.fromkeys(n for r in results for n in r.estimates))
    if not estimate_names:
        raise ValueError("DIR: no cell has a mean yet; expected results of a study with a Mean or a Share")
    for option, value, allowed in (("--x", x, there), ("--hue", hue, there), ("--y", y, estimate_names)):
        if value is not None and value not in allowed:
            raise ValueError(f"{option}: {value!r}{nearest(value, allowed)}; expected one of {', '.join(allowed)}")
    free = [n for n in varying(cells) if n not in (x, hue)]
    if x is None:
        numbers = [n for n in free if all(_number(c.get(n)) for c in cells)]
        x = max(numbers or free or there or [""], key=lambda n: len({canonical(c.get(n)) for c in cells}))
        free = [n for n in free if n != x]
    if hue is None and free:
        hue = min(free, key=lambda n: len({canonical([c.get(m) for m in free if m != n]) for c in cells}))
        free = [n for n in free if n != hue]
    return x, y or measured[0], hue, free


def _text(value: object) -> str:
    """A value in words, in which Matplotlib finds no formula."""
    return (value if isinstance(value, str) else json.dumps(value)).replace("$", r"\$")


def _named(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{_text(n)} = {_text(v)}" for n, v in values.items() if v is not None)


def _order(value: Any) -> tuple[bool, float, str]:
    return (not _number(value), float(value) if _number(value) else 0.0, canonical(value))


def figure(
    study: Study, results: Sequence[CellResult], x: str | None = None, y: str | None = None, hue: str | None = None
) -> Any:
    """A Matplotlib figure of the cells that have rows: means as marks, their intervals as bands (bars where x is text).

    Parameters
    ----------
    results : list of CellResult
    x, y, hue : str, optional
        parameter along x, measure (with its place, such as ``kept[0]``), parameter in colours.

    Raises
    ------
    ValueError
        naming the option that is wrong; for more panels than can be read.
    """
    (mpl,) = needs("drawing", "matplotlib.figure")

    results = [r for r in results if r.estimates]
    x, y, hue, rest = axes_of(results, x, y, hue)
    results = [r for r in results if y in r.estimates]
    panels: dict[str, list[CellResult]] = {}
    for result in results:
        panels.setdefault(canonical([result.cell.get(n) for n in rest]), []).append(result)
    if len(panels) > _PANELS:
        raise ValueError(
            f"--x, --hue: {len(panels)} panels, one for each {', '.join(rest)}; expected at most {_PANELS}: "
            "select cells with --where"
        )
    columns = min(3, len(panels)) if len(panels) != 4 else 2
    lines = -(-len(panels) // columns)
    size = (max(5.2, 3.1 * columns + 1.2), 2.5 * lines + 1.3)
    drawn_figure = mpl.Figure(figsize=size, layout="constrained", dpi=150)
    grid = drawn_figure.subplots(lines, columns, squeeze=False, sharex=True, sharey=True)
    hues = (
        sorted({canonical(r.cell.get(hue)): r.cell.get(hue) for r in results}.values(), key=_order) if hue else [None]
    )
    places = sorted({canonical(r.cell.get(x)): r.cell.get(x) for r in results}.values(), key=_order)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for index, members in enumerate(panels.values()):
        axes = grid.flat[index]
        for at, value in enumerate(hues):
            members_of_hue = [r for r in members if hue is None or r.cell.get(hue) == value]
            _draw(
                axes=axes,
                members=sorted(members_of_hue, key=lambda r: _order(r.cell.get(x))),
                x=x,
                y=y,
                places=places,
                at=at,
                of=len(hues),
                value=value,
            )
        if rest:
            title = _named({n: members[0].cell.get(n) for n in rest})
            axes.set_title(textwrap.fill(title, 36), fontsize=8)
        axes.grid(True, color="0.9", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        if index + columns >= len(panels):
            axes.tick_params(labelbottom=True)
    drawn_figure.supxlabel(_text(x), fontsize=10)
    drawn_figure.supylabel(_text(y), fontsize=10)
    _entitle(drawn_figure, study, results, hue, grid.flat)
    return drawn_figure


def _draw(
    axes: Axes, members: Sequence[CellResult], x: str, y: str, places: Sequence[Any], at: int, of: int, value: object
) -> None:
    """Draw one series: a line with its band over numbers, points with bars over other values."""
    if not members:
        return
    style: dict[str, Any] = {
        "color": COLOURS[at % len(COLOURS)],
        # the marker moves on by one when colours repeat, so that series of one colour differ
        "marker": _MARKERS[(at + at // len(COLOURS)) % len(_MARKERS)],
        "markersize": 4,
    }
    name = "none" if value is None else _text(value)
    mean, low, high = zip(*(r.estimates[y] for r in members), strict=True)
    if all(_number(place) for place in places):
        at_x = [r.cell[x] for r in members]
        axes.plot(at_x, mean, label=name, linewidth=1.2, **style)
        axes.fill_between(at_x, low, high, color=style["color"], alpha=0.2, linewidth=0)
        if min(places) > 0 and max(places) >= 30 * min(places):
            axes.set_xscale("log")
        return
    position = {canonical(place): i for i, place in enumerate(places)}
    # series stand side by side around a place, so that their bars do not hide each other
    shift = 0.5 * ((at + 0.5) / of - 0.5)
    at_x = [position[canonical(r.cell.get(x))] + shift for r in members]
    bars = [[m - b for m, b in zip(mean, low, strict=True)], [b - m for m, b in zip(mean, high, strict=True)]]
    axes.errorbar(at_x, mean, yerr=bars, label=name, linestyle="none", capsize=3, **style)
    axes.set_xlim(-0.5, len(places) - 0.5)
    axes.set_xticks(range(len(places)), [_text(p) for p in places])


def _entitle(drawn_figure: Any, study: Study, results: Sequence[CellResult], hue: str | None, panels: Any) -> None:
    """Write the question, the constant parameters and the undecided cells above, and the legend beside."""
    same = _named(constant([r.cell for r in results]))
    open_ = sum(not r.decided for r in results)
    note = f"bands: {100 * results[0].level:.4g} % confidence sequences" + (f"; {same}" if same else "")
    if open_:
        note += f"; {open_} of {len(results)} cells undecided"
    wide = int(14 * drawn_figure.get_figwidth())  # letters of nine points across the figure
    drawn_figure.suptitle(
        "\n".join([*textwrap.wrap(_text(study.question), wide), *textwrap.wrap(note, wide)]), fontsize=9
    )
    # a dictionary, since the panels repeat the labels of their series
    named = {name: h for axes in panels for h, name in zip(*axes.get_legend_handles_labels(), strict=True)}
    if hue and named:
        drawn_figure.legend(
            list(named.values()),
            list(named),
            title=_text(hue),
            loc="outside right center",
            fontsize=8,
            title_fontsize=8,
            frameon=False,
        )


def _few_colours(png: io.BytesIO) -> io.BytesIO:
    """A PNG with 256 colours of its own in place of 24 bits each."""
    from PIL import Image

    palette_image: Any
    with Image.open(png) as image:
        palette_image = image.convert("RGB").quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        at = 3 * int(palette_image.getpixel((0, 0)))  # the ground keeps its colour to the bit
        colours = palette_image.getpalette()
        colours[at : at + 3] = image.convert("RGB").getpixel((0, 0))
        palette_image.putpalette(colours)
        buffer = io.BytesIO()
        palette_image.save(buffer, "png", optimize=True, dpi=image.info["dpi"])
    return buffer


def save(drawn_figure: Any, path: Path, palette: bool = False) -> None:
    """Write a figure as SVG, PNG or PDF, by the ending of the name: the whole file or nothing.

    Parameters
    ----------
    palette : whether a PNG has 256 colours of its own, a third of the bytes; made for few inks on white

    Raises
    ------
    ValueError
        for another ending.
    """
    mpl, agg = needs("drawing", "matplotlib", "matplotlib.backends.backend_agg")
    if path.suffix not in _FORMATS:
        raise ValueError(f"-o: {path}; expected a name that ends in {', '.join(_FORMATS)}")
    agg.FigureCanvasAgg(drawn_figure)
    data = io.BytesIO()
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix)
    with mpl.rc_context({"svg.hashsalt": "simspec"}):
        drawn_figure.savefig(data, format=path.suffix[1:], metadata=metadata)
    if palette and path.suffix == ".png":
        data = _few_colours(data)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, data.getvalue())
    except OSError as error:
        raise ValueError(f"-o: {path} cannot be written ({error.strerror}); expected a writable place") from None
