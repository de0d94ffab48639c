"""Mass that a matrix moves: what leaves a token, what reaches another, and what acceptance gains by it."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, eye, is_exact, law, mask
from simspec.claims.rdk.parts import proposed
from simspec.laws import restrict
from simspec.laws.unchecked import overlap

__all__ = [
    "ALL",
    "CERTAIN",
    "EVEN",
    "SURPLUS",
    "arriving",
    "gain_over_tli",
    "leaving",
    "moving",
    "received",
    "surplus_only",
]

SURPLUS = "M moves only what the draft has beyond the target"


def arriving(d: Array, M: Array) -> Array:
    """Mass that reaches each token from others, Σ_{i ≠ j} d_i M_ij.

    >>> from simspec.claims.authoring import matrix
    >>> arriving(law(1, 0), matrix("1/2 1/2", "0 1")).tolist()
    [Fraction(0, 1), Fraction(1, 2)]
    """
    return d @ M - d * np.diagonal(M)


def leaving(d: Array, M: Array) -> Array:
    """Mass that leaves each token, d_i (1 − M_ii).

    >>> from simspec.claims.authoring import matrix
    >>> leaving(law(1, 0), matrix("1/2 1/2", "0 1")).tolist()
    [Fraction(1, 2), Fraction(0, 1)]
    """
    return d * (1 - np.diagonal(M))


def surplus_only(p: Array, d: Array, M: Array) -> bool:
    """Whether M moves no more of any token than the draft d has beyond p.

    >>> from simspec.claims.authoring import matrix
    >>> surplus_only(law("1/2", "1/2"), law(1, 0), matrix("1/2 1/2", "0 1"))
    True
    """
    rounding = 0 if is_exact(d) else 1e-12
    return bool((leaving(d, M) <= np.maximum(d - p, 0) + rounding).all())


def _one(draw: Draw, vocab: int) -> tuple[Array, Array]:
    """Target and draft of one context."""
    p, q = draw.pair(vocab)
    return (p, q) if p.ndim == 1 else (p[0], q[0])


def _share(d: Array, kernel: Array) -> Array:
    """The part of each token's draft mass that is drafter kernel, as a column."""
    return np.where(d > 0, kernel / np.where(d > 0, d, 1), 0 * d)[:, None]


def moving(draw: Draw, guessed: bool = False, filling: bool = False) -> Instance:
    """A matrix that moves a part of the drafter kernel: anywhere, or in proportion to what is wanted."""
    n = draw.vocab(matrix=True)
    p, q = _one(draw, n)
    guess = _one(draw, n)[draw.integer(0, 1)] if guessed else p
    shared = draw.mask(n)
    share = draw.number(0, 1)
    d = restrict(q, shared)
    want = np.maximum(guess - d, 0)
    onto = draw.matrix(n)
    if (filling or draw.integer(0, 1)) and want.sum() > 0:
        onto = np.broadcast_to(want / want.sum(), (n, n))
    moved_share = share * _share(d, np.maximum(d - guess, 0))
    return {
        "p": p,
        "guess": guess,
        "q": q,
        "shared": shared,
        "M": (1 - moved_share) * eye(n, draw.exact) + moved_share * onto,
    }


def gain_over_tli(p: Array, q: Array, shared: Array, M: Array) -> Any:
    """α of RDK minus α of TLI."""
    return overlap(p, proposed(q, shared, M)) - overlap(p, restrict(q, shared))


def received(p: Array, d: Array, M: Array) -> Any:
    """Σ_j min{(p_j − d_j)_+, arriving_j}."""
    return np.minimum(np.maximum(p - d, 0), arriving(d, M)).sum(axis=-1)


ALL: dict[str, Any] = {"shared": mask("11")}
EVEN: dict[str, Any] = {**ALL, "p": law("1/2", "1/2"), "guess": law("1/2", "1/2")}
CERTAIN: dict[str, Any] = {**EVEN, "q": law(1, 0)}
