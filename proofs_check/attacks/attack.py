"""What an attack is, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proofs_check.checking.about import agreeing, in_part
from proofs_check.checking.proof import check
from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation, Unproved

__all__ = ["Attack", "against_claims", "against_steps", "outcome", "tried"]

REFUSALS = (Unproved, ValueError, TypeError, KeyError, IndexError, ZeroDivisionError)


@dataclass(frozen=True)
class Attack:
    """A way to a false statement, or to a proof that is not about its claim.

    Attributes
    ----------
    name, family, says : what it tries, in words
    way : () -> anything; raises where the checker refuses it
    beyond : why no checker of this kind refuses it; empty where it must be refused
    """

    name: str
    family: str
    says: str
    way: Callable[[], Any]
    beyond: str = ""


def outcome(attack: Attack) -> str:
    """ "refused", or "accepted".

    >>> outcome(Attack("nothing", "none", "does nothing", lambda: None))
    'accepted'
    """
    try:
        attack.way()
    except REFUSALS:
        return "refused"
    return "accepted"


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


def tried(proof: Proof) -> Derivation:
    """A proof checked as every shipped one is.

    Raises
    ------
    Unproved
    """
    d = check(proof)
    if why := in_part(proof, d, agreeing(proof, d, 6)):
        raise Unproved(why)
    return d
