"""SMT certificates: a statement about real numbers is proved when no solver can satisfy its negation.

Expressions are SymPy; whatever is not +, ×, an integer power, Min, Max or |·| (a sum over the vocabulary, exp(z), p[x]) stands
for a real number of its own.  Min, Max and |·| are split into sign patterns and denominators are multiplied through, so that a
query holds polynomials only, no If and no division.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

import sympy as sp

from proofs_check.rules.defined import Condition
from proofs_check.rules.terms import REMEMBERED, Relation, Sum, ge, gt

__all__ = ["RATIONAL", "Unproved", "branches", "certificate", "follows", "model", "polynomial", "script", "sign_known"]

RATIONAL = {sp.Add, sp.Mul, sp.Indexed, sp.IndexedBase, Sum, sp.Tuple, sp.Min, sp.Max, sp.Abs}
"""What rational functions of names are made of, powers apart; Min, Max and Abs are for the sign patterns."""

TIMEOUT_MS = 120_000
"""Limit of a single query; what a solver leaves open by then is no certificate."""


class Unproved(Exception):
    """A step does not follow."""


# --- cases ----------------------------------------------------------------------------------------------------------


def branches(parts: Sequence[sp.Basic]) -> Iterator[tuple[list[sp.Basic], list[sp.Expr]]]:
    """Every sign pattern of the Min, Max and Abs in some expressions: the expressions without them, and what is ≥ 0 there.

    The patterns cover all reals: each splits on a ≤ b or b ≤ a.

    >>> a, b = sp.symbols("a b", real=True)
    >>> [(e[0], c) for e, c in branches([sp.Min(a, b)])]
    [(b, [a - b]), (a, [-a + b])]
    """
    piecewise_term = next((g for e in parts for g in _piecewise(e)), None)
    if piecewise_term is None:
        yield list(parts), []
        return
    if len(piecewise_term.args) > 2:  # the least (largest) is one of them
        sign = 1 if isinstance(piecewise_term, sp.Min) else -1
        ordered = sorted(piecewise_term.args, key=sp.default_sort_key)
        choices = [({piecewise_term: a}, [sp.expand(sign * (b - a)) for b in ordered if b != a]) for a in ordered]
    else:  # a ≥ b or a ≤ b, the same choice for all that turn on it
        turn = _turn(piecewise_term)
        signed_turns = ((1, turn), (-1, sp.expand(-turn)))
        alike = {g: sign for e in parts for g in _piecewise(e) for sign, same in signed_turns if _turn(g) == same}
        choices = [({g: _value(g, s * sign > 0) for g, sign in alike.items()}, [same]) for s, same in signed_turns]
    for values, where in choices:
        replaced = [e.xreplace(values) for e in parts] + [w.xreplace(values) for w in where]
        for out, conditions in branches(replaced):
            yield out[: len(parts)], [*out[len(parts) :], *conditions]


def _turn(g: sp.Basic) -> Any:
    """The expression on whose sign a Min, Max or Abs turns."""
    if isinstance(g, sp.Abs):
        return sp.expand(g.args[0])
    if len(g.args) != 2:
        return None
    a, b = sorted(g.args, key=sp.default_sort_key)
    return sp.expand(a - b)


def _value(g: sp.Basic, positive: bool) -> sp.Expr:
    if isinstance(g, sp.Abs):
        return g.args[0] if positive else -g.args[0]
    a, b = sorted(g.args, key=sp.default_sort_key)
    return (a if positive else b) if isinstance(g, sp.Max) else (b if positive else a)


def _piecewise(e: sp.Basic) -> Iterator[sp.Basic]:
    """Min, Max and Abs, inner ones first; those under a sum belong to a bound token and are none of ours."""
    if isinstance(e, (sp.Add, sp.Mul, sp.Pow, sp.Min, sp.Max, sp.Abs)):
        for a in e.args:
            yield from _piecewise(a)
    if isinstance(e, (sp.Min, sp.Max, sp.Abs)):
        yield e


# --- printing -------------------------------------------------------------------------------------------------------


class _Names(dict[sp.Basic, str]):
    """A real constant for every expression that is no polynomial."""

    def __missing__(self, atom: sp.Basic) -> str:
        name = "".join(c if c.isalnum() else "_" for c in str(atom)).strip("_") or "c"
        if len(name) > 24 or not name[0].isalpha():
            name = f"{type(atom).__name__.lower()}_{len(self)}"
        while name in self.values():
            name += "_"
        self[atom] = name
        return name


def _text(e: sp.Basic, names: _Names) -> str:
    if e.is_Rational:
        size = f"{abs(e.p)}.0" if e.q == 1 else f"(/ {abs(e.p)}.0 {e.q}.0)"
        return size if e.p >= 0 else f"(- {size})"
    if isinstance(e, (sp.Add, sp.Mul)):
        return f"({'+' if isinstance(e, sp.Add) else '*'} {' '.join(_text(a, names) for a in e.args)})"
    if isinstance(e, sp.Pow) and e.exp.is_Integer and e.exp > 0:
        return f"(* {' '.join([_text(e.base, names)] * int(e.exp))})"
    return names[e]


def _positive(e: sp.Basic) -> bool:
    if isinstance(e, sp.Sum):  # of at least one term
        return bool(e.function.is_positive) and all((high - low + 1).is_positive for _, low, high in e.limits)
    return bool(e.is_positive)


def _not_negative(e: sp.Basic) -> bool:
    return bool(e.is_nonnegative) or (isinstance(e, sp.Sum) and bool(e.function.is_nonnegative))


def polynomial(e: sp.Expr) -> bool:
    """Whether an expression is a polynomial in what counts as a name: sums, Min, Max and |·| of such included.

    >>> a, b = sp.symbols("a b", real=True)
    >>> polynomial(a**2 * sp.Min(a, b) - 1), polynomial(a / b), polynomial(sp.exp(a))
    (True, False, False)
    """
    return all(
        a.exp.is_Integer and a.exp.is_positive if isinstance(a, sp.Pow) else a.is_Atom or type(a) in RATIONAL
        for a in sp.preorder_traversal(e)
    )


@lru_cache(maxsize=REMEMBERED)
def _quotient(r: Relation) -> tuple[sp.Expr, sp.Expr]:
    """Numerator, expanded, and denominator of lhs − rhs."""
    if polynomial(r.difference):
        below = sp.Integer(lcm(*(t.as_coeff_Mul()[0].q for t in sp.Add.make_args(r.difference))))
        return sp.expand(below * r.difference), below
    top, below = sp.fraction(sp.together(r.difference))
    return sp.expand(top), below


def script(goal: Relation | None, using: Sequence[Relation]) -> str:
    """SMT-LIB text: unsatisfiable exactly when `goal` follows from `using` (with no goal, satisfiable when `using` is).

    Raises
    ------
    Unproved
        when a denominator is not seen to be positive.
    """
    relations = [*using] + ([] if goal is None else [goal])
    quotients = [_quotient(r) for r in relations]
    for n, (_, below) in enumerate(quotients):
        if not below.is_Rational and not sign_known(below, using):
            raise Unproved(f"the denominator {below} of {relations[n]} is not known to be positive")
    names = _Names()
    queries = []
    for parts, where in branches([top for top, _ in quotients]):
        lines = [f"(assert (>= {_text(sp.expand(w), names)} 0.0))" for w in where]
        for n, expression in enumerate(parts):
            text = _text(sp.expand(expression), names)
            asserted = f"({relations[n].op} {text} 0.0)"
            lines.append(
                f"(assert (not {asserted}))" if goal is not None and n == len(parts) - 1 else f"(assert {asserted})"
            )
        queries.append(lines)
    meanings = ((n, str(a)) for a, n in names.items())
    out = [_comment(f"{n} is {meaning}") for n, meaning in meanings if meaning != n]
    out += ["(set-logic QF_NRA)", *(f"(declare-const {n} Real)" for n in names.values())]
    out += [f"(assert (> {n} 0.0))" for a, n in names.items() if _positive(a)]
    out += [f"(assert (>= {n} 0.0))" for a, n in names.items() if not _positive(a) and _not_negative(a)]
    for lines in queries:
        out += ["(push 1)", *lines, "(check-sat)", "(pop 1)"] if goal is not None else [*lines, "(check-sat)"]
    return "\n".join(out) + "\n"


def _comment(text: str) -> str:
    return f"; {' '.join(text.split())}"  # a line break would end the comment


def sign_known(below: sp.Expr, using: Sequence[Relation]) -> bool:
    """Whether a denominator is positive, plainly or by a certificate from `using`."""
    if below.is_Rational:
        return bool(below > 0)
    if all(_positive(f.base if isinstance(f, sp.Pow) else f) for f in sp.Mul.make_args(sp.factor(below))):
        return True
    try:
        certificate(gt(below, 0), [u for u in using if _quotient(u)[1].is_Rational])
    except Unproved:
        return False
    return True


def follows(c: Condition, using: Sequence[Relation]) -> bool:
    """Whether a condition follows from some statements."""
    if c.sign == ">=":
        try:
            certificate(ge(c.base, 0), [u for u in using if _quotient(u)[1].is_Rational])
        except Unproved:
            return False
        return True
    return sign_known(c.base, using) or (c.sign == "!=" and sign_known(-c.base, using))


# --- solvers --------------------------------------------------------------------------------------------------------


def _ask(text: str) -> list[str]:
    import z3

    context = z3.Context()
    full = f"(set-option :timeout {TIMEOUT_MS})\n{text}"
    return str(z3.Z3_eval_smtlib2_string(context.ref(), full)).split()


def certificate(goal: Relation, using: Sequence[Relation], title: str = "") -> str:
    """The checked SMT-LIB text that proves `goal` from `using`.

    >>> a, b = sp.symbols("a b", real=True)
    >>> "check-sat" in certificate(ge(a**2 + b**2, 2 * a * b), [])
    True

    Raises
    ------
    Unproved
        when some pattern is satisfiable, or left open by the solver.
    """
    text = _certified(goal, tuple(using))
    return f"{_comment(title)}\n{text}" if title else text


@lru_cache(maxsize=REMEMBERED)
def _certified(goal: Relation, using: tuple[Relation, ...]) -> str:
    text = script(goal, using)
    answers = _ask(text)
    if answers != ["unsat"] * text.count("(check-sat)"):
        raise Unproved(f"{goal}: the solver answers {', '.join(sorted(set(answers)))}")
    return text


def model(using: Sequence[Relation]) -> dict[str, Fraction]:
    """Rational numbers that satisfy some relations, by name: the raw material of a counterexample.

    >>> a = sp.Symbol("a", real=True)
    >>> model([gt(a, 1), gt(2, a), ge(2 * a, 3), ge(3, 2 * a)])
    {'a': Fraction(3, 2)}

    Raises
    ------
    Unproved
        when there are none, the solver leaves it open, or all that it finds are irrational.
    """
    import z3

    for parts, where in branches([r.lhs - r.rhs for r in using]):
        relations = [Relation(p, r.op, sp.S.Zero) for r, p in zip(using, parts, strict=True)] + [
            ge(w, 0) for w in where
        ]
        solver = z3.SolverFor("QF_NRA")
        solver.set("timeout", TIMEOUT_MS)
        solver.from_string(script(None, relations).replace("(check-sat)", ""))
        if solver.check() != z3.sat:
            continue
        solver_model = solver.model()
        values = {str(d): solver_model[d] for d in solver_model.decls()}
        if all(z3.is_rational_value(v) for v in values.values()):
            return {n: Fraction(v.numerator_as_long(), v.denominator_as_long()) for n, v in values.items()}
    raise Unproved("no rational model was found")
