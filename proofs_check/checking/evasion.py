"""Givens that are the claim in other words, or say more than their name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.checking.agreement import bound, failing, meanings, near, sides_apart
from proofs_check.checking.finer import follows_soon
from proofs_check.checking.plain import without_texts
from proofs_check.checking.ranges import ranged
from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.smt import Unproved, certificate
from proofs_check.rules.terms import Relation
from proofs_check.rules.values import evaluate
from simspec.claims.claim import Instance, MissingValue, call, equal
from simspec.laws.checks import any_mass

__all__ = ["SEEN", "leaning", "narrowing"]

SEEN = re.compile(r"\(see ([^()]+)\)")
"""How the name of what is given says of which claim it is."""


def leaning(proof: Proof, d: Derivation, compared_instances: Sequence[Instance]) -> str | None:
    """A name or a given that is the claim in other words; None when there is none.

    That is a name to which the bind gives the claim's slack, or a multiple of it; a given whose slack is a multiple of the
    claim's in every instance; and conclusions between names that all follow by arithmetic from what is given beside the
    assumptions: as a sum, or, of what cites no other claim, by any arithmetic.
    """
    if proof.bind is None:
        return None
    own_givens = {
        name: relations
        for name, relations in d.givens.items()
        if name not in d.supposed | d.assumed | (d.declarations - d.number_ranges)
    }
    assumptions = [g for relations in own_givens.values() for g in relations]
    uncited = [g for name, relations in own_givens.items() for g in relations if not SEEN.search(name)]
    if all(_bare(r.lhs) and _bare(r.rhs) for r in d.conclusions):
        if all(_added(r, assumptions) for r in d.conclusions):
            return "every conclusion is a sum of what is given"
        if all(_added(r, assumptions) or follows_soon(r, uncited) for r in d.conclusions):
            return "every conclusion follows by arithmetic from what is given"
    if proof.claim.relation is equal:
        return _of_laws_alone(proof, d, compared_instances)
    return _proportional(proof, d, own_givens, compared_instances)


def _bare(side: sp.Expr) -> bool:
    """Whether a side is a name, or a product or quotient of names: no formula."""
    factors = sp.Mul.make_args(side.as_coeff_Mul()[1])
    return all(isinstance(f.as_base_exp()[0], (sp.Symbol, sp.Indexed)) for f in factors)


def _of_laws_alone(proof: Proof, d: Derivation, compared_instances: Sequence[Instance]) -> str | None:
    """What differs from the claim's own formulas at weights of other masses, in an identity that its laws' masses alone show.

    Nothing but the masses brings the sides of such an identity together, so that any formula of them could stand for either:
    each must be the claim's own where one of the laws, whichever, has another mass.
    """
    masses = [r for name, relations in d.givens.items() if name in d.declarations for r in relations]
    weighed = any(r.op == "=" for r in masses)
    if not weighed or not all(follows_soon(r, masses) for r in d.conclusions):
        return None
    laws = [name for name in compared_instances[0] if all(_is_law(instance[name]) for instance in compared_instances)]
    differences = [_heavier(proof, d, name, compared_instances) for name in laws]
    if not differences or not all(differences):  # of one law no side differs
        return None
    return (
        f"its laws' masses alone show it, and at other masses it is not about the claim's formulas ({differences[0]})"
    )


def _is_law(value: Any) -> bool:
    """Whether each row of an array has mass one."""
    return isinstance(value, np.ndarray) and value.ndim > 0 and bool(np.all(value.sum(axis=-1) == 1))


def _heavier(proof: Proof, d: Derivation, name: str, compared_instances: Sequence[Instance]) -> str | None:
    """A side that is not the claim's where one law has twice its mass."""
    assert proof.bind is not None
    for instance in compared_instances:
        heavier = {**instance, name: 2 * np.asarray(instance[name])}
        try:
            with any_mass():
                values, ranges = bound(proof.bind, d, heavier)
                difference, _ = sides_apart(proof.claim, d, values | meanings(d, values), ranges, heavier, near)
        except (ArithmeticError, ValueError) as error:  # of a formula that is one of laws only
            return str(error)
        if difference:
            return difference
    return None


def _added(goal: Relation, given: Sequence[Relation]) -> bool:
    """Whether a statement is a sum of multiples of given ones: its products count as names of numbers."""
    names: dict[sp.Expr, sp.Symbol] = {}

    def plain(r: Relation) -> Relation:
        parts = [t.as_coeff_Mul() for t in sp.Add.make_args(r.difference)]
        terms = [c * (names.setdefault(m, sp.Symbol(f"m{len(names)}", real=True)) if m != 1 else m) for c, m in parts]
        return Relation(sp.Add(*terms), r.op, sp.S.Zero)

    goal = plain(goal)
    symbols = goal.free_symbols
    related = []
    remaining = [plain(g) for g in given]
    # what shares no name with it says nothing of it
    while connected := [g for g in remaining if g.free_symbols & symbols]:
        related += connected
        remaining = [g for g in remaining if g not in connected]
        symbols = symbols.union(*(g.free_symbols for g in connected))
    if goal.lhs == 0 or not related:
        return False
    try:
        certificate(goal, related)
    except Unproved:
        return False
    return True


def _proportional(
    proof: Proof, d: Derivation, own_givens: Mapping[str, Sequence[Relation]], compared_instances: Sequence[Instance]
) -> str | None:
    """A name or a given whose numbers are the slacks of the claim times one factor."""
    slacks: set[str] = set()
    ratios: dict[str, set[str]] = {}
    for instance in compared_instances:
        slack = _listed(proof.claim.slack(instance))
        slacks.update(f"{s:.9g}" for s in slack if s)
        numbers = {
            f"bind gives {name!r} the slack of the claim": _listed(value)
            for name, value in _bindings(proof, instance).items()
            if not callable(value) and not isinstance(value, (str, Mapping))
        }
        assert proof.bind is not None
        values, ranges = bound(proof.bind, d, instance)
        values |= meanings(d, values)
        for name, relations in own_givens.items():
            for n, r in enumerate(r for r in relations if r.op != "="):
                differences = [evaluate(sp.Add(r.lhs, -r.rhs), at) for at in ranged(r, values, ranges)]
                numbers[f"the given {name!r} has the slack of the claim" + " " * n] = _listed(differences)
        for name, differences_of_given in numbers.items():
            pairs = (
                list(zip(differences_of_given, slack, strict=False))
                if len(differences_of_given) == len(slack)
                else [(1.0, 0.0)]
            )
            ratios.setdefault(name, set()).update(f"{v / s:.9g}" if s else "none" for v, s in pairs if s or v)
    if len(slacks) <= 2:
        return None
    return next((n.strip() for n, r in ratios.items() if len(r) == 1 and not r & {"none", "0", "-0"}), None)


def _bindings(proof: Proof, instance: Instance) -> Mapping[str, Any]:
    """What a bind returns for an instance."""
    assert proof.bind is not None
    with without_texts():
        return call(proof.bind, deepcopy(dict(instance)))


def _listed(numbers: Any) -> list[float]:
    """As floats: nothing is decided but whether two columns of numbers are proportional."""
    try:
        return [float(v) for v in np.ravel(np.asarray(numbers, dtype=object)).tolist()]
    except (TypeError, ValueError):  # no numbers at all
        return []


def narrowing(proof: Proof, d: Derivation, assumption: str) -> str | None:
    """A given that fails where nothing but one assumption is broken, so that it says more than its name; None when there is none.

    The claim fails there: what is given beside that assumption cannot be the claim in other words.  A bind that has no values
    there says nothing.
    """
    if proof.bind is None or assumption not in proof.claim.outside:
        return None
    try:
        values, ranges = bound(proof.bind, d, proof.claim.outside[assumption])
        return failing(d, values | meanings(d, values), ranges, assumption)
    except MissingValue:
        return None
    except ValueError as error:  # of a sign that was not declared, too
        return str(error)
    except (IndexError, KeyError, OverflowError, TypeError):
        return None
