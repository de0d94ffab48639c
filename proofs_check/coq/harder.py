"""Scripts for steps that the plain ones leave open: reciprocals as numbers of their own, and a wider search for products.

They are longer, and cost more of Coq's time: the exporter writes them only where Coq has left a step open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.coq.certificates import Split, certificate
from proofs_check.coq.cleared import split_of
from proofs_check.coq.terms import Printer
from proofs_check.rules.terms import Relation

__all__ = ["Closing", "closed", "parts_of"]


class Closing(NamedTuple):
    """What is said of parts before they get names, the names of their texts, and the script that closes the goal then."""

    before: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    script: str


def parts_of(relations: Iterable[Relation], shift: Callable[[sp.Pow], int]) -> list[sp.Expr]:
    """Minima, maxima, absolute values and reciprocals, outer ones first; `shift`: what is added to a whole exponent."""
    parts: dict[sp.Expr, None] = {}

    def visit(e: sp.Expr) -> None:
        """Look at a term, then at its parts."""
        if isinstance(e, (sp.Min, sp.Max)) and len(e.args) > 2:
            first, *rest = sorted(e.args, key=sp.default_sort_key)
            parts[e] = None
            visit(first)
            visit(e.func(*rest))
        elif isinstance(e, (sp.Min, sp.Max, sp.Abs)):
            parts[e] = None
            for a in e.args:
                visit(a)
        elif isinstance(e, sp.Pow) and (e.exp.is_Integer or shift(e)):
            if e.exp.is_Integer and e.exp < 0:
                parts[e] = None
            visit(e.base)
        elif isinstance(e, (sp.Add, sp.Mul)):
            for a in e.args:
                visit(a)

    for r in relations:
        visit(r.lhs)
        visit(r.rhs)
    return list(parts)


def closed(
    printer: Printer,
    relations: Sequence[Relation],
    signs: Mapping[str, Relation],
    parts: Sequence[sp.Expr],
    named: Callable[[sp.Expr], sp.Expr],
    wide: int = 1,
) -> Closing | None:
    """A script for the first relation from the others, which are ``U_0``, ``U_1``, … in Coq; None where none is found.

    Parameters
    ----------
    relations : the goal and the facts, atoms named.
    signs : hypotheses on the signs of atoms.
    parts : minima, maxima, absolute values and reciprocals, atoms not named, outer ones first.
    named : puts names for atoms.
    wide : how wide the search is, 1, 2 or 3.
    """
    values = {named(e): sp.Symbol(f"m__{k}", real=True) for k, e in enumerate(parts)}

    def flat(e: sp.Expr) -> sp.Expr:
        if e in values:
            return values[e]
        return e.func(*[flat(a) for a in e.args]) if e.args and not e.is_Rational else e

    names = tuple((printer.real(e), printer.name(values[named(e)])) for e in parts)
    splits = [
        split_of(printer, e, values[named(e)], named, flat, strict=wide > 2) for e in parts if not isinstance(e, sp.Pow)
    ]
    before = [f"pose proof {cases} as {split.hypothesis}" for split, cases in splits]
    goal, *using = [Relation(flat(r.lhs), r.op, flat(r.rhs)) for r in relations]
    facts = {**signs, **{f"U_{k}": r for k, r in enumerate(using) if r.lhs != r.rhs}}
    choices = [split for split, _ in splits]
    steps: list[str] = []
    for e in reversed([e for e in parts if isinstance(e, sp.Pow)]):
        reciprocal = _reciprocal(printer, e, values[named(e)], flat(named(e.base)), facts, choices)
        if reciprocal is not None:
            posed, destructed, new_facts = reciprocal
            before.append(posed)
            steps.append(destructed)
            facts |= new_facts
    if wide > 2:
        for name, relation, posed in _powers(printer, parts, lambda e: values[named(e)]):
            before.append(f"pose proof {posed} as {name}")
            facts = {**facts, name: relation}
        for name, relation, tactic in _same_reciprocals(printer, facts):
            steps.append(f"assert ({name} : {printer.relation(relation)}) by ({tactic})")
            facts = {**facts, name: relation}
    script = certificate(printer, goal, facts, choices, further=True, wide=wide)
    return None if script is None else Closing(tuple(before), names, "; ".join([*steps, script]))


def _powers(
    printer: Printer, parts: Sequence[sp.Expr], symbol: Callable[[sp.Expr], Any]
) -> list[tuple[str, Relation, str]]:
    """Reciprocals of powers are powers of reciprocals, which have a name too: what Coq's lemma says."""
    reciprocals = [e for e in parts if isinstance(e, sp.Pow)]
    plain = {e.base: symbol(e) for e in reciprocals if e.exp == -1}
    out: list[tuple[str, Relation, str]] = []
    for e in reciprocals:
        if e.exp < -1 and e.base in plain:
            n = -int(e.exp)
            relation = Relation(plain[e.base] ** n, "=", symbol(e))
            out.append((f"W_{len(out)}", relation, f"(pow_inv {printer.real(e.base)} {n})"))
    return out


def _same_reciprocals(printer: Printer, facts: Mapping[str, Relation]) -> list[tuple[str, Relation, str]]:
    """Two names of which the products with a third are one: they are the same number, by a tactic."""
    inverses: dict[sp.Expr, list[tuple[str, sp.Expr]]] = {}
    for name, r in facts.items():
        if r.op == "=" and r.rhs == 1 and isinstance(r.lhs, sp.Mul) and len(r.lhs.args) == 2:
            for a, b in (r.lhs.args, r.lhs.args[::-1]):
                inverses.setdefault(a, []).append((name, b))
    out = []
    for c, ((first, a), *others) in inverses.items():
        for k, (second, b) in enumerate(others):
            if a.is_Symbol and b.is_Symbol and a != b and first != second:
                relation = Relation(a, "=", b)
                names = " ".join(printer.real(e) for e in (a, b, c))
                out.append((f"J_{second}_{k}", relation, f"apply (same_inverse {names}); lra"))
    return out


def _reciprocal(
    printer: Printer,
    e: sp.Pow,
    symbol: Any,
    base: sp.Expr,
    facts: Mapping[str, Relation],
    splits: Sequence[Split],
) -> tuple[str, str, dict[str, Relation]] | None:
    """Of a reciprocal whose base has a sign: what is posed, how it is used, and what is known then."""
    exponent = -int(e.exp)
    text = printer.real(e.base)
    n = str(symbol).removeprefix("m__")
    for op, lemma in ((">", "inv_positive"), ("<", "inv_negative")):
        if exponent > 1 and op == "<":
            continue
        relation = Relation(base, op, sp.S.Zero)
        script = certificate(printer, relation, facts, splits, further=True)
        if script is None:
            continue
        posed = f"({lemma} {text})" if exponent == 1 else f"(inv_above {text} {exponent})"
        new_facts = {
            f"E_r{n}": Relation(base**exponent * symbol, "=", sp.S.One),
            f"P_r{n}": Relation(symbol, op, sp.S.Zero),
        }
        return f"pose proof {posed} as I_r{n}", f"destruct I_r{n} as [E_r{n} P_r{n}]; [{script} | ]", new_facts
    return None
