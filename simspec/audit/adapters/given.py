"""Laws of one's own as pairs to audit on: typed as masses, or arrays of an ``.npz`` or ``.safetensors`` file."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from simspec.audit.adapters.banked import lumped
from simspec.audit.pairs import MOST_TEXTS, Pair, checked
from simspec.checks import whole_number
from simspec.laws import Array, softmax
from simspec.logits.names import refuse_logits
from simspec.logits.npz import read_npz
from simspec.logits.plain import read_safetensors
from simspec.tools.reading import load

__all__ = ["pair_of_text", "pairs_of_file"]

EXAMPLE = "'1/4 3/4, 1 0' '1/2 1/2'"


def pair_of_text(p: str, q: str) -> Pair:
    """A pair from masses: those of a row between spaces, rows between commas; p has a row more than q.

    Raises
    ------
    ValueError
        for what is no number, rows of unequal lengths, and what is no law.

    >>> pair = pair_of_text("1/4 3/4, 1 0", "0.5 0.5")
    >>> pair.p.tolist(), pair.q.tolist()
    ([[0.25, 0.75], [1.0, 0.0]], [[0.5, 0.5]])
    """
    vocab = len(p.partition(",")[0].split())
    if not vocab:
        raise ValueError(f"--pair: p: {p!r}; expected masses, as in --pair {EXAMPLE}")
    laws = [_rows(text, name, vocab) for name, text in (("p", p), ("q", q))]
    return checked([Pair(f"p = {p}; q = {q}", *laws)])[0]


def _rows(text: str, name: str, vocab: int) -> Array:
    """Rows of masses in fractions."""
    rows = []
    for row in text.split(",") if text.strip() else []:
        try:
            masses = [Fraction(mass) for mass in row.split()]
        except (ValueError, ZeroDivisionError):
            raise ValueError(f"--pair: {name}: {row.strip()!r}; expected masses, as in --pair {EXAMPLE}") from None
        if len(masses) != vocab:
            raise ValueError(
                f"--pair: {name}: {row.strip()!r} has {len(masses)} masses; expected {vocab}, as in --pair {EXAMPLE}"
            )
        rows.append(masses)
    return np.array(rows, dtype=object).reshape(len(rows), vocab)


def pairs_of_file(path: str | Path, count: int = 8, gamma: int = 2, vocab: int = 3) -> list[Pair]:
    """Pairs of an ``.npz`` or ``.safetensors`` file with laws p and q, or logits target and draft.

    Where the first has one row more than the second, (gamma + 1, V) and (gamma, V), they are one pair and taken as they are.
    Else both are (V,) or (n, V): row i of a pair is the i-th of gamma + 1 rows that follow each other, from `count` places
    spread over the file; of fewer rows each comes again.  More than `vocab` tokens are made `vocab`: the likely ones stay
    apart, all others are one (`simspec.audit.adapters.banked.lumped`).

    Raises
    ------
    ValueError
        for a file that cannot be read or is without such arrays, and for what is no law.
    """
    path = Path(path)
    count = whole_number("rows", count, 1, None, "a positive number of places")
    gamma = whole_number("gamma", gamma, 0, 8)
    vocab = whole_number("vocab", vocab, 2, 64)
    arrays = _arrays(path)
    if (single_pair := _one_pair(arrays, path.name)) is not None:
        texts = single_pair.vocab ** (single_pair.gamma + 1)
        return checked([single_pair if texts <= MOST_TEXTS else _lumped(single_pair, vocab)])
    laws = load(path)
    rows = len(laws.p)
    starts = np.unique(np.linspace(0, max(rows - gamma - 1, 0), count).astype(int))
    pairs = []
    for start in starts:
        places = (start + np.arange(gamma + 1)) % rows
        pair = Pair(f"{path.name}, row {start}", laws.p[places], laws.q[places[:gamma]])
        pairs.append(_lumped(pair, vocab) if pair.vocab > vocab else pair)
    return checked(pairs)


def _arrays(path: Path) -> dict[str, Any]:
    """The arrays of a file; none where `load` says what is wrong with it."""
    if path.suffix == ".npz":
        return read_npz(path, "--bank")
    if path.suffix == ".safetensors" and path.is_file():
        return read_safetensors(path)
    return {}


def _one_pair(arrays: dict[str, Any], name: str) -> Pair | None:
    """Arrays of which the first has one row more than the second; None where there are no such."""
    for first, second, are_logits in (("p", "q", False), ("target", "draft", True)):
        if first in arrays and second in arrays:
            p = arrays[first]
            q = arrays[second]
            if p.ndim == q.ndim == 2 and len(p) == len(q) + 1 and p.shape[1] == q.shape[1]:
                p = p.astype(np.float64)
                q = q.astype(np.float64)
                if not are_logits:
                    refuse_logits(p, first)
                    refuse_logits(q, second)
                return Pair(name, softmax(p), softmax(q)) if are_logits else Pair(name, p, q)
    return None


def _lumped(pair: Pair, vocab: int) -> Pair:
    q = np.concatenate([pair.q, pair.q[:1] if pair.gamma else pair.p])  # `lumped` takes as many rows of both
    p, q = lumped(pair.p, q, vocab)
    return pair._replace(p=p, q=q[: pair.gamma])
