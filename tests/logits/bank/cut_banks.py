"""A bank of two contexts with cut rows, by hand: a target, two drafts, five tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simspec.logits.bank.cut import cut_part, cut_rows
from simspec.logits.bank.storage import Contexts, Part, store_rows, write_bank

__all__ = ["P", "Q", "R", "write_cut_bank"]

P = np.array([[8.0, 4, 2, 1, 1], [1, 1, 1, 1, 12]]) / 16
Q = np.array([[1.0, 1, 2, 4, 8], [1, 1, 1, 1, 12]]) / 16
R = np.array([[1.0, 1, 1, 12, 1], [12, 1, 1, 1, 1]]) / 16


def _contexts(count: int, corpus: str = "chat") -> Contexts:
    zeros = np.zeros(count, dtype=np.int32)
    return Contexts(zeros, zeros, np.arange(count), np.arange(count), np.array([corpus] * count))


def write_cut_bank(path: Path) -> Path:
    """Two contexts of five tokens, both cut; the second has its whole row too."""
    target, *others = (np.log(law) for law in (P, Q, R))
    rows = [store_rows(z[1:]) for z in (target, *others)]
    write_bank(
        path,
        name="own",
        evaluation=Part(rows[0], rows[1], _contexts(1)),
        tokens=[b"a", b"b", b"c", b"d", b"e"],
        provenance={"models": {role: {"name": role} for role in ("target", "draft", "draft_2")}},
        drafts=("near", "far"),
        further=rows[2:],
        cut=cut_part(cut_rows([target, *others], 2), _contexts(2, "code"), np.array([-1, 0])),
    )
    return path
