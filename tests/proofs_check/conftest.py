"""What SymPy forgets and the tests of proofs ask again and again: which of two expressions is the larger, made a Min or Max.

A fifth of the time of checking all proofs goes there, nine times in ten with a question asked before.  The answer depends on
the two expressions alone, and every proof's steps are compared with a record that is made without this (`make proofs`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec

import pytest


@pytest.fixture(scope="session", autouse=True)
def which_is_larger_is_asked_once() -> Iterator[None]:
    if find_spec("sympy") is None:
        yield
        return
    from sympy.functions.elementary.miscellaneous import MinMaxBase

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MinMaxBase, "_is_connected", staticmethod(lru_cache(maxsize=1 << 14)(MinMaxBase._is_connected)))
        yield
