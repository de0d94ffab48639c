"""Draft laws on the target's vocabulary, by a map from draft tokens to target tokens (-1 for none).

One map sends a draft token to the target token of the same bytes (`on_target`), the other to the first token of its text
(`read_on_target`), which many draft tokens may have in common.  What a map must be is checked in
`simspec.logits.bank.contents.check_map`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["on_target", "read_on_target", "shared_tokens"]


def on_target(q: NDArray[Any], table: NDArray[np.int32], vocab: int) -> NDArray[Any]:
    """Mass (..., V) of draft laws (..., Vd) on the target's tokens: unshared draft tokens dropped, nothing normalised.

    >>> on_target(np.array([0.5, 0.25, 0.25]), np.array([2, -1, 0]), 3).tolist()
    [0.25, 0.0, 0.5]
    """
    mass = np.zeros((*q.shape[:-1], vocab), dtype=q.dtype)
    mass[..., table[table >= 0]] = q[..., table >= 0]
    return mass


def read_on_target(q: NDArray[np.float64], first: NDArray[np.int32], vocab: int) -> NDArray[np.float64]:
    r"""Mass (..., V) of the first target tokens of draft laws (..., Vd): :math:`\psi(t) = \sum_{x: f(x) = t} q(x)`.

    Tokens that the target cannot read (-1) are dropped, and nothing is normalised.

    >>> read_on_target(np.array([0.5, 0.25, 0.25]), np.array([2, -1, 2]), 3).tolist()
    [0.0, 0.0, 0.75]
    """
    readable = first >= 0
    rows = q.reshape(-1, q.shape[-1])[:, readable]
    masses = [np.bincount(first[readable], weights=row, minlength=vocab) for row in rows]
    return np.array(masses, dtype=np.float64).reshape(*q.shape[:-1], vocab)


def shared_tokens(table: NDArray[np.int32], vocab: int) -> NDArray[np.bool_]:
    """Which target tokens the draft has too, boolean (V,).

    >>> shared_tokens(np.array([2, -1, 0]), 3).tolist()
    [True, False, True]
    """
    mask = np.zeros(vocab, dtype=bool)
    mask[table[table >= 0]] = True
    return mask
