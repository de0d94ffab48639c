"""A sampler that would end the process: `os._exit` raises within an audit, so that no status 0 is left without a verdict.

What cannot be seen here, such as `exit` of a C library, leaves the unfinished report that the command line writes first.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["NAME", "exits_raise"]

NAME = "audited sampler"
"""Name of the threads in which samplers are called."""

SIGNALS = "simspec.cli.signals"
"""The module whose handlers end the process after Ctrl-C and SIGTERM."""
_lock = threading.Lock()
_exit = os._exit
_inside = 0  # audits that are under way
_everywhere = 0  # those in which no thread may end the process
_process = 0  # in which they are


@contextmanager
def exits_raise(everywhere: bool = False) -> Iterator[None]:
    """`os._exit` raises SystemExit in this process for a while.

    Processes that are forked within, and the handlers of signals of the command line, end as they always do.

    Parameters
    ----------
    everywhere : bool; in all threads, and not only in those in which samplers are called: elsewhere in a user's process
        others may end it, such as a plugin of pytest after its own time limit

    >>> with exits_raise(everywhere=True):
    ...     try:
    ...         os._exit(0)
    ...     except SystemExit as error:
    ...         print(error)
    os._exit(0)
    """
    global _everywhere, _exit, _inside, _process
    with _lock:
        if not _inside:
            _exit = os._exit
            _process = os.getpid()
            os._exit = _refused  # type: ignore[assignment]
        _inside += 1
        _everywhere += everywhere
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            _everywhere -= everywhere
            if not _inside:
                os._exit = _exit


def _refused(status: int) -> None:
    caller = sys._getframe(1).f_globals.get("__name__")
    watched = _everywhere or threading.current_thread().name == NAME
    if os.getpid() != _process or caller == SIGNALS or not watched:
        _exit(status)
    raise SystemExit(f"os._exit({status})")
