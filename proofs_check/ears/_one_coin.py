"""The two printed tests of a drafted token on one coin: how long the coins are that pass the first, and only the second.

The coins [0, 1] fall into three intervals, up to R, up to R + t and the rest (R = p/q, each end at most 1).  No test
changes its mind within one, so each test is made at the middle.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.ears._relaxed_step import Step
from proofs_check.ears._truth_values import flags, zeros
from proofs_check.language import Derivation, Fact, eq, ge, x
from simspec.claims.ears.parts import tolerance
from simspec.laws import Array

__all__ = ["Paths", "coins", "paths"]


class Paths(NamedTuple):
    """Chance of each path by the tests, their closed forms, R and where a draft has no mass."""

    standard: Any
    pardon: Any
    first: Fact
    second: Fact
    R: Any
    ratio: Fact
    none: Any
    is_none: list[Fact]


def paths(d: Derivation, s: Step, t: sp.Symbol, not_negative: Fact, sign: int = 1) -> Paths:
    """Standard path: min(R, 1); pardon path: min(R + t, 1) − min(R, 1)."""
    p = s.p
    q = s.q
    none, is_none = zeros(d, "w", q)
    R = sp.IndexedBase("R", real=True)
    ratio = d.define("the ratio of a drafted token", R[x], p[x] / (q[x] + none[x]), is_none[2])
    never = d.smt("a ratio is not negative", ge(R[x], 0), ratio, is_none[2])
    ends = [sp.S.Zero, sp.Min(R[x], 1), sp.Min(R[x] + t, 1), sp.S.One]
    standard = sp.S.Zero
    pardon = sp.S.Zero
    tests = []
    for n in range(3):
        coin = (ends[n] + ends[n + 1]) / 2
        length = ends[n + 1] - ends[n]
        standard_test = sp.IndexedBase(f"A_{n}", real=True)
        two = sp.IndexedBase(f"B_{n}", real=True)
        for test, margin, name in ((standard_test, R[x] - coin, "R ≥ u"), (two, R[x] - coin + sign * t, "R ≥ u − t")):
            text = f"{test.label} is 1 where {name} in the middle of interval {n}, else 0"
            tests += d.domain(
                text, eq(test[x] * (1 - test[x]), 0), ge(test[x] * margin, 0), ge((test[x] - 1) * margin, 0)
            )
        standard += length * standard_test[x]
        pardon += length * (1 - standard_test[x]) * two[x]
    a = sp.IndexedBase("c_1", real=True)
    b = sp.IndexedBase("c_2", real=True)
    first = d.define("coins that pass the first test", a[x], standard)
    second = d.define("coins that fail it and pass the second", b[x], pardon)
    test_facts = [never, not_negative, *tests]
    short = d.smt("they are those up to R", eq(a[x], sp.Min(R[x], 1)), first, *test_facts)
    text = "they are those between R and R + t"
    rest = d.smt(text, eq(b[x], sp.Min(R[x] + t, 1) - sp.Min(R[x], 1)), second, *test_facts)
    return Paths(standard=a, pardon=b, first=short, second=rest, R=R, ratio=ratio, none=none, is_none=is_none)


def coins(p: Array, q: Array, beta: Fraction) -> dict[str, Any]:
    """Values of the tests on an instance."""
    ratio = p / np.where(q > 0, q, 1)
    t = tolerance(p, beta)
    ends = [0 * ratio, np.minimum(ratio, 1), np.minimum(ratio + t, 1), 0 * ratio + 1]
    bindings: dict[str, Any] = {"w": flags(q == 0)}
    for n in range(3):
        coin = (ends[n] + ends[n + 1]) / 2
        bindings |= {f"A_{n}": flags(ratio >= coin), f"B_{n}": flags(ratio >= coin - t)}
    return bindings
