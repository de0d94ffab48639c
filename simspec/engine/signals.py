"""Signals and the processes that a program starts: Ctrl-C means the program that the user started, which ends the others,
and none of them outlives it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["deaf_children", "end_with_parent"]


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


def end_with_parent() -> None:
    """In a process of a pool: end it when the program that started it is gone, killed perhaps; nobody would send it a task again.

    In a process that no other has started nothing happens.

    >>> end_with_parent()
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
