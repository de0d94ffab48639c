"""Draft laws on the target's vocabulary, by a map from draft tokens to target tokens (-1 for none).

What a map must be is checked in `simspec.logits.bank.contents.check_map`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["on_target", "shared_tokens"]


def on_target(q: NDArray[Any], table: NDArray[np.int32], vocab: int) -> NDArray[Any]:
    """Mass (..., V) of draft laws (..., Vd) on the target's tokens: unshared draft tokens dropped, nothing normalised.

    >>> on_target(np.array([0.5, 0.25, 0.25]), np.array([2, -1, 0]), 3).tolist()
    [0.25, 0.0, 0.5]
    """
    mass = np.zeros((*q.shape[:-1], vocab), dtype=q.dtype)
    mass[..., table[table >= 0]] = q[..., table >= 0]
    return mass


def shared_tokens(table: NDArray[np.int32], vocab: int) -> NDArray[np.bool_]:
    """Which target tokens the draft has too, boolean (V,).

    >>> shared_tokens(np.array([2, -1, 0]), 3).tolist()
    [True, False, True]
    """
    mask = np.zeros(vocab, dtype=bool)
    mask[table[table >= 0]] = True
    return mask
