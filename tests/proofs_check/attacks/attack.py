"""What an attack is, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from typing import Any

from proofs_check.checking.about import compared
from proofs_check.checking.proof import check
from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation, Unproved

__all__ = [
    "Attack",
    "NotProved",
    "against_claims",
    "against_steps",
    "outcome",
    "refusal",
    "steps_with_twin",
    "tried",
    "with_twin",
]

HOME = Path(__file__).resolve().parents[3] / "proofs_check"


class NotProved(Exception):
    """A verdict's word, or what Coq is given, is not what the attack wants; the message says what it is."""


REFUSALS = (NotProved, Unproved, ValueError, TypeError, KeyError, IndexError, ZeroDivisionError)


@dataclass(frozen=True)
class Attack:
    """A way to a false statement, or to a proof that is not about its claim.

    Attributes
    ----------
    name, family, says : what it tries, in words
    way : () -> anything; raises where the checker refuses it
    beyond : the sentence of the page by which it is outside of what the word promises; empty where it must be refused
    twin : the same with the one wrong thing made right: it must be accepted, so that the attack fails for its fault alone
    by : a part of the message by which it is refused, so that it is refused for its fault alone
    """

    name: str
    family: str
    says: str
    way: Callable[[], Any]
    beyond: str = ""
    twin: Callable[[], Any] | None = None
    by: str = ""


def outcome(attack: Attack) -> str:
    """ "refused", or "accepted".

    >>> outcome(Attack("nothing", "none", "does nothing", lambda: None))
    'accepted'
    """
    return "accepted" if refusal(attack) is None else "refused"


def refusal(attack: Attack) -> str | None:
    """The message by which an attack is refused; None where it is accepted.

    >>> refusal(Attack("nothing", "none", "does nothing", lambda: None)) is None
    True
    """
    try:
        attack.way()
    except REFUSALS as error:
        if not (isinstance(error, NotProved) or _by_the_checker(error)):
            raise  # the attack fell over its own feet
        return str(error)
    return None


def _by_the_checker(error: BaseException) -> bool:
    """Whether an error was raised by the checker, or by what it had called."""
    frames = [Path(frame.filename).parent for frame in extract_tb(error.__traceback__)]
    return any(folder.parent == HOME and folder.name in {"rules", "checking", "coq"} for folder in frames)


def _said(way: Callable[..., Any]) -> str:
    return " ".join((way.__doc__ or way.__name__.replace("_", " ")).split()).removesuffix(".")


def against_steps(
    family: str, into: list[Attack]
) -> Callable[[Callable[[Derivation], Any]], Callable[[Derivation], Any]]:
    """Puts a function of a derivation, which goes on where it may not, into a list; its docstring says what it tries."""

    def put(way: Callable[[Derivation], Any]) -> Callable[[Derivation], Any]:
        into.append(Attack(way.__name__, family, _said(way), lambda: way(Derivation("an attack"))))
        return way

    return put


def against_claims(
    family: str, into: list[Attack], beyond: str = ""
) -> Callable[[Callable[[], Proof]], Callable[[], Proof]]:
    """Puts a function that returns a bogus proof into a list."""

    def put(way: Callable[[], Proof]) -> Callable[[], Proof]:
        into.append(Attack(way.__name__, family, _said(way), lambda: tried(way()), beyond))
        return way

    return put


def steps_with_twin(
    family: str, into: list[Attack]
) -> Callable[[Callable[[Derivation, bool], Any]], Callable[[Derivation, bool], Any]]:
    """As `against_steps`, of a function that is told whether to do the one wrong thing or what is right in its place."""

    def put(way: Callable[[Derivation, bool], Any]) -> Callable[[Derivation, bool], Any]:
        def run(wrong: bool) -> Callable[[], Any]:
            return lambda: way(Derivation("an attack"), wrong)

        into.append(Attack(way.__name__, family, _said(way), run(True), twin=run(False)))
        return way

    return put


def with_twin(
    family: str, into: list[Attack], beyond: str = ""
) -> Callable[[Callable[[bool], Proof]], Callable[[bool], Proof]]:
    """As `against_claims`, of a function that is told whether to do the one wrong thing or what is right in its place."""

    def put(way: Callable[[bool], Proof]) -> Callable[[bool], Proof]:
        into.append(
            Attack(
                way.__name__, family, _said(way), lambda: tried(way(True)), beyond, lambda: tried(way(False), tries=1)
            )
        )
        return way

    return put


def tried(proof: Proof, tries: int = 6) -> Derivation:
    """A proof checked as every shipped one is.

    Raises
    ------
    Unproved
    """
    d = check(proof)
    compared(proof, d, tries)
    return d
