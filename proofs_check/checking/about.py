"""Whether a checked proof is about its claim, and about all of it: what every check asks, shipped proof or not."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from proofs_check.checking.agreement import bound, disagreement, places
from proofs_check.checking.edges import broken_at
from proofs_check.checking.evasion import leaning
from proofs_check.checking.finer import ended, fine
from proofs_check.checking.proof import instances
from proofs_check.checking.ranges import PLACES
from proofs_check.checking.stated import changed
from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation, Unproved
from simspec.claims import registry
from simspec.claims.claim import Claim, Instance
from simspec.claims.deciding.shrink import violated
from simspec.files import plain

__all__ = ["DEEP_TRIES", "TRIES", "agreeing", "compared", "in_part"]

TRIES = 12
"""Exact instances on which a proof is compared with its claim, beside those that the claim lists."""
DEEP_TRIES = 60
"""The same where there is time."""
FINE = 4
"""Instances beside them whose fractions are finer than every number that is given."""
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
    if named_as_claims := [name for name in d.givens if CLAIM.fullmatch(name)]:
        raise Unproved(
            f"{claim.name}: a given is called {named_as_claims[0]!r}; what another claim says is not compared with it"
        )
    if type(proof) is not Proof or type(claim) is not Claim or registry().get(claim.name, claim) is not claim:
        raise Unproved(f"{claim.name}: the proof is of another claim of that name than the one that is listed")
    if otherwise := changed(claim):
        raise Unproved(f"{claim.name}: {otherwise}")
    assumptions = [r for name, relations in d.givens.items() if name not in d.supposed for r in relations]
    compared_instances = [
        *instances(claim, tries),
        *claim.against,
        *(fine(claim, assumptions, FINE) if proof.bind else ()),
    ]
    compared_instances = deepcopy(compared_instances)  # whatever becomes of the claim's own while the bind is asked
    if not compared_instances:
        raise Unproved(f"{claim.name}: the claim has no exact instance to compare the proof with")
    by_text = {_text(dict(i)): i for i in compared_instances}
    # what contradicts itself does so at every instance: where there are fewest places, none is left out
    bindings = {text: bound(proof.bind, d, instance) for text, instance in by_text.items()} if proof.bind else {}
    small = min(bindings, key=lambda text: places(d, bindings[text]), default="")
    for text, instance in by_text.items():
        if proof.bind is None:
            wrong = _violated(proof, instance)
        else:
            wrong = disagreement(proof, d, instance, None if text == small else PLACES, bindings[text])
        if wrong:
            raise Unproved(f"{claim.name}: {wrong}, at {plain(dict(instance))}")
    if end := ended(d):
        raise Unproved(f"{claim.name}: {end}; no assumption of the claim does")
    if name := leaning(proof, d, compared_instances):
        raise Unproved(f"{claim.name}: {name}; what is given of it is the claim")
    if claim.name not in registry() and (broken := broken_at(claim)):
        raise Unproved(f"{claim.name}: {broken}")
    return compared_instances


def compared(proof: Proof, d: Derivation, tries: int = TRIES) -> None:
    """Refuse a checked proof that is not about its claim, or not about all of it though it says so.

    Raises
    ------
    Unproved
    """
    compared_instances = agreeing(proof, d, tries)
    if proof.whole and (why := in_part(proof, d, compared_instances)):
        raise Unproved(f"{proof.claim.name}: the proof says that it is whole; {why}")
    if otherwise := changed(proof.claim):
        raise Unproved(f"{proof.claim.name}: {otherwise}")


def _violated(proof: Proof, instance: Instance) -> str | None:
    return "the claim does not hold" if violated(proof.claim.slack(instance)) else None


def in_part(proof: Proof, d: Derivation, compared_instances: Sequence[Instance]) -> str | None:
    """Why a proof that holds is one of a part of its claim only; None where it is of the whole.

    A proof with conclusions is of the whole claim where both sides were compared, unless it enumerates a finite part of
    what it concludes.  One without is of the whole claim where every instance is one of the cases enumerated, or the claim
    has so few that its own formula decided them all.
    """
    if not proof.whole:
        return "its author says so"
    if d.conclusions:
        return "what it enumerates is a finite part of what it concludes" if d.enumerated else None
    instances_by_text = {_text(dict(instance)): instance for instance in compared_instances}
    if len(instances_by_text) <= FEW and 2 * len(instances_by_text) <= len(compared_instances):
        return None
    unforeseen = instances(proof.claim, TRIES, secrets.randbits(64))  # not to be listed beforehand
    instances_by_text |= {_text(dict(instance)): instance for instance in unforeseen}
    cases = {_text(case): case for case in (_instance(case, tuple(compared_instances[0])) for case in d.enumerated)}
    if missing := [i for text, i in instances_by_text.items() if text not in cases]:
        return f"{plain(dict(missing[0]))} is none of the cases that it enumerates"
    wrong = [
        c
        for c in cases.values()
        if isinstance(c, Mapping) and {*c} == {*compared_instances[0]} and _fails(proof.claim, c)
    ]
    return f"the claim does not hold at {plain(dict(wrong[0]))}, which it enumerates" if wrong else None


def _instance(case: Any, names: Sequence[str]) -> Any:
    """A case as an instance, where that has one value only."""
    return case if isinstance(case, Mapping) or len(names) != 1 else {names[0]: case}


def _fails(claim: Claim, instance: Instance) -> bool:
    return not claim.broken_assumptions(instance) and bool(violated(claim.slack(instance)))


def _text(value: Any) -> str:
    return json.dumps(plain(value), sort_keys=True, default=str)
