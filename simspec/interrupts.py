"""Interruptions: their exit status, and Ctrl-C inside compiled code, which Numba wraps in a `SystemError`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["heard", "interrupt_in", "status_of"]


def status_of(error: BaseException) -> int:
    """Exit status after an interruption: 128 and the number of the signal, that of Ctrl-C where none is named.

    >>> status_of(KeyboardInterrupt())
    130
    """
    return getattr(error, "status", 130)


def interrupt_in(error: BaseException) -> KeyboardInterrupt | None:
    """The interrupt that a `SystemError` was made of, if any.

    >>> wrapped = SystemError("returned a result with an exception set")
    >>> wrapped.__cause__ = KeyboardInterrupt()
    >>> interrupt_in(wrapped), interrupt_in(SystemError("another"))
    (KeyboardInterrupt(), None)
    """
    cause: BaseException | None = error if isinstance(error, SystemError) else None
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    return cause


@contextmanager
def heard() -> Iterator[None]:
    """Interrupts within leave as what they are.

    >>> try:
    ...     with heard():
    ...         raise SystemError("wrapped") from KeyboardInterrupt()
    ... except KeyboardInterrupt:
    ...     print("stopped")
    stopped
    """
    try:
        yield
    except SystemError as error:
        if (interrupt := interrupt_in(error)) is not None:
            raise interrupt from None
        raise
