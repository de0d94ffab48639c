"""How every compiled kernel is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["compiled"]


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile with Numba's options, cached on disk where any cache directory can be written.

    >>> compiled(lambda x: x + 1)(1)
    2
    """
    import numba

    njit: Any = numba.njit
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # no writable directory
        return njit(**options)(function)
