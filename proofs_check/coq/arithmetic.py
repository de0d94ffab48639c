"""Tactics for what follows by arithmetic: the facts used, signs that are known, denominators multiplied through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp

from proofs_check.coq.facts import Facts
from proofs_check.coq.terms import NotExported
from proofs_check.rules.derivation import Fact
from proofs_check.rules.smt import _quotient
from proofs_check.rules.terms import Relation, is_bound

__all__ = ["derived", "signs"]

CLEAR = {"=": "eq", "<=": "le", ">=": "ge", "<": "lt", ">": "gt"}


def derived(facts: Facts, goal: Relation, using: tuple[Fact, ...], how: str) -> str:
    """Tactic for a statement that follows from facts."""
    script = [f"pose proof {facts.use(u)} as U_{k}" for k, u in enumerate(using)]
    script += signs(facts, [goal, *(u.relation for u in using)])
    rewriting = "; ".join(f"try rewrite U_{k}" for k, u in enumerate(using) if _substitutes(u.relation))
    ways = [f"solve [{rewriting}; first [by_field | lra | arithmetic]]"] if rewriting else []
    cleared = [c for k, u in enumerate(using) if (c := _cleared(facts, f"U_{k}", u.relation))]
    back = _back(facts, goal)
    ways.append("arithmetic")
    if cleared or back:
        ways.append(f"solve [{'; '.join([*cleared, *([back] if back else []), 'arithmetic'])}]")
    return "; ".join([*script, f"first [{' | '.join(ways)}]"])


def _substitutes(r: Relation) -> bool:
    """Whether an equation says what a name is, so that it can be put for it."""
    return r.op == "=" and isinstance(r.lhs, (sp.Symbol, sp.Indexed, sp.Sum)) and not r.rhs.has(r.lhs)


def _parts(facts: Facts, r: Relation) -> tuple[str, str] | None:
    top, below = _quotient(r)
    if below.is_Rational:
        return None
    return facts.printer.real(top), facts.printer.real(below)


def _cleared(facts: Facts, name: str, r: Relation) -> str | None:
    """Tactic: a fact with its denominators multiplied through, in place of it."""
    parts = _parts(facts, r)
    if parts is None:
        return None
    top, below = parts
    return (
        f"assert (C_{name} : {top} {r.op} 0) by (apply (clear_{CLEAR[r.op]} ({facts.printer.real(r.lhs)}) "
        f"({facts.printer.real(r.rhs)}) _ {below}); [by_field | positive_or | exact {name}]); clear {name}"
    )


def _back(facts: Facts, r: Relation) -> str | None:
    parts = _parts(facts, r)
    if parts is None:
        return None
    top, below = parts
    return f"apply (back_{CLEAR[r.op]} {top} {below}); [by_field | positive_or | ]"


def signs(facts: Facts, relations: Iterable[Relation]) -> list[str]:
    """Tactics that add the signs of sums, members of arrays, exponentials and powers."""
    atoms: dict[str, str] = {}
    for r in relations:
        for side in (r.lhs, r.rhs):
            for a in sp.preorder_traversal(side):
                if any(is_bound(s) for s in a.free_symbols):
                    continue
                sign = _sign(a)
                if sign:
                    atoms[facts.printer.real(a)] = sign
    return [f"try (assert ({sign} {a}) by positive)" for a, sign in atoms.items()]


def _sign(a: Any) -> str | None:
    if isinstance(a, sp.Sum):
        return "0 <=" if a.function.is_nonnegative else None
    if isinstance(a, (sp.Indexed, sp.exp)) or (isinstance(a, sp.Pow) and not a.exp.is_Integer):
        return "0 <" if a.is_positive else "0 <=" if a.is_nonnegative else None
    if isinstance(a, sp.Symbol) and a.is_integer:
        return "0 <" if a.is_positive else "0 <=" if a.is_nonnegative else None
    return None
