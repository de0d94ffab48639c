"""What identifies random numbers: the key, one for each cell of a study, and with it the rows and purposes of some draws."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

import numpy as np

from simspec.checks import whole_number
from simspec.kernels.random import core

__all__ = ["VERSION", "Draws", "make_key"]

VERSION = 2
"""Of the key and of the counter layout; enters every key, so a new layout never repeats old draws."""


class Draws(NamedTuple):
    """Draws by what identifies them: the functions that draw take one, and check it.

    Attributes
    ----------
    key : int in [0, 2**64)
        of `make_key`.
    rows : range, or integers (n,) in [0, 2**64)
        numbers of the rows: what a row holds depends on its number, not on the other rows.
    purposes : integers in [0, 2**32)
        of a target's draws, and of the noise of its draft; what draws the one reads the first, what draws the other the
        last.  Draws that must be independent have different purposes.
    dtype : float64 or float32
        that results are rounded to.

    Examples
    --------
    Rows 5 and 6 of a target and its draft, then of another pair with the same key:

    >>> Draws(1, range(5, 7)), Draws(1, range(5, 7), (2, 3)).purposes
    (Draws(key=1, rows=range(5, 7), purposes=(0, 1), dtype=<class 'numpy.float64'>), (2, 3))
    """

    key: int
    rows: Any
    purposes: tuple[int, ...] = (0, 1)
    dtype: Any = np.float64

    def checked(self) -> Draws:
        """The same with a NumPy type; a ValueError names what is no whole number, out of range or no float type.

        >>> Draws(1, [4.5]).checked()
        Traceback (most recent call last):
        ...
        ValueError: rows: 4.5; expected an integer from 0 to 18446744073709551615
        """
        rows = self.rows
        if isinstance(rows, range):
            for end in {rows[0], rows[-1]} if rows else ():
                whole_number("rows", end, 0, 2**64 - 1)
            whole_number("rows", (rows.stop - rows.start) // rows.step, -(2**64), 2**63 - 1, "fewer than 2**63 rows")
        else:
            rows = core.integers("rows", rows, 2**64)
            if rows.ndim != 1:
                raise ValueError(f"rows: {self.rows!r}; expected a range, or integers with one axis")
        if not isinstance(self.purposes, tuple) or not self.purposes:
            raise ValueError(f"purposes: {self.purposes!r}; expected a tuple of integers")
        uses = tuple(whole_number("purposes", use, 0, 2**32 - 1) for use in self.purposes)
        return Draws(whole_number("key", self.key, 0, 2**64 - 1), rows, uses, core.float_type(self.dtype))

    def pair(self) -> Draws:
        """`checked`, when they are those of a target and its draft: rows that follow one another and two purposes.

        >>> Draws(1, range(2), (3, 3)).pair()
        Traceback (most recent call last):
        ...
        ValueError: purposes: (3, 3); expected two that differ, or the draft's noise is the target's own
        """
        checked_draws = self.checked()
        if not isinstance(checked_draws.rows, range) or checked_draws.rows.step != 1:
            raise ValueError(f"rows: {self.rows!r}; expected a range of rows that follow one another")
        if len(checked_draws.purposes) != 2 or checked_draws.purposes[0] == checked_draws.purposes[1]:
            raise ValueError(
                f"purposes: {self.purposes}; expected two that differ, or the draft's noise is the target's own"
            )
        return checked_draws


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
    seed = whole_number("seed", seed, 0, 2**64 - 1)
    if not isinstance(study, str):
        raise ValueError(f"study: {study!r}; expected a string")
    try:
        text = json.dumps([VERSION, seed, study, cell], sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cell: {cell!r}; expected strings, finite numbers, lists and mappings ({error})") from None
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
