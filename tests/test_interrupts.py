"""An interrupt inside compiled code is an interrupt; another SystemError is none."""

import pytest

from simspec.interrupts import heard, interrupt_in


def wrapped(*chain: type[BaseException]) -> SystemError:
    error: BaseException = chain[-1]()
    for kind in reversed(chain[:-1]):
        outer = kind()
        outer.__cause__ = error
        error = outer
    assert isinstance(error, SystemError)
    return error


def test_an_interrupt_below_two_errors_is_found() -> None:
    assert isinstance(interrupt_in(wrapped(SystemError, SystemError, KeyboardInterrupt)), KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt), heard():
        raise wrapped(SystemError, SystemError, KeyboardInterrupt)


def test_what_is_no_interrupt_stays_what_it_is() -> None:
    with pytest.raises(SystemError), heard():
        raise wrapped(SystemError, ValueError)
    with pytest.raises(ValueError, match="x"), heard():
        raise ValueError("x") from KeyboardInterrupt()
