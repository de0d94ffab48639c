"""Numbers read back from a picture: the heights of its marks, ends of intervals, cells of maps; guides left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.patches import Rectangle

from simspec.figures.marks import GUIDE


def numbers(canvas: Any) -> np.ndarray:
    """Every finite height that a canvas shows, once each, sorted."""
    found: list[np.ndarray] = [np.empty(0)]
    for ax in canvas.axes:
        if ax.get_label() != "<colorbar>":
            for artist in ax.get_children():
                found += _heights(artist, ax) if artist.get_gid() != GUIDE else []
    every = np.concatenate([np.asarray(part, dtype=float).ravel() for part in found])
    return np.unique(every[np.isfinite(every)])


def _heights(artist: Any, ax: Any) -> list[Any]:
    if isinstance(artist, QuadMesh):
        return [np.ma.filled(np.ma.asarray(artist.get_array(), dtype=float), np.nan)]
    if isinstance(artist, LineCollection):
        return [segment[:, 1] for segment in artist.get_segments()]
    if isinstance(artist, PolyCollection):
        return [path.vertices[:, 1] for path in artist.get_paths()]
    if isinstance(artist, PathCollection):
        return [np.asarray(artist.get_offsets())[:, 1]]
    if isinstance(artist, Rectangle) and artist is not ax.patch:
        return [[artist.get_height()]]
    return [artist.get_ydata()] if hasattr(artist, "get_ydata") else []


def missing(of: Any, among: np.ndarray) -> list[float]:
    """Numbers that are not among some others, up to the last bits."""
    values = np.unique(np.asarray(of, dtype=float))
    values = values[np.isfinite(values)]
    if not len(among):
        return list(values)
    places = np.searchsorted(among, values)
    near = among[[np.clip(places - 1, 0, len(among) - 1), np.clip(places, 0, len(among) - 1)]]
    off = np.abs(near - values).min(axis=0) > 1e-9 * np.maximum(1e-3, np.abs(values))
    return [float(v) for v in values[off]]
