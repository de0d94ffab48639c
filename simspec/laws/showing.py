"""A picture of laws: a small bar for each token, in notebooks; the same as text elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.html import COLOURS, Shown, bars, columns, entry, table, tag, text_bar
from simspec.laws.arrays import Array, shape
from simspec.laws.checks import check_law

__all__ = ["legend", "names_of", "show"]

MOST = 12
"""Tokens shown; the others are added up in a last row."""


def show(*laws: Array, labels: Sequence[str] | None = None, names: Sequence[str] = "pqdr") -> Shown:
    """Laws side by side, a bar for each token; of a large vocabulary the tokens that have most of all laws together.

    Parameters
    ----------
    *laws : (V,); at least one
    labels : V texts, optional; what the tokens are called, by default their numbers
    names : what the laws are called

    Raises ValueError for what is no law, a batch, laws over several vocabularies, or too few labels or names.

    >>> show([0.75, 0.25], labels=["yes", "no"])
    token     p
    yes    0.75  ████████████████
    no     0.25  █████▍
    """
    if not laws or len(laws) > len(names):
        raise ValueError(f"laws: {len(laws)}; expected at least one, and a name for each ({len(names)} names)")
    rows = [check_law(law, name) for law, name in zip(laws, names, strict=False)]
    for row, name in zip(rows, names, strict=False):
        if row.shape != rows[0].shape or row.ndim != 1:
            raise ValueError(f"{name}: shape {shape(row)}; expected one law, (V,), over one vocabulary: choose a row")
    tokens = names_of(labels, len(rows[0]))
    shown_tokens, rest = _largest(rows)
    masses = [[row[n] for row in rows] for n in shown_tokens] + (
        [[row[rest].sum() for row in rows]] if len(rest) else []
    )
    tokens = [tokens[n] for n in shown_tokens] + ([f"{len(rest):,} others"] if len(rest) else [])
    head = ["token", *names[: len(rows)]]
    largest_mass = max(float(m) for line in masses for m in line)
    lines = [[token, *map(entry, line)] for token, line in zip(tokens, masses, strict=True)]
    bar_cells = [bars([[(m, COLOURS[n % len(COLOURS)])] for n, m in enumerate(line)], largest_mass) for line in masses]
    page = table([*head, ""], [[*line, bar] for line, bar in zip(lines, bar_cells, strict=True)])
    if len(rows) > 1:
        page = tag("div", page, legend([(COLOURS[n], names[n]) for n in range(len(rows))]))
    text = columns(
        [*head, *[""] * len(rows)],
        [[*a, *(text_bar(m, largest_mass) for m in b)] for a, b in zip(lines, masses, strict=True)],
    )
    return Shown("\n".join(line.rstrip() for line in text.splitlines()), page)


def legend(meanings: Sequence[tuple[str, str]]) -> Any:
    """A line that says what colours mean.

    >>> legend([("#000000", "kept")]).count("kept")
    1
    """
    parts = [(tag("span", "■", style=f"color:{colour}"), f" {name}  ") for colour, name in meanings]
    return tag("div", *(element for pair in parts for element in pair))


def names_of(labels: Sequence[str] | None, vocab: int) -> list[str]:
    """What tokens are called: labels, one a token, or their numbers.

    >>> names_of(None, 2)
    ['0', '1']
    """
    if labels is not None and len(labels) != vocab:
        raise ValueError(f"labels: {len(labels)}; expected one for each of {vocab} tokens")
    return [str(label) for label in (range(vocab) if labels is None else labels)]


def _largest(rows: Sequence[Array]) -> tuple[list[int], list[int]]:
    """Tokens to show, in order, and those to add up."""
    vocab = len(rows[0])
    if vocab <= MOST:
        return list(range(vocab)), []
    order = np.argsort(-sum(row.astype(np.float64) for row in rows), kind="stable").tolist()
    return order[:MOST], order[MOST:]
