"""Whether claims still say what they said before any proof file ran: a proof is about its claim, and changes nothing of it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from simspec.claims import registry
from simspec.claims.claim import Claim
from simspec.files import plain

__all__ = ["changed", "remember"]

LISTED = ("tight", "against", "outside", "within")
"""What of a claim is instances: compared as texts, for arrays may be changed in place."""
FORMULAS = ("lhs", "rhs", "relation", "instances")


@cache
def remember() -> dict[str, tuple[Claim, tuple[Any, ...]]]:
    """Every claim with all that it says, once and for all: to be asked before proof files are imported."""
    return {name: (claim, _said(claim)) for name, claim in registry().items()}


def changed(claim: Claim) -> str | None:
    """What a listed claim says otherwise than at first; None where it is the same, or is no listed one.

    >>> changed(registry()["sd.acceptance"]) is None
    True
    """
    first, first_text = remember().get(claim.name, (None, ()))
    if first is None:
        return None
    if registry().get(claim.name) is not first:
        return "another claim was put into the list under its name"
    if claim is first and _said(claim) != first_text:
        return "what it says was changed"
    return None


def _said(claim: Claim) -> tuple[Any, ...]:
    """Formulas and predicates themselves, and texts of the instances."""
    texts = (json.dumps(plain(getattr(claim, name)), sort_keys=True, default=str) for name in LISTED)
    return (*(getattr(claim, name) for name in FORMULAS), tuple(claim.assumes.items()), *texts)
