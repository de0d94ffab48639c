"""numerics.greedy-prefix: after equal prefixes a token whose margin is above 2ε is chosen by both; so by induction."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, total, x, y
from simspec.claims.numerics.tokens import GREEDY_PREFIX, NEAR, clear, top
from simspec.laws import Array

n = sp.Symbol("n", integer=True, nonnegative=True)
TOPS = "a and b mark the tokens of both texts, each of the largest logit"
MARGINS = "c is 1 where the margin exceeds 2ε by mu or more, else 0"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all models, every ε, texts of every length.

    Nothing is promised behind the first margin of 2ε or less: the prefixes may differ from there.
    """
    z, s = (sp.IndexedBase(name, real=True) for name in ("z", "s"))
    a, b = (d.weights(name, n, x) for name in ("a", "b"))
    c = d.weights("c", n)
    epsilon = d.number("epsilon", 0)
    mu = d.number("mu", positive=True)
    same, good = (sp.IndexedBase(name, real=True) for name in ("E", "G"))
    bits = d.domain(
        TOPS,
        *(eq(a[n, x] * (1 - a[n, x]), 0), eq(b[n, x] * (1 - b[n, x]), 0)),
        *(eq(total(a[n, x], x), 1), eq(total(b[n, x], x), 1), ge(b[n, x] * (s[n, x] - s[n, y]), 0)),
    )
    bit, lead = d.domain(
        MARGINS,
        eq(c[n] * (1 - c[n]), 0),
        ge(c[n] * a[n, x] * (1 - a[n, y]) * (z[n, x] - z[n, y] - sign * 2 * epsilon - mu), 0),
    )
    rule = d.recursion("agreed so far", eq(same[0], 1), eq(same[n + 1], same[n] * total(a[n, x] * b[n, x], x)))
    clear_ = d.recursion("no small margin so far", eq(good[0], 1), eq(good[n + 1], good[n] * c[n]))
    near = d.assume(
        NEAR, le(same[n] * (s[n, x] - z[n, x] - epsilon), 0), ge(same[n] * (s[n, x] - z[n, x] + epsilon), 0)
    )
    low = [d.derive("marks are not negative", ge(e, 0)) for e in (a[n, x], b[n, x], c[n])]
    common = d.sum("the token of both", d.smt("marks", ge(a[n, x] * b[n, x], 0), *low), x)
    common_bound = le(a[n, x] * b[n, x], b[n, x])
    common_bound = d.sum("of the second text", d.smt("marks", common_bound, bits[0], bits[1], *low), x)
    statement = ge(same[n], good[n])
    sign_ = ge(good[n], 0)
    positive = d.inductive("not negative", sign_, n, [clear_[0]], [clear_[1], low[2]], by="smt")
    before = d.suppose("the texts agreed so far", statement)
    at_y = {x: y}
    b_y = d.instantiate("of the other token", bits[1], at_y)
    a_y = d.instantiate("of the other token", bits[0], at_y)
    a_low, b_low = (d.instantiate("of the other token", fact, at_y) for fact in low[:2])
    rise = d.instantiate("of the other token", near[0], at_y)
    largest = d.instantiate("of the other token", bits[4], {x: y, y: x})
    weight = a[n, x] * b[n, y] * (1 - a[n, y]) * c[n]
    some = d.smt("a product of marks", ge(weight, 0), *low, a_y, b_y, a_low, b_low)
    product = same[n] * weight
    agreed = d.smt("agreed or not", ge(same[n], 0), before, positive)
    other = d.smt("a mark is at most 1", ge(1 - a[n, y], 0), a_y, a_low)
    both = d.smt("both marks", ge(a[n, x] * (1 - a[n, y]), 0), low[0], other)
    clear_both = d.smt("with a margin", ge(a[n, x] * (1 - a[n, y]) * c[n], 0), both, low[2])
    without_b = same[n] * (a[n, x] * (1 - a[n, y]) * c[n])
    without_b = d.smt("in texts that agree", ge(without_b, 0), agreed, clear_both)
    steps = [
        d.smt("the margin", ge(product * (z[n, x] - z[n, y] - 2 * epsilon - mu), 0), lead, agreed, b_low, b_y),
        d.smt(
            "the other's lead",
            ge(product * (s[n, y] - s[n, x]), 0),
            largest,
            without_b,
        ),
        d.smt("what it rose by", le(product * (s[n, y] - z[n, y] - epsilon), 0), rise, some),
        d.smt("what the first fell by", ge(product * (s[n, x] - z[n, x] + epsilon), 0), near[1], some),
    ]
    none = d.smt("times mu", le(product * mu, 0), *steps)
    none = d.smt("so no other token is chosen", le(product, 0), none)
    none = d.sum("over pairs of tokens", none, x, y)
    goal = le(same[n] * c[n] * (1 - total(a[n, x] * b[n, x], x)), 0)
    none = d.derive("one token in each text", goal, none, bits[2], bits[3], by="smt")
    step = [rule[1], clear_[1], before, none, positive, low[2], common, common_bound, bits[3], bit]
    result = d.inductive("by induction", statement, n, [rule[0], clear_[0]], step, by="smt")
    after = d.instantiate("after the next token", result, {n: n + 1})
    d.qed(d.derive("after the next token", ge(same[n + 1], constant * good[n + 1]), after, by="smt"))


def _values(z: Array, shift: Array, epsilon: Any, length: int) -> dict[str, Any]:
    """Rows of the two texts' states, one more than tokens are asked for."""
    rows: list[tuple[int, int]] = [(0, 0)]
    for _ in range(length):
        row, shifted_row = rows[-1]
        rows.append((top(z[row]) + 1, top((z + shift)[shifted_row]) + 1))
    vocab = z.shape[1]
    margins = [abs(row[0] - row[1]) - 2 * epsilon for row in z]
    flags = clear(z, epsilon)

    def marks(row: Array) -> list[int]:
        return [int(y == top(row)) for y in range(vocab)]

    return {
        "z": lambda k, y: z[rows[k][0]][y - 1],
        "s": lambda k, y: (z + shift)[rows[k][1]][y - 1],
        "a": lambda k, y: marks(z[rows[k][0]])[y - 1],
        "b": lambda k, y: marks((z + shift)[rows[k][1]])[y - 1],
        "c": lambda k: flags[rows[k][0]],
        **{
            "epsilon": epsilon,
            "mu": min([m for m in margins if m > 0], default=1),
            "V": vocab,
            "ranges": {"n": range(length)},
        },
    }


PROOF = Proof(GREEDY_PREFIX, prove, drop=TOPS, bind=_values)
