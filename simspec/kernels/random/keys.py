"""What identifies random numbers: the key, one for each cell of a study, and with it the rows and purposes of some draws."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

import numpy as np

from simspec.kernels.random import core

__all__ = ["VERSION", "Draws", "make_key"]

VERSION = 2
"""Of the key and of the counter layout; enters every key, so a new layout never repeats old draws."""


class Draws(NamedTuple):
    """Draws by what identifies them: their key, the numbers of their rows, their purposes, and the type they are rounded to."""

    key: int
    rows: range
    purposes: tuple[int, ...]
    dtype: np.dtype[Any]

    @classmethod
    def checked(cls, key: int, first_row: int, rows: int, dtype: Any, **purposes: int) -> Draws:
        """`rows` draws from row ``first_row`` on; a ValueError names what is no whole number, out of range or no float type.

        >>> Draws.checked(1, 5, 2, np.float32, purpose=3)[1:3]
        (range(5, 7), (3,))
        """
        rows, first_row = core.integer("rows", rows, 2**63), core.integer("first_row", first_row, 2**64)
        uses = tuple(core.integer(name, value, 2**32) for name, value in purposes.items())
        return cls(core.integer("key", key, 2**64), range(first_row, first_row + rows), uses, core.float_type(dtype))


def make_key(seed: int, study: str, cell: Any) -> int:
    """The 64-bit key of one cell of one study: the BLAKE2b hash of (version, seed, study, cell), first byte highest.

    Parameters
    ----------
    seed : int in [0, 2**64)
    study : str
    cell : str, int, float, bool, None, or lists, tuples and string-keyed mappings of these; hashed as JSON with sorted
        keys, so a tuple equals the list of its items and the order of a mapping does not matter

    Returns
    -------
    int in [0, 2**64)

    Raises ValueError if the seed is out of range, or the cell is something else (a NumPy array, say) or holds NaN or
    infinity.

    Two cells share a key with probability 2**-64.

    >>> make_key(1, "step", {"vocab": 3, "df": 2}) == make_key(1, "step", {"df": 2, "vocab": 3})
    True
    >>> make_key(1, "step", "a") == make_key(1, "step", "b")
    False
    """
    seed = core.integer("seed", seed, 2**64)
    if not isinstance(study, str):
        raise ValueError(f"study = {study!r}: expected a string")
    try:
        text = json.dumps([VERSION, seed, study, cell], sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cell = {cell!r}: expected strings, finite numbers, lists and mappings ({error})") from None
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
