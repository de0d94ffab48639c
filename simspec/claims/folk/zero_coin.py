"""`folk.zero-coin`, with its correction: SGLang #35771."""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np

from simspec.claims.words import Array, Draw, F, Instance, bound

GRID = 2**24
"""Values of a uniform float32 in [0, 1)."""


def _coin(draw: Draw) -> Instance:
    return {"c": draw.number(0, 1)}


def _at_most(c: Any) -> F:
    """P(u ≤ c) for u uniform on {0, 1/2²⁴, …, 1 − 1/2²⁴}."""
    return F(min(floor(F(c) * GRID) + 1, GRID), GRID)


def _below(c: Any) -> F:
    """P(u < c)."""
    return F(-floor(-F(c) * GRID), GRID)


def _excess(c: Any) -> Array:
    """How much more than c is accepted by u < c, how much less, and how much of a token with c = 0."""
    return np.array([_below(c) - c, c - _below(c), _below(F(0))], dtype=object)


ZERO_COIN = bound(
    name="folk.zero-coin",
    statement=r"Test $u \le c$ with $u$ uniform on $\{0, 2^{-24}, \dots, 1 - 2^{-24}\}$: no token with $p = 0$ is ever accepted",
    reference="SGLang #35771",
    instances=lambda draw: {"c": F(0)},
    lhs=lambda c: _at_most(c),
    rhs=lambda c: c,
    sources=("exact",),
    corrected_by=("folk.zero-coin-corrected",),
    note="u = 0 passes: once in 16.8 million tests a token is accepted that the target never says.",
)

ZERO_COIN_CORRECTED = bound(
    name="folk.zero-coin-corrected",
    statement=r"Test $u < c$: a token with $c = 0$ is never accepted, and $0 \le P(u < c) - c \le 2^{-24}$",
    reference="correction of SGLang #35771",
    instances=_coin,
    lhs=_excess,
    rhs=lambda: np.array([F(1, GRID), F(0), F(0)], dtype=object),
    sources=("exact",),
)
