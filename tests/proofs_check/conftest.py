"""What SymPy forgets and the tests of proofs ask again and again: which of two expressions is the larger, what a name is.

A fifth of the time of checking all proofs goes into which is the larger, made a Min or Max, nine times in ten with a question
asked before; a fifteenth into what is declared of p[x], sorted anew whenever two such are compared.  The answers depend on the
expressions alone, and every proof's steps are compared with a record that is made without this (`make proofs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import pytest


@pytest.fixture(scope="session", autouse=True)
def what_was_answered_is_not_asked_again() -> Iterator[None]:
    if find_spec("sympy") is None:
        yield
        return
    from sympy import Indexed, IndexedBase
    from sympy.functions.elementary.miscellaneous import MinMaxBase

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MinMaxBase, "_is_connected", staticmethod(lru_cache(maxsize=1 << 14)(MinMaxBase._is_connected)))
        for kind in (Indexed, IndexedBase):
            patch.setattr(kind, "_hashable_content", _once(kind._hashable_content))
        yield


def _once(content: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], tuple[Any, ...]]:
    """What an expression is compared by, worked out once for each: nothing of it changes."""

    def of(e: Any) -> tuple[Any, ...]:
        found: tuple[Any, ...] | None = vars(e).get("_content_")
        if found is None:
            found = e._content_ = content(e)
        return found

    return of
