"""What a process that decides claims begins with: loaded once, in the server from which such processes are forked.

Nothing but imports: the server has one thread, opens nothing and decides nothing.
"""

from __future__ import annotations

import time
from contextlib import suppress
from importlib import import_module

from simspec.claims import registry

__all__ = ["SECONDS"]

LIBRARIES = ("numba", "numba.np.arraymath", "scipy.special", "scipy.optimize", "flint", "simspec.engine.row_values")
"""Loaded on first use elsewhere, and used by most runs."""

registry()
for library in LIBRARIES:
    with suppress(ImportError):  # its first use names the extra that brings it
        import_module(library)

SECONDS = time.process_time()
"""Processor time of the process that loaded this, since it began."""
