"""How the command line hears Ctrl-C, SIGTERM and SIGHUP: as one exception, raised where nothing is left half done.

Importing this loads nothing of simspec, so that a signal finds it from the first moment on.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

__all__ = ["Stopped", "hear", "leave", "say"]

AGAIN = 0.02
"""Seconds after which a signal that came at a bad moment is looked at again."""
IMPATIENT = 3
"""The signal that is obeyed at any moment, counted from the first."""
_IMPORTING = {
    "importlib._bootstrap",
    "importlib._bootstrap_external",
    "_frozen_importlib",
    "_frozen_importlib_external",
}
_exit = os._exit
"""What ends the process at once, also while it is refused to the code of a user's (`simspec.guarding`)."""
_FINALIZER = "__del__"
_WHOLE = {"write_file", "Store.flush", "_local", _FINALIZER}
"""What is let end: a file that is written, the start of workers, a finalizer, where Python swallows what is raised."""
_AT_STAKE = {"_drive", "gather"}
"""Functions of ours that hold results: what they import is let end too, as exceptions are swallowed there."""


class Stopped(KeyboardInterrupt):
    """A signal that ends the command; `status` is the exit status that says which (128 and its number).

    >>> Stopped(signal.SIGINT).status, Stopped(signal.SIGTERM).status
    (130, 143)
    """

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number


_came: list[int] = []


def hear() -> None:
    """Raise `Stopped` in the main thread for each signal that ends a command; one that is ignored stays so.

    While libraries are loaded, which swallow exceptions or turn them into others, the process ends at once if nothing
    is at stake.  Where there is, or while a file is written, the signal waits, unless it comes a third time.
    """
    for number in _heard():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _come)


def leave() -> None:
    """From here on a signal ends the process at once: the command is done.

    Raises
    ------
    Stopped
        for a signal that still waits.
    """
    for number in _heard():
        if signal.getsignal(number) is _come:
            signal.signal(number, _end)
    if _came:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        _stop()


def _heard() -> list[int]:
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]  # Windows has no SIGHUP


def _come(number: int, frame: FrameType | None) -> None:
    _came.append(number)
    _judge(frame)


def _alarm(_: int, frame: FrameType | None) -> None:
    if _came:
        _judge(frame)


def _judge(frame: FrameType | None) -> None:
    if len(_came) < IMPATIENT:
        importing, own_functions = _stack(frame)
        if importing and not own_functions & (_WHOLE | _AT_STAKE) and _single():
            _end(_came[0])
        if (importing or own_functions & _WHOLE) and hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, _alarm)
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
            return
    _stop()


def _stop() -> None:
    number = _came[0]
    _came.clear()
    raise Stopped(number)


def _stack(frame: FrameType | None) -> tuple[bool, set[str]]:
    """Whether the main thread is within an import, and the functions of this package, or finalizers, that it is in."""
    importing = False
    own_functions = set()
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        importing |= module in _IMPORTING
        if module.startswith("simspec."):
            own_functions.add(frame.f_code.co_qualname)
        if module == "weakref" or frame.f_code.co_name == _FINALIZER:
            own_functions.add(_FINALIZER)
        frame = frame.f_back
    return importing, own_functions


def _single() -> bool:
    """Whether there is no other thread: a display that hides the cursor has one, and so have pools of processes."""
    threads = sys.modules.get("threading")
    return threads is None or threads.active_count() == 1


def _end(number: int, _: object = None) -> None:
    say()
    _exit(128 + number)


def say() -> None:
    """The one line, written past every buffer and library."""
    os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, b"simspec: interrupted\n")
