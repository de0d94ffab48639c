"""Whether a checked proof is about its claim, and about all of it: what every check asks, shipped proof or not."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from proofs_check.checking.agreement import disagreement
from proofs_check.checking.evasion import leaning
from proofs_check.checking.proof import instances
from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation, Unproved
from simspec.claims.claim import Instance
from simspec.claims.deciding.shrink import violated
from simspec.files import plain

__all__ = ["DEEP_TRIES", "TRIES", "agreeing", "in_part"]

TRIES = 12
"""Exact instances on which a proof is compared with its claim, beside those that the claim lists."""
DEEP_TRIES = 60
"""The same where there is time."""
FEW = 10
"""A claim with no more instances than this is decided by its own formula at each of them."""
CLAIM = re.compile(r"[a-z]+\.[a-z0-9]+([.-][a-z0-9]+)*")
"""How claims are named."""


def agreeing(proof: Proof, d: Derivation, tries: int = TRIES) -> list[Instance]:
    """The instances on which a proof was found to be about its claim's own formulas: both sides of every conclusion are the
    claim's, every given was evaluated and holds, and the conclusion holds.

    Raises
    ------
    Unproved
        where they differ; where what is given is the claim, or bears a claim's name; where there is no instance.
    """
    claim = proof.claim
    if called := [name for name in d.givens if CLAIM.fullmatch(name)]:
        raise Unproved(
            f"{claim.name}: a given is called {called[0]!r}; what another claim says is not compared with it"
        )
    tried = list(instances(claim, tries))
    if not tried:
        raise Unproved(f"{claim.name}: the claim has no exact instance to compare the proof with")
    for instance in {_text(dict(i)): i for i in tried}.values():
        wrong = _violated(proof, instance) if proof.bind is None else disagreement(proof, d, instance)
        if wrong:
            raise Unproved(f"{claim.name}: {wrong}, at {plain(dict(instance))}")
    if name := leaning(proof, d, tried):
        raise Unproved(f"{claim.name}: {name}; what is given of it is the claim")
    return tried


def _violated(proof: Proof, instance: Instance) -> str | None:
    return "the claim does not hold" if violated(proof.claim.slack(instance)) else None


def in_part(proof: Proof, d: Derivation, tried: Sequence[Instance]) -> str | None:
    """Why a proof that holds is one of a part of its claim only; None where it is of the whole.

    A proof with conclusions is of the whole claim where both sides were compared, unless it enumerates a finite part of
    what it concludes.  One without is of the whole claim where every instance is one of the cases enumerated, or the claim
    has so few that its own formula decided them all.
    """
    if not proof.whole:
        return "its author says so"
    if d.conclusions:
        return "what it enumerates is a finite part of what it concludes" if d.enumerated else None
    cases = {_text(case) for case in d.enumerated}
    met = {_text(dict(instance)): instance for instance in tried}
    if len(met) <= FEW and 2 * len(met) <= len(tried):
        return None
    missing = [i for i in met.values() if not cases & {_text(dict(i)), *(_text(v) for v in i.values())}]
    return f"{plain(dict(missing[0]))} is none of the cases that it enumerates" if missing else None


def _text(value: Any) -> str:
    return json.dumps(plain(value), sort_keys=True, default=str)
