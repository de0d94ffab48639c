"""The gallery: the papers' figures and tables on synthetic and real logits, drawn from stored rows."""

from __future__ import annotations

from simspec.figures.figure import Figure
from simspec.figures.gallery import draw, find, of_claim, rerun, rows, style

__all__ = ["Figure", "draw", "find", "of_claim", "rerun", "rows", "style"]
