"""Shares of acceptance by child, from laws, a bank, a file of shares, or shares at hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simspec.checks import nearest
from simspec.laws import Array
from simspec.methods.multi.acceptance import rrsw_rates
from simspec.methods.tree.rates import rates_of_drawn, rates_of_top
from simspec.tools.reading import Pairs, load

__all__ = ["RULES", "Shares", "child_rates", "mean_shares", "read_rates", "shares_of"]

RULES: dict[str, Callable[[Array, Array, int, int], Array]] = {
    "top": lambda p, q, children, first: rates_of_top(p, q, children),
    "iid": lambda p, q, children, first: rates_of_drawn(p, q, children),
    "swor": lambda p, q, children, first: rrsw_rates(p, q, children, _WAYS, first),
}
"""Shares from laws, (p, q, children, number of the first row): the draft's most likely tokens as candidates, or recursive
rejection of independent draws, or of draws without replacement, as in Sequoia."""
_WAYS = 2
"""Ways to be refused that are drawn at each row, of which there are many."""


@dataclass(frozen=True)
class Shares:
    """How often each child of a node is accepted.

    Attributes
    ----------
    rates : (K,) by child, or (D, K) by depth and child
    halves : the same of two halves of the documents, None where there is one document or none
    source : where they come from
    kind : the kind of text that was read of a source with both, else None
    """

    rates: Array
    halves: tuple[Array, Array] | None
    source: str
    kind: str | None = None


def shares_of(source: Any, children: int, rule: str) -> Shares:
    """Mean shares of a source, and those of both halves of its documents.

    Parameters
    ----------
    source, children, rule : as `simspec.tools.trees.trees` takes them

    Raises ValueError for an array of another shape.

    >>> shares_of([0.5, 0.25], 8, "top").source
    'shares given'
    """
    if isinstance(source, Shares):
        return source
    if isinstance(source, (Pairs, str, Path, tuple)):
        pairs = source if isinstance(source, Pairs) else load(source)
        rates = child_rates(pairs, children, rule)
        return mean_shares(rates, pairs.document, pairs.source, pairs.kind)
    rates = np.asarray(source, dtype=float)
    if rates.ndim not in (1, 2) or not rates.size:
        raise ValueError(f"rates: shape {rates.shape}; expected (K,) by child, or (D, K) by depth and child")
    return Shares(rates, None, "shares given")


def mean_shares(rates: Array, document: Array, source: str, kind: str | None = None) -> Shares:
    """Means of shares over rows, and over the rows of every second document and of the others.

    Parameters
    ----------
    rates : (n, K) or (n, D, K), a row of shares for each row of laws
    document : (n,) labels
    source : where they come from
    kind : the kind of text that was read of a source with both, else None

    >>> mean_shares(np.array([[0.5], [0.25]]), np.array([0, 1]), "by hand").halves
    (array([0.5]), array([0.25]))
    """
    half = np.unique(document, return_inverse=True)[1] % 2
    halves = (rates[half == 0].mean(axis=0), rates[half == 1].mean(axis=0)) if half.any() else None
    return Shares(rates.mean(axis=0), halves, source, kind)


def child_rates(pairs: Pairs, children: int = 8, rule: str = "top") -> Array:
    """How often each child of a node is accepted at each row of laws, (n, children).

    Parameters
    ----------
    pairs : laws
    children : int >= 1
    rule : "top", the draft's most likely tokens; "iid", recursive rejection of independent draws; "swor", of draws without
        replacement (Sequoia; beyond the second child a mean over a few drawn ways to be refused at each row)

    Raises ValueError for another rule, and names the nearest.

    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> print(child_rates(half, 2), child_rates(half, 2, "iid"), child_rates(half, 2, "swor"))
    [[0.5 0.5]] [[0.75   0.0625]] [[0.75 0.25]]
    """
    if rule not in RULES:
        raise ValueError(f"rule: {rule!r}{nearest(rule, RULES)}; expected one of {', '.join(RULES)}")
    parts = [
        RULES[rule](pairs.p[row_slice], pairs.q[row_slice], children, row_slice.start) for row_slice in pairs.parts()
    ]
    return np.concatenate(parts)


def read_rates(path: str | Path) -> list[Any]:
    """Shares of acceptance from a JSON file: a list by child, or a list for each depth.

    Raises ValueError for a file that is no such list.
    """
    try:
        shares = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: not JSON ({error}); expected a list of acceptance rates") from None
    rows = shares if isinstance(shares, list) and shares and isinstance(shares[0], list) else [shares]
    is_rectangular = all(isinstance(row, list) and row and len(row) == len(rows[0]) for row in rows)
    if not is_rectangular or not all(isinstance(x, (int, float)) and 0 <= x <= 1 for row in rows for x in row):
        raise ValueError(f"{path}: expected a list of rates in [0, 1], or a list of equally long lists, one per depth")
    return shares if isinstance(shares, list) else []
