"""A test with a uniform number in float32 never accepts a token that the target excludes.

`folk.zero-coin`, with its correction: SGLang #35771.
"""

from __future__ import annotations

from math import ceil, floor

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, swapped

GRID = 2**24
"""Values of a uniform float32 in [0, 1)."""


def _coin(draw: Draw) -> Instance:
    return {"c": draw.number(0, 1), "grid": draw.integer(1, 8)}


def _at_most(c: F, grid: int) -> F:
    """P(u ≤ c) for u uniform on {0, 1/N, …, 1 − 1/N}."""
    return F(min(floor(c * grid) + 1, grid), grid)


def _below(c: F, grid: int) -> F:
    """P(u < c)."""
    return F(ceil(c * grid), grid)


def _excess(c: F, grid: int) -> Array:
    """How much more than c is accepted by u < c, how much less, and how much where c is 0."""
    accepted_share = _below(c, grid)
    return np.array([accepted_share - c, c - accepted_share, accepted_share if c == 0 else F(0)], dtype=object)


ZERO_COIN = bound(
    name="folk.zero-coin",
    statement=r"Test $u \le c$ with $u$ uniform on $\{0, 2^{-24}, \dots, 1 - 2^{-24}\}$: no token with $p = 0$ is ever accepted",
    reference="SGLang #35771",
    instances=lambda draw: {"c": F(0), "grid": GRID},
    lhs=_at_most,
    rhs=lambda c: c,
    sources=("exact",),
    corrected_by=("folk.zero-coin-corrected",),
    note="u = 0 passes: once in 16.8 million tests a token is accepted that the target never says.",
)

ZERO_COIN_CORRECTED = bound(
    name="folk.zero-coin-corrected",
    statement=r"Test $u < c$ with $u$ uniform on $\{0, 1/N, \dots, 1 - 1/N\}$: a token with $c = 0$ is never accepted, and $0 "
    r"\le P(u < c) - c \le 1/N$; in float32 $N = 2^{24}$",
    reference="correction of SGLang #35771",
    instances=_coin,
    lhs=_excess,
    rhs=lambda grid: np.array([F(1, grid), F(0), F(0)], dtype=object),
    sources=("exact",),
    broken=[swapped()],
)
