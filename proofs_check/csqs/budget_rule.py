"""csqs.budget-rule: what is left is at most the mass of a token that stays, or all was dropped and it has not grown."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.csqs._recursion import LAWS, TOP, TOP_KEPT, T, n
from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x, y
from simspec.claims.csqs.budget_rule import BUDGET
from simspec.claims.csqs.budget_rule_keep_top import BUDGET_KEEP_TOP
from simspec.claims.csqs.parts import CERTAIN
from simspec.laws import Array
from simspec.methods.csqs.threshold_rules import budget_path
from simspec.methods.csqs.thresholds import ranked
from simspec.methods.sqs.quantised import top_mask

PAYS = "the budget pays for what is dropped"
GREEDY = "it would not pay for one token more"


def prove(d: Derivation, sign: int = 1, capacity: sp.Expr | int = 1, top: bool = False) -> None:
    """Every text, T, target and budget in [0, 1]; literal.

    Above b/T is attained (one certain token, α = b = ½). Below (1 − b)/T is the supremum: one certain token, b + α just
    below 1. With b = ½ no rule has a smaller two-sided constant than ½: α = ½, one certain token.
    """
    q, keep, drop, B, S = (sp.IndexedBase(name, real=True) for name in ("q", "keep", "drop", "B", "S"))
    mass = d.domain(LAWS, eq(total(q[n, x], x), 1))
    positive = d.domain("no mass is negative", ge(q[n, x], 0))
    alpha = d.number("alpha", 0, 1)
    b = d.number("b", 0, sp.S.Half if top else 1)
    dropped = d.define("the dropped mass", drop[n], total((1 - keep[n, x]) * q[n, x], x))
    start, budget_step = d.recursion("the budget", eq(B[0], b), eq(B[n + 1], B[n] + sign * alpha - drop[n]))
    none, sums = d.recursion("what has been dropped", eq(S[0], 0), eq(S[n + 1], S[n] + drop[n]))
    pays = d.domain(PAYS, ge(B[n] + alpha - drop[n], 0))
    bit = d.domain("a token is kept or not", eq(keep[n, x] * (1 - keep[n, x]), 0))
    over = sp.Max(B[n + 1] - capacity, 0)
    if top:
        stays = _all_but_top(d, q, keep, drop, B, over, (mass, positive, dropped, budget_step, bit, alpha))
    else:
        single_mass = d.term("one mass", positive, x, y)
        single_mass = d.instantiate(
            "of this token", d.derive("is at most 1", le(q[n, y], 1), single_mass, mass), {y: x}
        )
        greedy = d.domain(GREEDY, ge(keep[n, x] * (drop[n] + q[n, x] - B[n] - alpha), 0))
        per_token = d.summed(
            "where more than that is left no token is kept",
            eq(keep[n, x] * q[n, x] * over, 0),
            bit,
            greedy,
            single_mass,
            budget_step,
        )
        stays = d.derive("that is, all is dropped", eq((1 - drop[n]) * over, 0), per_token, dropped, mass)

    range_ = ge(capacity, B[n])
    high = d.inductive("never is more left", range_, n, [start], [budget_step, stays])
    low = ge(B[n], 0)
    low = d.inductive("nor less than nothing", low, n, [start], [budget_step, pays])
    law = eq(S[n], b + alpha * n - B[n])
    law = d.inductive("income and expense", law, n, [none, start], [sums, budget_step])
    high, low, law = (d.instantiate("after T tokens", f, {n: T}) for f in (high, low, law))
    up = d.derive("at most b above", le(S[T] - alpha * T, b), law, low)
    down = d.derive("at most the rest below", le(alpha * T - S[T], capacity - b), law, high)
    d.qed(
        d.derive("on average above", le(S[T] / T - alpha, b / T), up),
        d.derive("on average below", le(alpha - S[T] / T, (capacity - b) / T), down),
    )


def _all_but_top(
    d: Derivation,
    q: sp.IndexedBase,
    keep: sp.IndexedBase,
    drop: sp.IndexedBase,
    B: sp.IndexedBase,
    over: sp.Expr,
    facts: Any,
) -> Fact:
    """Where more than ½ is left all but the most likely token has been dropped, which is at least α."""
    mass, positive, dropped, budget_step, bit, alpha = facts
    t = sp.IndexedBase("t", real=True)
    is_bit, top_is_one, top_is_largest = d.domain(
        TOP, eq(t[n, x] * (1 - t[n, x]), 0), eq(total(t[n, x], x), 1), ge(t[n, x] * (q[n, x] - q[n, y]), 0)
    )
    top_kept = d.domain(TOP_KEPT, ge(keep[n, x], t[n, x]))
    greedy = d.domain(GREEDY, ge((keep[n, x] - t[n, x]) * (drop[n] + q[n, x] - B[n] - alpha), 0))
    certain = d.assume(CERTAIN, le(q[n, x], 1 - alpha))
    Q = total(t[n, x] * q[n, x], x)
    other_mass = d.derive(
        "the mass of a token that is not the most likely", ge((1 - t[n, x]) * q[n, x], 0), is_bit, positive
    )
    leaves_room = d.instantiate("of this token", d.term("leaves room for it", other_mass, x, y), {y: x})
    at_most_top = d.sum("over the most likely", d.instantiate("tokens renamed", top_is_largest, {x: y, y: x}), y)
    at_most_top = d.derive("none has more than the most likely", le(q[n, x], Q), at_most_top, top_is_one)
    per_token = d.summed(
        "where more than ½ is left only the most likely is kept",
        eq((keep[n, x] - t[n, x]) * q[n, x] * over, 0),
        *(bit, is_bit, top_kept, greedy, leaves_room, at_most_top, mass, budget_step),
    )
    top = d.summed("it has at most 1 − α", le(t[n, x] * q[n, x], t[n, x] * (1 - alpha)), certain, is_bit)
    return d.derive(
        "so at least α is dropped", ge((drop[n] - alpha) * over, 0), per_token, top, top_is_one, dropped, mass
    )


def prove_keep_top(d: Derivation, sign: int = 1, capacity: sp.Expr = sp.S.Half) -> None:
    """Every text of such laws, T, target in [0, 1] and budget in [0, ½]; keep-top.

    Above b/T is attained (two equally likely tokens, b + α = ½). Below (½ − b)/T is the supremum.
    """
    prove(d, sign, capacity, top=True)


def values(q: Array, dropped_target: Fraction, budget: Fraction, top: bool = False) -> dict[str, Any]:
    laws = np.concatenate([q, q[-1:]])
    path = budget_path(ranked(laws), dropped_target, budget, keep_top=top)
    masks = [top_mask(row, k) if k else row < 0 for row, k in zip(laws, path.kept.tolist(), strict=True)]
    likely = laws.argmax(axis=-1)
    return {
        **{"q": lambda n, x: laws[n][x - 1], "t": lambda n, x: int(likely[n] == x - 1)},
        **{"keep": lambda n, x: masks[n][x - 1]},
        **{"alpha": dropped_target, "b": budget, "V": q.shape[-1]},
        **{"ranges": {"n": range(len(q)), "T": range(1, len(q) + 1)}},
    }


def values_keep_top(q: Array, dropped_target: Fraction, budget: Fraction) -> dict[str, Any]:
    return values(q, dropped_target, budget, top=True)


PROOFS = (
    Proof(BUDGET, prove, drop=GREEDY, change={"capacity": sp.Rational(9, 10)}, bind=values),
    Proof(BUDGET_KEEP_TOP, prove_keep_top, drop=GREEDY, change={"capacity": sp.Rational(1, 3)}, bind=values_keep_top),
)
