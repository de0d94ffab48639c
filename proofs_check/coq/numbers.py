"""Numbers in Coq: logarithms, exponentials and roots of rational numbers, or of such numbers, between rational bounds.

A logarithm is that of a power of two times a number between 1 and 2, which a polynomial encloses (`log_near` in deeper.v); an
exponential is enclosed by the logarithms of its bounds.  The bounds are found in floating point: Coq proves each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from proofs_check.coq.terms import Printer
from proofs_check.rules.terms import Relation

__all__ = ["compared"]

DIGITS = 6
"""Bounds have so many decimals; a polynomial's error is below that."""
INNER_DIGITS = 5
"""The same of what is inside a function: powers of these decimals are what Coq calculates with."""


def compared(printer: Printer, relation: Relation) -> str | None:
    """Tactic for a statement between numbers: every function in it is enclosed, the rest is linear arithmetic.

    None where something else than a logarithm, an exponential or a root is in the way.
    """
    steps: list[str] = []
    bounds: dict[sp.Expr, str] = {}
    for atom in _outermost(relation):
        if not _enclose(printer, atom, bounds, steps):
            return None
    return "; ".join([*steps, "first [lra | repeat split_goal; lra]"])


def _outermost(relation: Relation) -> list[sp.Expr]:
    """Functions and roots that stand in no other, each once."""
    functions: dict[sp.Expr, None] = {}

    def visit(e: sp.Expr) -> None:
        if isinstance(e, (sp.log, sp.exp)) or (isinstance(e, sp.Pow) and e.exp.is_Rational and e.exp.q == 2):
            functions[e] = None
        else:
            for a in e.args:
                visit(a)

    visit(relation.lhs)
    visit(relation.rhs)
    return list(functions)


def _enclose(printer: Printer, e: sp.Expr, bounds: dict[sp.Expr, str], steps: list[str]) -> bool:
    """Add the tactics that bound a number; whether it can be bounded, by a hypothesis that `bounds` then names."""
    if e in bounds:
        return True
    argument = _argument(e)
    for inner in _outermost(Relation(sp.S.Zero, "=", argument)):
        if not _enclose(printer, inner, bounds, steps):
            return False
    function = sp.sqrt if isinstance(e, sp.Pow) else e.func
    lower, upper = (argument, argument) if argument.is_Rational else _around(argument, INNER_DIGITS)
    if (function is sp.log and lower <= 0) or (function is sp.sqrt and lower < 0):
        return False
    low = _around(function(lower), DIGITS)[0]
    high = _around(function(upper), DIGITS)[1]
    if function is not sp.log and low <= 0:
        return False
    name = f"N_{len(bounds)}"
    bounds[e] = name
    value = printer.real(function(argument))
    between = f"{printer.real(low)} <= {value} <= {printer.real(high)}"
    tactic = "; ".join(_tactics(printer, function, argument, (lower, upper), (low, high)))
    steps.append(f"assert ({name} : {between}) by ({tactic})")
    return True


def _argument(e: sp.Expr) -> sp.Expr:
    return e.base if isinstance(e, sp.Pow) else e.args[0]


def _around(e: sp.Expr, digits: int) -> tuple[sp.Rational, sp.Rational]:
    """Decimals below and above a number, with some room."""
    unit = sp.Rational(1, 10**digits)
    steps = sp.floor(sp.N(e, 30) / unit)
    return (steps - 1) * unit, (steps + 2) * unit


def _tactics(
    printer: Printer,
    function: Any,
    argument: sp.Expr,
    inside: tuple[sp.Rational, sp.Rational],
    outside: tuple[sp.Rational, sp.Rational],
) -> Iterator[str]:
    """That a function's value is between two rational numbers (`outside`) where its argument is between two (`inside`)."""
    if function is sp.sqrt:
        yield "apply sqrt_within; lra"
        return
    ends = dict.fromkeys(inside if function is sp.log else outside)
    for x, name in zip(ends, "GH", strict=False):
        yield from _logarithm(printer, x, name)
    if function is sp.exp:
        yield "apply exp_within; lra"
        return
    if not argument.is_Rational:
        lower, value, upper = map(printer.real, (inside[0], argument, inside[1]))
        yield f"pose proof (ln_grows {lower} {value} ltac:(lra) ltac:(lra))"
        yield f"pose proof (ln_grows {value} {upper} ltac:(lra) ltac:(lra))"
    yield "lra"


def _logarithm(printer: Printer, x: sp.Rational, name: str) -> Iterator[str]:
    """Tactics: bounds on the logarithm of a positive rational number, as hypotheses."""
    power = int(sp.floor(sp.log(x, 2).evalf(30)))
    y = x / sp.Integer(2) ** power
    z = (y - 1) / (y + 1)
    near = f"(1 + {printer.real(z)}) / (1 - {printer.real(z)})"
    lemma = "ln_above" if power >= 0 else "ln_below"
    yield f"pose proof ln_two as {name}_2"
    yield f"pose proof (log_near {printer.real(z)} ltac:(lra)) as {name}_n"
    yield f"unfold log_sum in {name}_n"
    yield f"pose proof ({lemma} {abs(power)} {printer.real(x)} ({near}) ltac:(lra) ltac:(field; lra)) as {name}_e"
    yield f"simpl INR in {name}_e"
