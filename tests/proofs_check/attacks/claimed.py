"""A referee's attacks by citations, by claims that are others under the same id, and by cases that are enumerated.

Each is told whether to do the one wrong thing, or what is right in its place: that must be accepted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.checking.proof import instances
from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation, Fact
from proofs_check.rules.terms import V, eq, ge, index, le, total, x
from proofs_check.sd.acceptance import PROOF as ACCEPTANCE
from simspec.claims import find
from tests.proofs_check.attacks.attack import Attack, with_twin
from tests.proofs_check.attacks.instances import NEVER_WORSE, corrected, from_contradiction, unit

__all__ = ["CLAIMED"]

CLAIMED: list[Attack] = []
CITED, ABOUT = "citations", "claims and cases"
c = sp.Symbol("c", real=True)
a = sp.IndexedBase("a", real=True)
k, h = index("k"), index("h")


# --- citations ---


@with_twin(CITED, CLAIMED)
def cited_of_nothing(wrong: bool) -> Proof:
    """Two theorems about a name that no instance knows."""
    return from_contradiction(
        lambda d: [d.cite(f"{n}", eq(c, n if wrong else 0), "a book") for n in range(2)],
        lambda p, q: {} if wrong else {"c": 0},
        wrong,
    )


@with_twin(CITED, CLAIMED)
def cited_in_every_case(wrong: bool) -> Proof:
    """1 = 0, cited in one case and in the other."""

    def told(d: Derivation) -> list[Fact]:
        cases = d.case("up", ge(V, 2)), d.case("down", le(V, 2))
        facts = [d.cite(f"of {n}", eq(1, 0 if wrong else 1), "a book", case) for n, case in enumerate(cases)]
        return [d.cases("either way", *facts)]

    return from_contradiction(told, lambda p, q: {}, wrong)


@with_twin(CITED, CLAIMED)
def cited_beyond_its_range(wrong: bool) -> Proof:
    """A theorem about every k, looked at where k = 1 and used at 2."""

    def told(d: Derivation) -> list[Fact]:
        zero = d.cite("for every k", eq(a[k], 0), "a book")
        return [d.instantiate("there", zero, {k: h}), d.domain("something", eq(a[h], 1 if wrong else 0))]

    array, last = [0, int(wrong)], 2 if wrong else 3
    return from_contradiction(told, lambda p, q: {"a": array, "ranges": {"k": range(1, last), "h": range(2, 3)}}, wrong)


# --- claims and cases ---


@with_twin(ABOUT, CLAIMED)
def claim_with_other_instances(wrong: bool) -> Proof:
    """rdk.never-worse with instances of its author's choice, under its own id; the twin is its correction."""

    def still(draw: Any) -> Any:
        found = NEVER_WORSE.draw(draw)
        return {**found, "M": np.eye(len(found["p"]), dtype=int).astype(object)}

    return unit(replace(NEVER_WORSE, instances=still), changed=False) if wrong else corrected()


@with_twin(ABOUT, CLAIMED)
def claim_with_other_sides(wrong: bool) -> Proof:
    """sd.acceptance with both sides 1, under its own id."""
    claim = replace(ACCEPTANCE.claim, lhs=lambda p, q: 1, rhs=lambda p, q: 1)

    def prove(d: Derivation) -> None:
        p, mass = d.law("p")
        d.qed(d.derive("so", eq(total(p[x], x), 1), mass))

    bogus = Proof(claim, prove, {}, lambda p, q: {"p": p, "V": len(p)})
    return bogus if wrong else ACCEPTANCE


@with_twin(ABOUT, CLAIMED)
def proof_of_another_class(wrong: bool) -> Proof:
    """A proof that says of itself what it is about."""

    class Sly(Proof):
        pass

    return (Sly if wrong else Proof)(ACCEPTANCE.claim, ACCEPTANCE.prove, {}, ACCEPTANCE.bind)


@with_twin(ABOUT, CLAIMED)
def enumerated_as_drawn(wrong: bool) -> Proof:
    """A claim about all laws, by enumeration of just those that the check will draw, and of nothing about them."""
    drawn = [dict(i) for i in instances(ACCEPTANCE.claim, 6)]

    def prove(d: Derivation) -> None:
        d.exhaust("all of them", lambda case: True, drawn)

    return Proof(ACCEPTANCE.claim, prove, {}, None) if wrong else ACCEPTANCE


@with_twin(ABOUT, CLAIMED)
def enumerated_by_one_value(wrong: bool) -> Proof:
    """A claim about laws and a number of drafts, by enumeration of these numbers alone."""
    claim = find(["sd.block-length"])[0]
    numbers = [value for i in instances(claim, 40) for value in i.values() if isinstance(value, int)]

    def prove(d: Derivation) -> None:
        d.exhaust("every number", lambda case: True, [*range(64), *numbers])

    return Proof(claim, prove, {}, None) if wrong else ACCEPTANCE


@with_twin(ABOUT, CLAIMED)
def no_larger_than_is_drawn(wrong: bool) -> Proof:
    """V is at most a hundred, which all that is drawn satisfies."""

    def prove(d: Derivation) -> None:
        if wrong:
            d.domain("a small vocabulary", le(V, 100))
        ACCEPTANCE.prove(d)

    return replace(ACCEPTANCE, prove=prove)
