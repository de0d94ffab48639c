"""Equations between what arithmetic takes as numbers of their own: names put in, logarithms and exponentials taken apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sympy as sp

from proofs_check.coq.facts import Facts
from proofs_check.coq.terms import Printer
from proofs_check.rules.terms import Relation, spread

__all__ = ["rewritten", "supported"]

PARTS = (sp.exp, sp.log, sp.Sum, sp.floor)
MOST = 24
"""At most so many equations are added."""


def rewritten(
    relations: Sequence[Relation], printer: Printer | None = None, deeper: bool = False
) -> list[tuple[Relation, str]]:
    """Equations that hold of parts of some statements, the first of which is the goal, with tactics that show them.

    With a `printer` further ones: functions that have a number for value, and logarithms of quotients.  The `deeper` ones:
    logarithms of sums that have a factor, an exponential with that of the opposite, and reciprocals of fractions.
    """
    further = printer is not None
    _, *using = relations
    equations = [(k, r) for k, r in enumerate(using) if r.op == "=" and r.lhs != r.rhs and not r.lhs.is_number]
    rewritings: dict[sp.Tuple, tuple[Relation, str]] = {}
    if deeper:
        for r in _reciprocals(relations):
            rewritings[sp.Tuple(r.lhs, r.rhs)] = r, "by_field"
    queue = [a for r in relations for side in (r.lhs, r.rhs) for a in _parts(side)]
    visited: set[sp.Expr] = set()
    while queue and len(rewritings) < MOST:
        a = queue.pop(0)
        if a in visited:
            continue
        visited.add(a)
        for r, tactic in (
            *_substituted(a, equations, further),
            *_apart(a),
            *(_evaluated(a, printer, deeper) if printer else ()),
        ):
            rewritings[sp.Tuple(r.lhs, r.rhs)] = r, tactic
            queue += [b for side in (r.lhs, r.rhs) for b in _parts(side)]
    return list(rewritings.values())


def _reciprocals(relations: Iterable[Relation]) -> Iterator[Relation]:
    """Reciprocals of what holds fractions, with what they are without."""
    powers = {
        p for r in relations for side in (r.lhs, r.rhs) for p in side.atoms(sp.Pow) if p.exp.is_Integer and p.exp < 0
    }
    for p in sorted(powers, key=sp.default_sort_key):
        simple = sp.cancel(sp.together(p))
        if any(q.exp.is_Integer and q.exp < 0 for q in p.base.atoms(sp.Pow)) and simple != p:
            yield Relation(p, "=", simple)


def _parts(e: sp.Expr) -> Iterator[sp.Expr]:
    """Functions and roots outside of sums, and sums."""
    if isinstance(e, PARTS) or _is_root(e):
        yield e
    if not isinstance(e, sp.Sum):
        for a in e.args:
            yield from _parts(a)


def _is_root(e: sp.Expr) -> bool:
    return isinstance(e, sp.Pow) and e.exp.is_Rational and not e.exp.is_Integer and e.exp.q == 2


def _substituted(
    a: sp.Expr, equations: Iterable[tuple[int, Relation]], numbers: bool
) -> Iterator[tuple[Relation, str]]:
    """The same with what equations say put in; `numbers`: also where that is a number."""
    substituted = a
    used = list[int]()
    for k, r in equations:
        try:
            after = substituted.subs(r.lhs, r.rhs)
        except (TypeError, ValueError):
            continue
        if after != substituted:
            substituted = after
            used = [*used, k]
    if used and isinstance(a, sp.floor):
        rewriting = "".join(f"rewrite ?U_{k}; " for k in used)
        yield Relation(a, "=", spread(substituted)), f"{rewriting}functions_floor"
    elif used and substituted.func == a.func and not substituted.is_number:
        rewriting = "".join(f"rewrite ?U_{k}; " for k in used)
        yield Relation(a, "=", spread(substituted)), f"{rewriting}by_parts"
    elif used and numbers and substituted.is_Rational:
        rewriting = "".join(f"try rewrite U_{k}; " for k in used)
        yield Relation(a, "=", substituted), f"{rewriting}evaluated; by_field"


def _evaluated(a: sp.Expr, printer: Printer, deeper: bool) -> Iterator[tuple[Relation, str]]:
    """What a function is of an argument that is written in another way, or is a quotient."""
    if isinstance(a, sp.exp) and (simple := sp.expand(a.args[0])) != a.args[0]:
        if simple == 0:
            yield Relation(a, "=", sp.S.One), "exps"
        else:
            yield Relation(a, "=", sp.exp(simple)), "exps"
    elif deeper and isinstance(a, sp.exp) and a.args[0].is_Rational and a.args[0] < 0:
        opposite = sp.exp(-a.args[0])
        yield Relation(_product([a, opposite]), "=", sp.S.One), "apply exp_opposite; by_field"
    elif isinstance(a, sp.log):
        together = sp.factor(sp.together(a.args[0]))
        expanded = sp.expand_log(sp.log(together))
        if expanded != a and (deeper or not a.args[0].is_Add):
            factors = printer.real(_written_out(together))
            taken_apart = "deeper_logs" if deeper else "logs"
            yield Relation(a, "=", expanded), f"transitivity (ln {factors}); [f_equal; by_field | {taken_apart}]"


def _written_out(e: sp.Expr) -> sp.Expr:
    """A product whose powers are products, too; Coq takes the logarithm of a product apart."""
    factors: list[Any] = []
    for f in sp.Mul.make_args(e):
        if isinstance(f, sp.Pow) and f.exp.is_Integer and abs(f.exp) > 1:
            factors += [f.base if f.exp > 0 else 1 / f.base] * abs(int(f.exp))
        else:
            factors.append(f)
    return _product(factors) if len(factors) > len(sp.Mul.make_args(e)) else e


def _apart(a: sp.Expr) -> Iterator[tuple[Relation, str]]:
    if isinstance(a, sp.log):
        expanded = sp.expand_log(sp.log(sp.factor(a.args[0])) if a.args[0].is_Add else a)
        if expanded != a:
            yield Relation(a, "=", expanded), "logs"
    elif isinstance(a, sp.exp) and isinstance(a.args[0], (sp.Add, sp.Mul)):
        yield from _exponential(a)
    elif _is_root(a):
        yield Relation(sp.sqrt(a.base) ** 2, "=", a.base), "root"  # evaluates to a plain truth where SymPy knows it


def _exponential(a: Any) -> Iterator[tuple[Relation, str]]:
    """exp of a sum times the exponentials of what is taken away: those of what is added."""
    above: list[Any] = []
    below: list[Any] = [a]
    terms = sp.Add.make_args(sp.expand(a.args[0]))
    for t in terms:
        c, rest = t.as_coeff_Mul()
        if rest == 1:
            c = sp.S.One
            rest = t
        if len(terms) == 1 and c > 0 and c.p == 1:
            return
        unit = sp.exp(rest / c.q, evaluate=False)
        if c.q > 1:
            yield Relation(sp.exp(rest), "=", _product([unit] * int(c.q))), "exps"
        if c > 0:
            above += [unit] * int(c.p)
        else:
            below += [unit] * int(-c.p)
    if below != [a] or above != [a]:
        yield Relation(_product(below), "=", _product(above)), "exps"


def _product(factors: Sequence[Any]) -> sp.Expr:
    """The product as it stands: SymPy would put exponentials together again."""
    return sp.S.One if not factors else factors[0] if len(factors) == 1 else sp.Mul(*factors, evaluate=False)


def supported(facts: Facts, relations: Iterable[Relation]) -> list[str]:
    """Tactics: the signs of names that have a meaning of their own, as statements for all places."""
    labels: dict[Any, None] = {}
    for r in relations:
        for side in (r.lhs, r.rhs):
            labels |= dict.fromkeys(sorted((s for s in side.free_symbols if s in facts.signs), key=str))
    return [f"pose proof {facts.lemmas[id(facts.signs[s])].name} as T_{k}" for k, s in enumerate(labels)]
