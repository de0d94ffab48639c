"""Ctrl-C and the processes that a program starts: it means the program that the user started, which ends the others."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["deaf_children"]


@contextmanager
def deaf_children() -> Iterator[None]:
    """Threads and processes that start meanwhile do not hear Ctrl-C; one that comes is heard when this ends.

    They inherit that the signal is blocked, from their first instruction on, and so do the processes that such a
    thread starts later.

    >>> with deaf_children():
    ...     signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    True
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # whose start would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
