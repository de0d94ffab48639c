"""A derivation that keeps how it was made: in an order of its own, whatever Python's hash seed."""

from __future__ import annotations

import sympy as sp

from tests.requirements import require

require("proofs")
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.rules.terms import ge  # noqa: E402

MANY = 7
"""So many names of a set are in the order of their declaration by chance once in 5040 times."""


def test_what_a_value_must_satisfy_comes_in_the_order_of_the_givens() -> None:
    d = Traced("order")
    t = sp.Symbol("t", real=True)
    supposed = [d.suppose(f"t is not below {-k}", ge(t, -k)) for k in range(1, MANY + 1)]
    together = d.derive("all together", ge(MANY * t, -sum(range(1, MANY + 1))), *supposed)
    d.instantiate("at two", together, {t: 2})
    demanded = [e.made[0].relation for e in d.trace if e.rule == "derive" and e.text == "at two: condition"]
    assert demanded == [ge(sp.Integer(2), -k) for k in range(1, MANY + 1)]
