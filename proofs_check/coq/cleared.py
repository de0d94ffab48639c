"""Relations made polynomial: minima, maxima and absolute values get names, denominators are multiplied through."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import sympy as sp

from proofs_check.coq.certificates import Split, certificate
from proofs_check.coq.terms import Printer
from proofs_check.rules.terms import Relation

__all__ = ["Cases", "certified", "split_of"]

OPS = {"=": "eq", "<=": "le", ">=": "ge", "<": "lt", ">": "gt"}


class Cases(NamedTuple):
    """A minimum, maximum or absolute value: its text, its name, and the lemma that says what it may be."""

    text: str
    name: str
    cases: str


def certified(
    printer: Printer,
    relations: Sequence[Relation],
    signs: Mapping[str, Relation],
    pieces: Sequence[sp.Expr],
    named: Callable[[sp.Expr], sp.Expr],
    further: bool = False,
) -> tuple[list[Cases], str] | None:
    """A script for the first relation from the others, which are ``U_0``, ``U_1``, … in Coq; None where none is found.

    Parameters
    ----------
    relations : the goal and the facts, atoms named.
    signs : hypotheses on the signs of atoms.
    pieces : minima, maxima and absolute values, atoms not named.
    named : puts names for atoms.
    further : whether the script may require what further ones do.
    """
    cases = []
    values = {}
    for k, e in enumerate(pieces):
        values[named(e)] = sp.Symbol(f"m__{k}", real=True)
        cases.append(_cases(printer, e, printer.name(values[named(e)])))
    flat = _flat(values)
    splits = [split_of(printer, e, values[named(e)], named, flat)[0] for e in pieces]
    plain = [Relation(flat(r.lhs), r.op, flat(r.rhs)) for r in relations]
    script = _Clearing(printer, signs, splits, further).script(plain)
    return None if script is None else (cases, script)


def split_of(
    printer: Printer,
    e: sp.Expr,
    symbol: sp.Symbol,
    named: Callable[[sp.Expr], sp.Expr],
    flat: Callable[[sp.Expr], sp.Expr],
    strict: bool = False,
) -> tuple[Split, str]:
    """The two values of a minimum, maximum or absolute value, which has a name, with Coq's lemma on them.

    `strict`: what is not negative in the second case is positive there.
    """
    args = [flat(named(a)) for a in _two(e)]
    a, b = args if len(args) == 2 else (args[0], -args[0])
    low = isinstance(e, sp.Min)
    positive_case = (b - a if low else a if len(args) == 1 else a - b, a)
    negative_case = (a - b if low else b if len(args) == 1 else b - a, b)
    name = printer.name(symbol)
    return Split(f"K_{name}", symbol, (positive_case, negative_case)), _cases(printer, e, name, strict).cases


def _two(e: sp.Expr) -> tuple[sp.Expr, ...]:
    """The arguments as they are printed: of several, the first and the rest."""
    if isinstance(e, sp.Abs):
        return (e.args[0],)
    first, *rest = sorted(e.args, key=sp.default_sort_key)
    return first, (rest[0] if len(rest) == 1 else e.func(*rest))


def _cases(printer: Printer, e: sp.Expr, name: str, strict: bool = False) -> Cases:
    lemma = "abs_cases" if isinstance(e, sp.Abs) else "min_cases" if isinstance(e, sp.Min) else "max_cases"
    lemma += "_strict" if strict else ""
    texts = " ".join(f"({printer.real(a)})" for a in _two(e))
    return Cases(printer.real(e), name, f"({lemma} {texts})")


def _flat(values: Mapping[sp.Expr, sp.Symbol]) -> Callable[[sp.Expr], sp.Expr]:
    """Puts names for minima, maxima and absolute values, the outer ones first."""

    def put(e: sp.Expr) -> sp.Expr:
        if e in values:
            return values[e]
        return e.func(*[put(a) for a in e.args]) if e.args and not e.is_Rational else e

    return put


class _Clearing:
    """One step: denominators are seen to have a sign, and are multiplied through."""

    def __init__(self, printer: Printer, signs: Mapping[str, Relation], splits: Sequence[Split], further: bool) -> None:
        self.printer, self.splits = printer, splits
        self.further = further
        self.facts: dict[str, Relation] = dict(signs)
        self.steps: list[str] = []

    def script(self, relations: Sequence[Relation]) -> str | None:
        goal, *using = relations
        names = {f"U_{k}": r for k, r in enumerate(using)}
        self.facts |= {n: r for n, r in names.items() if not _bases(r) and r.lhs != r.rhs}
        for n, r in names.items():
            if _bases(r) and self._known(r):
                self._clear(n, r)
        if not _bases(goal):
            return self._close(goal)
        if not self._known(goal):
            return None
        top, below, sign = self._fraction(goal)
        self.steps.append(f"apply (back_{OPS[goal.op]} {self.real(top)} {self.real(below)}); [by_field | {sign} | ]")
        return self._close(Relation(top, goal.op, sp.S.Zero))

    def real(self, e: sp.Expr) -> str:
        return f"({self.printer.real(e)})"

    def _close(self, goal: Relation) -> str | None:
        script = certificate(self.printer, goal, self.facts, self.splits, self.further)
        return None if script is None else "; ".join([*self.steps, script])

    def _clear(self, name: str, r: Relation) -> None:
        top, below, sign = self._fraction(r)
        self.steps.append(
            f"assert (C_{name} : {self.real(top)} {r.op} 0) by (refine (clear_{OPS[r.op]} _ _ _ {self.real(below)} _ _ {name}); "
            f"[by_field | {sign}])"
        )
        self.facts[f"C_{name}"] = Relation(top, r.op, sp.S.Zero)

    def _known(self, r: Relation) -> bool:
        """Whether all denominators of a relation have a sign; the script says which."""
        return all(self._signed(b) for b in _bases(r))

    def _signed(self, base: sp.Expr) -> bool:
        if any(f.lhs == base and f.op in {">", "<"} and f.rhs == 0 for f in self.facts.values()):
            return True
        if _inverses(base):
            return False
        for op in (">", "<"):
            goal = Relation(base, op, sp.S.Zero)
            script = certificate(self.printer, goal, self.facts, self.splits, self.further)
            if script is not None:
                name = f"B_{len(self.steps)}"
                self.steps.append(f"assert ({name} : {self.real(base)} {op} 0) by ({script})")
                self.facts[name] = goal
                return True
        return False

    def _fraction(self, r: Relation) -> tuple[sp.Expr, sp.Expr, str]:
        """Numerator and denominator of the difference of both sides, and a tactic: the denominator is positive."""
        top, below = sp.fraction(sp.together(r.lhs - r.rhs))
        for sign in (1, -1):
            positive = Relation(sp.S.Zero, "<", sign * below)
            script = certificate(self.printer, positive, self.facts, self.splits, self.further)
            if script is not None:
                return sp.expand(sign * top), sign * below, f"first [solve [positive] | solve [{script}]]"
        return sp.expand(top), below, "positive"


def _inverses(e: sp.Expr) -> set[sp.Expr]:
    return {p.base for p in e.atoms(sp.Pow) if p.exp.is_Integer and p.exp < 0}


def _bases(r: Relation) -> list[sp.Expr]:
    """What is divided by, inner denominators first."""
    return sorted(_inverses(r.lhs) | _inverses(r.rhs), key=lambda b: (len(_inverses(b)), str(b)))
