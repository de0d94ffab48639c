"""Where a run's processor time goes: starting and importing, compiling, searching, measuring, writing.

A clock that is always on and costs a reading at each change of phase; what Numba compiles and what is imported late is told
apart only while it is watched.
"""

from __future__ import annotations

import builtins
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = ["CLOCK", "PHASES", "Clock", "table"]

PHASES = {
    "start": "starting and importing",
    "compile": "compiling kernels",
    "search": "searching for counterexamples",
    "measure": "measuring",
    "report": "writing the report",
    "rest": "proofs on record, and the rest",
}
"""What the seconds of a phase were spent on."""
_EVENTS = "numba.core.event"
_COMPILE = "numba:compile"
COMPILED = "compiled"
"""How many kernels were compiled, beside the seconds."""


class Clock:
    """Processor seconds of this process by phase; a phase within another is not counted twice.

    >>> clock = Clock(lambda: 5.0)
    >>> with clock.phase("search"):
    ...     pass
    >>> clock.take()["start"]
    5.0
    """

    def __init__(self, now: Callable[[], float] = time.process_time) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self.is_tracing = False
        self._listener: Any = None
        self._now, self._mark, self._within = now, 0.0, ["start"]
        self._thread = threading.get_ident()

    def _turn(self) -> None:
        now = self._now()
        self.spent[self._within[-1]] += now - self._mark
        self._mark = now

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """What is done within counts for this phase; on other threads than the clock's own nothing is told apart."""
        if threading.get_ident() != self._thread:
            yield
            return
        self._turn()
        self._within.append(name)
        try:
            yield
        finally:
            self._turn()
            self._within.pop()
            self._within[0] = "rest"

    def take(self) -> dict[str, float]:
        """What was spent since the last time."""
        self._turn()
        seconds = self.spent
        self.spent = defaultdict(float)
        return dict(seconds)

    def add(self, spent: Mapping[str, float]) -> None:
        """Count what another process has spent."""
        for name, seconds in spent.items():
            self.spent[name] += seconds

    def trace_loading(self) -> None:
        """From now on compiling, and imports inside functions, are phases of their own, until `leave`.

        Numba is not loaded for this: it is listened to from when something else loads it.
        """
        if not self.is_tracing:
            self._load = builtins.__import__
            builtins.__import__ = self._loading
            self.is_tracing = True
            self._listen()

    def leave(self) -> None:
        """The end of `trace_loading`."""
        if self.is_tracing:
            builtins.__import__ = self._load
            if self._listener is not None:
                sys.modules[_EVENTS].unregister(_COMPILE, self._listener)
            self._listener, self.is_tracing = None, False

    def _listen(self) -> None:
        events: Any = sys.modules.get(_EVENTS)
        if self._listener is None and hasattr(events, "register"):  # which it has once it is loaded
            self._listener = _listener(self)
            events.register(_COMPILE, self._listener)

    def _loading(self, *what: Any, **how: Any) -> Any:
        if what[0] in sys.modules:
            return self._load(*what, **how)
        try:
            if self._within[-1] == "start":
                return self._load(*what, **how)
            with self.phase("start"):
                return self._load(*what, **how)
        finally:
            self._listen()

    def compiling(self) -> None:
        """Count a kernel."""
        self.spent[COMPILED] += 1


def _listener(clock: Clock) -> Any:
    """What Numba tells of its beginnings and ends."""
    from numba.core import event

    open_: list[Any] = []

    class Listener(event.Listener):
        def on_start(self, _: Any) -> None:
            clock.compiling()
            open_.append(clock.phase("compile"))
            open_[-1].__enter__()

        def on_end(self, _: Any) -> None:
            open_.pop().__exit__(None, None, None)

    return Listener()


CLOCK = Clock()
"""This process's; its first phase began with the process."""


def table(spent: Mapping[str, float], wall: float) -> str:
    """A line for each phase, with its share, and a line for all.

    >>> print(table({"search": 3.0, "compile": 1.0, COMPILED: 2}, wall=2.5))
    processor time                             s   share
    compiling kernels (2)                    1.0    25 %
    searching for counterexamples            3.0    75 %
    in all, within 2.5 s                     4.0   100 %
    """
    seconds = {name: spent[name] for name in PHASES if spent.get(name)}
    total = sum(seconds.values()) or 1.0
    lines = [f"{'processor time':<34}{'s':>10}{'share':>8}"]
    for name, value in [*seconds.items(), (None, total)]:
        words = PHASES[name] if name else f"in all, within {wall:.1f} s"
        words += f" ({spent[COMPILED]:.0f})" if name == "compile" and COMPILED in spent else ""
        lines.append(f"{words:<34}{value:>10.1f}{100 * value / total:>6.0f} %")
    return "\n".join(lines)
