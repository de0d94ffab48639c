"""No whole number lies between 0 and 1, by induction; so none lies between two neighbours."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Fact, ge, lt

w = sp.Symbol("whole", integer=True, nonnegative=True)


def none_between(d: Derivation, number: sp.Expr) -> Fact:
    """v (v − 1) ≥ 0 for a whole number v, of any sign: an expression in names that were declared whole."""
    statement = ge(w * (w - 1), 0)
    for_every_w = d.inductive("no whole number lies between 0 and 1", statement, w, [], [])
    if number.is_nonnegative:
        return d.instantiate("no whole number lies between two neighbours", for_every_w, {w: number})
    goal = statement.replace({w: number})
    up = d.case(f"a whole number that is not negative, {number}", ge(number, 0))
    above = d.instantiate("one of them", for_every_w, {w: number}, up)
    down = d.case(f"a negative one, {number}", lt(number, 0))
    below = d.smt("both factors are negative", goal, down)
    return d.cases("no whole number lies between two neighbours", above, below)
