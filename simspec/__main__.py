"""The `simspec` command, and ``python -m simspec``: hears signals first, and loads the rest then."""

from __future__ import annotations

import _signal  # what `signal` is made of, and loaded already; `signal` loads much, and Ctrl-C would show where it struck
import os

__all__ = ["main"]


def _early(number: int, _: object) -> None:
    os.write(2, b"simspec: interrupted\n")
    os._exit(128 + number)


def main() -> int:
    """Run the command line; returns the exit status, 130 after Ctrl-C, 143 after SIGTERM and 129 after SIGHUP."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _early)
    from simspec.cli.signals import hear, leave, say
    from simspec.interrupts import status_of

    try:
        hear()
        from simspec.cli import main as run

        try:
            return run()
        finally:
            leave()
    except KeyboardInterrupt as error:  # outside of a command
        say()
        return status_of(error)


if __name__ == "__main__":
    raise SystemExit(main())
