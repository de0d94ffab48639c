"""The gallery: which figures there are, their stored rows, their pictures and their captions.

What is simulated and how it is drawn stands in this package, ``<paper>/<name>.py``; the rows between the two, the style and
the pictures in the folder ``figures`` of a clone.  A wheel carries the rows and the style.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.checks import nearest, nearest_name, needs
from simspec.claims.deciding.verify import expected
from simspec.engine.row_values import gather
from simspec.engine.store.fingerprint import fingerprint
from simspec.figures.figure import EFFORTS, Figure
from simspec.figures.parameters import check_values, in_words
from simspec.figures.table import Points, load, save
from simspec.version import __version__

if TYPE_CHECKING:
    pass

__all__ = [
    "agreement",
    "caption",
    "draw",
    "figures",
    "find",
    "links",
    "of_claim",
    "picture",
    "rerun",
    "root",
    "rows",
    "store",
    "stored",
    "style",
    "suffix",
]

PAPERS = ("rdk", "ears", "pad", "sqs", "tasc", "theory", "all")
EVERY = "every"
"""The package of the figures that are of all papers: its name hides none of Python's, as `simspec.guarding` asks."""


_IN_WHEEL = Path(__file__).parent / "shipped"
"""Where the rows and the style are in an installed wheel; see `tool.hatch.build.targets.wheel` in pyproject.toml."""


def root() -> Path:
    """The folder with the stored rows and the style: ``figures`` of a clone, or its copy in an installed wheel."""
    return _IN_WHEEL if _IN_WHEEL.is_dir() else Path(__file__).parents[2] / "figures"


@cache
def figures() -> dict[str, Figure]:
    """All figures by name, paper by paper, in the paper's own order.

    >>> figures()["rdk.pruning"].source
    'RDK, Figure 7'
    """
    from importlib import import_module

    packages = [EVERY if paper == "all" else paper for paper in PAPERS]
    all_figures = [f for package in packages for f in import_module(f"simspec.figures.{package}").FIGURES]
    return {figure.name: figure for figure in all_figures}


def find(names: Iterable[str] = ()) -> list[Figure]:
    """Figures by name or paper, as ``rdk``; all of them where none is named.

    Raises
    ------
    ValueError
        naming what is unknown, and the nearest name.

    Examples
    --------
    >>> [f.name for f in find(["rdk.pruning"])]
    ['rdk.pruning']
    """
    by_name: dict[str, Figure] = {}
    for name in names:
        matching = {n: figure for n, figure in figures().items() if name in (n, n.split(".")[0])}
        if not matching:
            expected = f"a name of `simspec figures --list`, or one of {', '.join(PAPERS)}"
            raise ValueError(f"figure: {name!r}{_nearest(name)}; expected {expected}")
        by_name |= matching
    return list((by_name or figures()).values())


def _nearest(name: str) -> str:
    """The figure or paper whose name is most like another; a figure is known without its paper, too."""
    without_paper = {figure.partition(".")[2]: figure for figure in figures()}
    spelt = name.replace("_", "-").replace("/", ".")
    # two figures of a paper begin alike, so that whole names must be more alike than names of papers
    for known, cutoff in ((figures(), 0.8), (without_paper, 0.8), (PAPERS, 0.7)):
        similar_name = nearest_name(spelt, known, cutoff)
        if similar_name is not None:
            return f", the nearest is {without_paper.get(similar_name, similar_name)}"
    return ""


def of_claim(name: str) -> list[Figure]:
    """Figures that illustrate a claim.

    >>> [f.name for f in of_claim("rdk.plateau-flat")]
    ['rdk.pruning']
    """
    return [f for f in figures().values() if name in f.claims]


def links(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Names and addresses, seen from a folder, of the pictures of each claim; none where there are no pictures, as in a wheel.

    >>> links(root() / "rdk")["rdk.plateau-flat"]
    [('rdk.pruning', 'pruning.png')]
    """
    there = root()
    if not (there / "README.md").is_file():
        return {}
    links_by_claim: dict[str, list[tuple[str, str]]] = {}
    for figure in figures().values():
        for claim in figure.claims:
            address = os.path.relpath(there / f"{figure.file}.png", folder.resolve())
            links_by_claim.setdefault(claim, []).append((figure.name, Path(address).as_posix()))
    return links_by_claim


def rerun(
    figure: Figure,
    effort: str = "default",
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    values: Mapping[str, float] | None = None,
) -> tuple[Points, dict[str, Any]]:
    """Simulate a figure's study again: its rows, and the manifest that says where they come from.

    Parameters
    ----------
    figure : Figure
    effort : quick, default or deep
    seed : int
    progress : function of the number of cells that are done and of all
    values : values of the study's parameters, as `simspec.figures.parameters.defaults` lists them, in place of the effort's

    Raises
    ------
    ValueError
        for an unknown effort or parameter, or a value that does not fit.
    """
    if effort not in EFFORTS:
        raise ValueError(f"effort: {effort!r}{nearest(effort, EFFORTS)}; expected one of {', '.join(EFFORTS)}")
    own = check_values(figure, values or {})
    study = figure.study(**{**figure.sizes.get(effort, {}), **own})
    results = gather(study, seed, progress=progress)
    settings = "".join(f" --set {name}={value}" for name, value in own.items())
    counts = [len(next(iter(r.values.values()))) for r in results]
    manifest = {
        "figure": figure.name,
        "study": study.name,
        "question": study.question,
        "cells": len(study.grid),
        "rows": [min(counts), max(counts)],
        "seed": seed,
        "effort": effort,
        "command": f"simspec figures {figure.name} --rerun --effort {effort} --seed {seed}{settings}",
        "code": fingerprint(study)["fingerprint"],
        "version": __version__,
        **({"set": own} if own else {}),
    }
    return Points(figure.compact(results)), manifest


def stored(figure: Figure, folder: Path | None = None) -> tuple[Points, dict[str, Any]]:
    """Stored rows of a figure and their manifest."""
    return load((folder or root() / "data") / f"{figure.name}.parquet")


def rows(name: str) -> Points:
    """Stored rows of a figure.

    >>> len(rows("rdk.pruning")) > 0
    True
    """
    return stored(find([name])[0])[0]


def store(figure: Figure, figure_rows: Points, manifest: dict[str, Any], folder: Path) -> Path:
    """Write rows where `stored` finds them; those of other values of the parameters beside them, with these in the name."""
    path = folder / f"{figure.name}{suffix(manifest.get('set', {}))}.parquet"
    save(path, figure_rows, manifest)
    return path


def style() -> str:
    """Path of the gallery's style sheet: ``plt.style.use(simspec.figures.style())``.

    >>> Path(style()).name
    'style.mplstyle'
    """
    return str(root() / "style.mplstyle")


def suffix(values: Mapping[str, float]) -> str:
    """What names of files end in where parameters have values of their own.

    >>> suffix({"vocab": 150000, "temperature": 0.6})
    '_vocab=150000_temperature=0.6'
    """
    return f"_{in_words(values, '=', '_')}" if values else ""


def picture(figure: Figure, figure_rows: Points, values: Mapping[str, float] | None = None) -> Any:
    """A Matplotlib figure of some rows, in the gallery's style.

    Where parameters have values of their own, it is titled by them: the figure's own title says what its stored rows show.
    """
    mpl, drawing = needs("drawing", "matplotlib", "matplotlib.figure")
    with mpl.rc_context(fname=style()):
        canvas = drawing.Figure(figsize=figure.size, layout="constrained")
        axes = canvas.subplots(*figure.shape, squeeze=False).ravel().tolist()
        figure.draw(axes[0] if len(axes) == 1 else axes, figure_rows)
        canvas.suptitle(f"{figure.source}, simulated with {in_words(values)}" if values else figure.title)
        if values:
            for panel in axes:
                _widen(panel)
    return canvas


def _widen(axes: Any) -> None:
    """Move limits that suit the stored rows until they hold all that is drawn; logarithmic tails stay cut off."""
    for name, drawn in (("x", axes.dataLim.intervalx), ("y", axes.dataLim.intervaly)):
        if getattr(axes, f"get_{name}scale")() == "linear" and np.isfinite(drawn).all():
            first, last = getattr(axes, f"get_{name}lim")()
            low = min(first, last, *drawn)
            high = max(first, last, *drawn)
            getattr(axes, f"set_{name}lim")(*((low, high) if first <= last else (high, low)))


def draw(name: str, ax: Any = None) -> Any:
    """Draw a figure from its stored rows; a notebook shows what is returned.

    Parameters
    ----------
    name : str
        as in `simspec figures --list`.
    ax : axes, or a list of them, optional
        where to draw it; by default a new figure, returned as a `simspec.engine.show.picture.Picture`, which has all that
        Matplotlib's figure has.  With axes, their figure is returned.

    Raises
    ------
    ValueError
        for an unknown name, or axes that are too few.

    Examples
    --------
    >>> len(draw("rdk.pruning").axes)
    6
    """
    figure = find([name])[0]
    if ax is None:
        from simspec.engine.show.picture import Picture

        return Picture(picture(figure, rows(figure.name)), figure.name)
    panels = figure.shape[0] * figure.shape[1]
    axes_list = ax if isinstance(ax, list | tuple) else [ax]
    if len(axes_list) != panels:
        raise ValueError(f"ax: {len(axes_list)} axes; expected {panels} for {figure.name}")
    figure.draw(axes_list[0] if panels == 1 else list(axes_list), rows(figure.name))
    return axes_list[0].figure


def caption(figure: Figure, manifest: dict[str, Any]) -> str:
    """What a figure shows, from its manifest and from the recorded verdicts of its claims, as Markdown."""
    smallest, largest = manifest["rows"]
    count = f"{largest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"
    cells = f"{manifest['cells']:,} cell" + "s" * (manifest["cells"] != 1)
    lines = [
        f"{figure.title} ({figure.source}). Data: {figure.data}.",
        f"Study `{manifest['study']}`, {cells} of {count} row{'s' * (largest != 1)}, seed {manifest['seed']};",
        f"intervals: {figure.intervals}." if figure.intervals else "the numbers are exact for the data named.",
        f"Rows: `{manifest['command']}`.",
        *([f"Not the paper's own figure: {figure.missing}."] if figure.missing else []),
        agreement(figure),
    ]
    return " ".join(lines)


def agreement(figure: Figure) -> str:
    """Whether the picture agrees with what is printed, in the words of the verdicts of its claims."""
    verdicts = expected()["verdicts"]
    verdict_phrases = [f"`{name}` is **{verdicts[name]}**" for name in figure.claims]
    return (
        f"Beside the paper: {', '.join(verdict_phrases)}."
        if verdict_phrases
        else "No printed sentence is decided by this picture."
    )
