"""A file of a user's claims, for the tests of what is done with claims that do not ship."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

__all__ = ["MINE", "folder"]

MINE = """
from fractions import Fraction

import numpy as np

from simspec.claims.authoring import bound


def pair(draw):
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def both(p, q):
    return np.minimum(p, q).sum(axis=-1)


words = {"statement": "it holds", "reference": "nobody", "instances": pair, "lhs": both}
TRUE = bound(name="own.true", rhs=lambda: 1, **words)
MORE = (bound(name="own.false", rhs=lambda: Fraction(1, 2), **words), bound(name="own.crash", rhs=lambda: 1 // 0, **words))
"""


def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `mine.py`, in which commands are given."""
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    return tmp_path
