"""Draws of NumPy's paths, and what a rule cannot do without: tokens drawn, masses and last tokens that are searched for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.rounds.block.reference import BlockLaws

__all__ = ["Noted", "Sampler", "beyond", "last_token"]

Array = NDArray[Any]


class Noted(NamedTuple):
    """What rounds of some rows cannot do without.

    Attributes
    ----------
    rows : how many rounds
    drawn : tokens that one draws, drafts and last ones
    masses : r < 1 of which the mass of (r p - q)_+ has to be known
    places : last tokens that are drawn of such a mass: r, how many tokens have r p > q, and the part of the mass (3, any number)
    """

    rows: int
    drawn: float
    masses: Array
    places: Array

    def searched(self) -> dict[str, float]:
        """Masses and last tokens that a round searches for.

        >>> Noted(2, 1.0, np.zeros(3), np.zeros((3, 1))).searched()
        {'masses': 1.5, 'places': 0.5}
        """
        return {"masses": len(self.masses) / self.rows, "places": self.places.shape[1] / self.rows}


class Sampler:
    """Draws of a path, and how many tokens were drawn: each reads a table at a random place, whatever the implementation.

    Where it is `noting`, it also keeps each r < 1 of which the mass of (r p - q)_+ has to be known, and each last token that is
    drawn of such a mass: its r, how many tokens have r p > q, and the part of the mass that draws it.  With r = 1 both are
    tabulated.

    >>> one = Sampler(np.random.default_rng(0))
    >>> one.token(np.ones(1), 3).tolist(), one.drawn
    ([0, 0, 0], 3)
    """

    def __init__(self, rng: np.random.Generator, noting: bool = False) -> None:
        self.random = rng.random
        self.drawn = 0
        self.noting = noting
        self.masses: list[Array] = [np.zeros(0)]
        self.places: list[Array] = [np.zeros((3, 0))]

    def token(self, table: Array, size: Any) -> Array:
        """Tokens of a law given by its cumulative sums."""
        u = self.random(size)
        self.drawn += u.size
        return np.minimum(np.searchsorted(table, u, side="right"), len(table) - 1)

    def outside(self, table: Array, tried_tokens: Array) -> Array:
        """A token for each row that is none of those tried (rows, any number)."""
        x = self.token(table, len(tried_tokens))
        while (again := (tried_tokens == x[:, None]).any(axis=1)).any():
            x[again] = self.token(table, again.sum())
            self.drawn -= int(again.sum())
        return x

    def noted(self, rows: int) -> Noted:
        """What was drawn and noted in so many rounds."""
        masses = np.concatenate(self.masses)
        places = np.concatenate(self.places, axis=1)
        return Noted(rows, self.drawn / rows, masses, np.ascontiguousarray(places))

    def missed(self, r: Array, needed: Any = True) -> None:
        """Masses that have to be known."""
        if self.noting:
            self.masses.append(r[(r < 1) & needed])

    def tested(self, laws: BlockLaws, r: Array, needed: Array, share: Any = None) -> None:
        """Masses of tests of which the coin does not fail for sure: it is not above a bound, by default that of r."""
        if self.noting:
            top = r * beyond(laws, np.ones(1))[1]
            bound = np.divide(top, top + 1 - r, out=np.ones_like(r), where=top + 1 > r) if share is None else share
            self.missed(r, needed & (self.random(len(r)) < bound))


def beyond(laws: BlockLaws, r: Array) -> tuple[Array, Array]:
    """How many tokens have r p > q, and their mass of r p - q."""
    group_size = np.searchsorted(laws.rising[0], r, side="left")
    last = np.maximum(group_size - 1, 0)
    return group_size, np.where(group_size > 0, np.maximum(r * laws.above_p[0, last] - laws.above_q[0, last], 0), 0)


def last_token(laws: BlockLaws, r: Array, by: Sampler, tries: int = 0) -> Array:
    """A token of (r p - q)_+ in each row, by bisections of all rows at once.

    `tries` are the tokens of (p - q)_+, whose law is tabulated, that may save the search: those that fail, and know no mass yet.
    """
    u = by.random(len(r))
    by.drawn += len(r)
    group_size, mass = beyond(laws, r)
    if by.noting:
        some = (r < 1) & (mass > 0)
        if tries:
            full_mass = np.maximum(r * beyond(laws, np.ones(1))[1], np.finfo(float).tiny)
            some &= by.random(len(r)) < np.maximum(1 - mass / full_mass, 0) ** tries
            by.missed(r, some)
        by.places.append(np.stack([r, group_size, u * mass])[:, some])
    low = np.zeros_like(group_size)
    high = np.maximum(group_size - 1, 0)
    while (going := low < high).any():
        middle = (low + high) >> 1
        above = r * laws.above_p[0, middle] - laws.above_q[0, middle] > u * mass
        high = np.where(going & above, middle, high)
        low = np.where(going & ~above, middle + 1, low)
    target = np.minimum(np.searchsorted(laws.target[0], u, side="right"), len(laws.target[0]) - 1)
    return np.where(mass > 0, laws.order[0, low], target)
