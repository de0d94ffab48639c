"""What became of an attack that was made in a process of its own: what one changes for good, no other meets.

An attack may replace functions of the checker, of SymPy or of Python, and some are there to show that nobody notices.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from traceback import format_exc
from typing import Any

from tests.proofs_check.attacks import attack as attacks
from tests.proofs_check.attacks.attack import Attack
from tests.proofs_check.attacks.listed import ALL

__all__ = ["outcome", "refusal", "run_twin"]

CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload([__name__, "pytest"])
BY_NAME = {attack.name: attack for attack in ALL}


def outcome(attack: Attack) -> str:
    """ "refused", or "accepted"."""
    return "accepted" if refusal(attack) is None else "refused"


def refusal(attack: Attack) -> str | None:
    """The message by which an attack of the list is refused; None where it is accepted.  It is made once."""
    return _refusal(attack.name)


@cache
def _refusal(name: str) -> str | None:
    message: str | None = _in_its_own_process(_made, name)
    return message


def run_twin(attack: Attack) -> None:
    """The same with the one wrong thing made right, where there is such a twin; an AssertionError where it is refused."""
    if attack.twin is not None:
        _run_twin(_first_with(attack.twin))


def _first_with(twin: Callable[[], Any]) -> str:
    """The name of the first attack whose twin calls the same function with the same arguments: it is made once for all."""
    return next(attack.name for attack in ALL if attack.twin is not None and _calls(attack.twin) == _calls(twin))


def _calls(twin: Callable[[], Any]) -> object:
    return (twin.func, twin.args, twin.keywords) if isinstance(twin, partial) else twin


@cache
def _run_twin(name: str) -> None:
    _in_its_own_process(_made_right, name)


def _made(name: str) -> str | None:
    return attacks.refusal(BY_NAME[name])


def _made_right(name: str) -> None:
    twin = BY_NAME[name].twin
    assert twin is not None
    twin()


def _in_its_own_process(function: Callable[[str], Any], name: str) -> Any:
    """What a function returns for the name of an attack, in a process that is forked where all modules are loaded."""
    receiver, sender = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_send, args=(sender, function, name))
    process.start()
    sender.close()
    try:
        answer, error = receiver.recv()
    except EOFError:
        answer, error = None, "its process ended without an answer"
    finally:
        receiver.close()
        process.join()
    assert not error, f"{name}: {error}"
    return answer


def _send(sender: Connection, function: Callable[[str], Any], name: str) -> None:
    try:
        sender.send((function(name), ""))
    except Exception:
        sender.send((None, format_exc()))
