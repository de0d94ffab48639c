"""Whether what a check rests on stays what it is while code of a user's runs: functions, what they do, and constants.

A claim's `instances`, its sides and a proof's `bind` are called in the middle of a check.  Each could put something else in
place of what the check calls next, through `rhs.__globals__`, or a function's `__code__`.  After each of these calls the names
and the code objects that were there before the file was loaded are compared with those that are there now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import CodeType

from proofs_check.rules.smt import Unproved
from simspec.guarding import CHECKING, Originals

__all__ = ["check_unchanged", "held", "watched"]

FOR_A_WHILE = frozenset({"simspec.claims.balls.PRECISION", "proofs_check.rules.smt.TIMEOUT_MS"})
"""What a check itself changes for a while: how narrow enclosures are, and how long a solver has."""
SHOWN = 3
"""How many names an error has."""
_WATCHES: list[tuple[str, Originals]] = []
"""What is checked now, with what stood there before its file was loaded."""


def held(folder: Path) -> Originals:
    """What a check rests on as it stands now, before a file of a folder is loaded.

    Raises
    ------
    Unproved
        where code of this folder stands there already.
    """
    import_module("z3")  # which is loaded when it is first asked
    originals = Originals(CHECKING)
    by_file = {value.co_filename: label for label, value in originals.items() if isinstance(value, CodeType)}
    for file, label in by_file.items():
        if Path(file).is_file() and Path(file).resolve().parent == folder.resolve():  # none is "<string>"
            raise Unproved(f"{Path(file).name} puts code of its own in place of {label}")
    return originals


@contextmanager
def watched(originals: Originals, name: str) -> Iterator[None]:
    """Within, `check_unchanged` compares what stands there with these, and so it is at the end; a proof is named in the error.

    Raises
    ------
    Unproved
    """
    _WATCHES.append((name, originals))
    try:
        yield
    finally:
        _WATCHES[:] = [watch for watch in _WATCHES if watch[1] is not originals]
        _compare(name, originals)


def check_unchanged() -> None:
    """Refuse the proof that is being checked where something is no more what it was; it is put back.

    >>> check_unchanged()

    Raises
    ------
    Unproved
    """
    for name, originals in _WATCHES:
        _compare(name, originals, FOR_A_WHILE)


def _compare(name: str, originals: Originals, besides: Collection[str] = ()) -> None:
    if changed := originals.put_back(besides):
        others = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
        names = ", ".join(changed[:SHOWN])
        raise Unproved(f"{name}: while its proof is checked, its code changes {names}{others}, which is put back")
