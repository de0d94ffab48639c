"""The smallest laws on which a member of the zoo is biased, found by trying all laws on a grid in order of their size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from simspec.audit.pairs import Pair
from simspec.audit.zoo.member import Member, shown_tv
from simspec.laws import Array, exact

__all__ = ["Size", "grid", "rows", "smallest", "written"]

ROUNDING = 1e-12
"""A TV below this, in floats, is taken for 0."""


class Size(NamedTuple):
    """What makes laws small, in this order: drafts, tokens, denominator of the masses, rows with chance in them."""

    gamma: int
    vocab: int
    denominator: int
    uncertain: int


SIZES: tuple[tuple[int, int, int], ...] = tuple(
    (gamma, vocab, parts) for gamma in (1, 2) for vocab in (2, 3) for parts in (1, 2, 4)
)


def rows(vocab: int, parts: int) -> list[tuple[int, ...]]:
    """All laws with masses that are multiples of 1/parts, as numerators.

    >>> rows(2, 2)
    [(2, 0), (1, 1), (0, 2)]
    """
    return [row for row in product(range(parts, -1, -1), repeat=vocab) if sum(row) == parts]


def grid(size: Size) -> Iterator[tuple[Array, Array]]:
    """All pairs of laws p, q of one size.

    >>> len(list(grid(Size(1, 2, 1, 0)))), len(list(grid(Size(1, 2, 2, 1))))
    (8, 12)
    """
    all_rows = rows(size.vocab, size.denominator)
    sure = [row for row in all_rows if max(row) == size.denominator]
    open_ = [row for row in all_rows if max(row) < size.denominator]
    for where in product((open_, sure), repeat=2 * size.gamma + 1):
        if sum(kind is open_ for kind in where) == size.uncertain:
            for chosen_rows in product(*where):
                laws = np.array(chosen_rows) / size.denominator
                yield laws[: size.gamma + 1], laws[size.gamma + 1 :]


def smallest(member: Member, sizes: Sequence[tuple[int, int, int]] = SIZES) -> Pair | None:
    """The smallest laws with a draft on which a member is biased, of these the ones with the largest TV, then the first.

    None where no law is; sizes are (drafts, tokens, denominator), by default to two drafts, three tokens and quarters.

    >>> from simspec.audit.zoo import MEMBERS
    >>> smallest(MEMBERS["zero_coin"]).name
    'p = 1/2 1/2, 1 0; q = 1 0'
    """
    for gamma, vocab, parts in sizes:
        for uncertain in range(2 * gamma + 2 if parts > 1 else 1):
            best = None
            worst = ROUNDING
            for p, q in grid(Size(gamma, vocab, parts, uncertain)):
                if (tv := float(shown_tv(member, p, q))) > worst + ROUNDING:
                    best = (p, q)
                    worst = tv
            if best is not None and shown_tv(member, *map(exact, best)) > 0:
                return written(*best)
    return None


def written(p: Array, q: Array) -> Pair:
    """Laws with the name that says them.

    >>> written(np.array([[0.5, 0.5]]), np.zeros((0, 2))).name
    'p = 1/2 1/2; q = '
    """
    texts = [", ".join(" ".join(str(Fraction(mass)) for mass in row) for row in laws.tolist()) for laws in (p, q)]
    return Pair(f"p = {texts[0]}; q = {texts[1]}", p, q)
