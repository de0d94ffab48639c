"""A Matplotlib figure that a notebook shows by itself, in a kernel that never heard of Matplotlib."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from simspec.engine.show.plots import save

__all__ = ["Picture", "to_csv"]


class Picture:
    """A figure: shown by notebooks as it is, written with `save`, changed as `figure`.

    >>> from matplotlib.figure import Figure
    >>> picture = Picture(Figure(), "nothing")
    >>> picture, picture._repr_png_()[:4]
    (Picture(nothing; save(path) writes it, figure is Matplotlib's), b'\\x89PNG')
    """

    def __init__(self, figure: Any, what: str) -> None:
        self.figure, self.what = figure, what

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as .svg, .png or .pdf; ValueError for another ending or a place that cannot be written."""
        save(self.figure, Path(path))

    def __repr__(self) -> str:
        return f"Picture({self.what}; save(path) writes it, figure is Matplotlib's)"

    def _repr_png_(self) -> bytes:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        data = io.BytesIO()
        FigureCanvasAgg(self.figure).print_figure(data, format="png")
        return data.getvalue()


def to_csv(frame: Any, path: str | os.PathLike[str] | None) -> str | None:
    """A frame as CSV without its index: the text, or None once it stands in a file, written whole or not at all."""
    from simspec.files import write_text

    text = str(frame.to_csv(index=False))
    if path is None:
        return text
    write_text(text, Path(path))
    return None
