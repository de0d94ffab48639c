"""How every compiled kernel is compiled."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["compiled", "kernel", "sources"]


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile with Numba's options, cached on disk where any cache directory can be written.

    Kernels are inlined into kernels of other modules, while Numba looks at the file of a function alone to see whether its
    cache is stale; here a change of any of `sources` makes it stale.

    >>> compiled(lambda x: x + 1)(1)
    2
    """
    import numba

    njit: Any = numba.njit
    try:
        made = njit(cache=True, **options)(function)
        index = made._cache._cache_file
        index._source_stamp = (index._source_stamp, sources())
    except (RuntimeError, AttributeError):  # no writable directory, or a Numba whose index is another
        return njit(**options)(function)
    return made


def kernel(function: Callable[..., Any]) -> Any:
    """`compiled` for loops over rows: without the interpreter lock, and dividing by zero as NumPy does.

    >>> kernel(lambda x: 1 / x)(0.0)
    inf
    """
    return compiled(function, nogil=True, error_model="numpy")


@cache
def sources() -> str:
    """Hash of all files with compiled kernels.

    >>> len(sources())
    32
    """
    folder, digest = Path(__file__).parent, hashlib.blake2b(digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
