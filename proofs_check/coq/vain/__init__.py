"""Searches for certificates that find nothing, remembered: they take most of the time in which scripts are written.

``python -m proofs_check.coq.vain`` writes all scripts and keeps, in searches.json, a hash of each search that took long and found
nothing; such a search is not made again.  A search is only a hint, so nothing has to be trusted here: a hash too many could
leave a step open, never prove one.  Hashes are made of the code that searches, too, and stand for nothing once it has changed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import Any

from proofs_check.coq.polynomials import Column

__all__ = ["KEPT", "forget", "known", "met", "unless_vain"]

KEPT = Path(__file__).with_name("searches.json")
LONG = 0.02
"""Seconds of a processor: a search that takes less is not kept."""
SEARCHING = ("polynomials.py", "products.py")
_met: set[str] = set()


def unless_vain(search: Callable[..., list[Column] | None], *inputs: Any, **options: Any) -> list[Column] | None:
    """What a search finds; nothing, at once, where it is known to find nothing."""
    key = _hash(search.__name__, inputs, options)
    if key in known():
        _met.add(key)
        return None
    start = time.process_time()
    columns = search(*inputs, **options)
    if columns is None and time.process_time() - start > LONG:
        _met.add(key)
    return columns


def _hash(name: str, inputs: Sequence[Any], options: Any) -> str:
    """A hash of a search, of what it is about and of the code that makes it.

    >>> _hash("search", [(1, 2)], {}) == _hash("search", [(1, 2)], {}) != _hash("search", [(2, 1)], {})
    True
    """
    return blake2b(f"{_code()} {name} {_plain(inputs)} {_plain(options)}".encode(), digest_size=8).hexdigest()


def _plain(value: Any) -> str:
    """A text of what a search is given: polynomials by their terms, in an order that is always the same."""
    if isinstance(value, dict) and hasattr(value, "ring"):
        return f"{[str(g) for g in value.ring.gens]} {sorted((m, str(c)) for m, c in value.items())}"
    if isinstance(value, dict):
        return f"{sorted((k, _plain(v)) for k, v in value.items())}"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_plain, value))}]"
    return repr(value)


@cache
def _code() -> str:
    """A hash of the modules that search."""
    folder = resources.files("proofs_check.coq")
    return blake2b(b"".join(folder.joinpath(name).read_bytes() for name in SEARCHING), digest_size=8).hexdigest()


@cache
def known() -> frozenset[str]:
    """The hashes that are kept."""
    return frozenset(json.loads(KEPT.read_text(encoding="utf-8"))) if KEPT.is_file() else frozenset()


def met() -> frozenset[str]:
    """Hashes of the vain searches that were met since `forget`: those that took long, and those that are kept."""
    return frozenset(_met)


def forget() -> None:
    """Forget what was met."""
    _met.clear()
