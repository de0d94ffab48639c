"""A Matplotlib figure that a notebook shows by itself, in a kernel that never heard of Matplotlib."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from simspec.engine.results import Results
from simspec.engine.show.plots import figure, save

__all__ = ["Picture", "plot_results"]


class Picture:
    """A figure: shown by notebooks as it is, written with `save`, changed as `figure`, whose names are its own too.

    >>> from matplotlib.figure import Figure
    >>> picture = Picture(Figure(), "nothing")
    >>> picture, picture._repr_png_()[:4]
    (Picture(nothing; save(path) writes it, figure is Matplotlib's), b'\\x89PNG')
    >>> picture.axes
    []
    """

    def __init__(self, figure: Any, name: str) -> None:
        self.figure, self.what = figure, name

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as .svg, .png or .pdf; ValueError for another ending or a place that cannot be written."""
        save(self.figure, Path(path))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "figure":  # nothing of how Matplotlib shows or copies itself
            raise AttributeError(f"Picture has no {name!r}")
        return getattr(self.figure, name)

    def __repr__(self) -> str:
        return f"Picture({self.what}; save(path) writes it, figure is Matplotlib's)"

    def _repr_png_(self) -> bytes:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        data = io.BytesIO()
        FigureCanvasAgg(self.figure).print_figure(data, format="png")
        return data.getvalue()


def plot_results(results: Results, x: str | None = None, y: str | None = None, hue: str | None = None) -> Picture:
    """A measure of a study against a parameter with its intervals, as ``simspec study plot`` draws it.

    Parameters
    ----------
    x, y, hue : str, optional
        parameter along x, measure (with its place, such as ``accepted[0]``), parameter in colours.

    Raises
    ------
    ValueError
        for an unknown name, or more panels than can be read.
    """
    return Picture(figure(results.study, results, x, y, hue), results.study.name)
