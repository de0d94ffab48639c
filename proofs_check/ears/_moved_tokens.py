"""Tokens per call when acceptance moves between two contexts: a convex function of the acceptance of a context."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge

__all__ = ["k", "moved_tokens"]

k = sp.Symbol("k_0", integer=True, nonnegative=True)


class Powers(NamedTuple):
    """A rate, its powers X[k], the sums T[k] = 1 + … + X[k], and the recursions of both."""

    rate: Any
    X: Any
    T: Any
    power: list[Fact]
    tokens: list[Fact]


def _powers(d: Derivation, rate: sp.Symbol) -> Powers:
    X = sp.IndexedBase(f"X_{rate}", real=True)
    T = sp.IndexedBase(f"T_{rate}", real=True)
    power = d.recursion(f"powers of {rate}", eq(X[0], 1), eq(X[k + 1], rate * X[k]))
    tokens = d.recursion(
        f"tokens per call at {rate}: a draft more adds the chance that all are kept",
        eq(T[0], 1),
        eq(T[k + 1], T[k] + X[k + 1]),
    )
    return Powers(rate, X, T, [*power], [*tokens])


def _larger(d: Derivation, larger_powers: Powers, two: Powers, ordered: Fact, positive: list[Fact]) -> Fact:
    """Powers of the larger rate are larger; `positive`: that the smaller rate and its powers are not negative."""
    power_rules = [*larger_powers.power, *two.power]
    return d.inductive(
        f"powers of {larger_powers.rate} and {two.rate}",
        ge(larger_powers.X[k], two.X[k]),
        k,
        power_rules,
        [*power_rules, ordered, *positive],
    )


def moved_tokens(
    d: Derivation, rates: list[Any], ordered: list[Fact], same: Fact, factor: sp.Expr | int
) -> tuple[Any, Fact]:
    """L(A) + L(B) − L(a) − L(b) ≥ 2 (A − a)(A − b) with k + 2 drafts, for A ≥ a ≥ b ≥ B ≥ 0 and A + B = a + b.

    `ordered` are these four inequalities, `same` the equation.
    """
    A, a, b, B = all_powers = [_powers(d, rate) for rate in rates]
    zero = d.inductive("no power is negative", ge(B.X[k], 0), k, B.power, [*B.power, ordered[3]])
    rate = {B.rate: ordered[3]}
    rate[b.rate] = d.derive("not negative", ge(b.rate, 0), *ordered[2:])
    rate[a.rate] = d.derive("not negative", ge(a.rate, 0), ordered[1], rate[b.rate])
    at_b = _larger(d, b, B, ordered[2], [ordered[3], zero])
    b_zero = d.derive("not negative", ge(b.X[k], 0), at_b, zero)
    at_a = _larger(d, a, b, ordered[1], [rate[b.rate], b_zero])
    a_zero = d.derive("not negative", ge(a.X[k], 0), at_a, b_zero)
    top = _larger(d, A, a, ordered[0], [rate[a.rate], a_zero])

    outer_exceed = ge(A.X[k] + B.X[k] - a.X[k] - b.X[k], 0)
    so_far = d.suppose("the outer powers exceed the inner ones", outer_exceed)
    over = A.X[k] - a.X[k]
    under = b.X[k] - B.X[k]
    move = A.rate - a.rate
    first = d.smt("a rate no smaller", ge(a.rate * over, b.rate * over), ordered[1], top)
    second = d.smt("as supposed", ge(b.rate * over, b.rate * under), so_far, rate[b.rate])
    third = d.smt("what is moved", ge(move * (A.X[k] - B.X[k]), 0), ordered[0], top, at_a, at_b)
    lower = d.smt("as much is taken", eq(b.rate - B.rate, move), same)
    power_rules = [f for p in all_powers for f in p.power]
    step = ge(A.rate * A.X[k] + B.rate * B.X[k] - a.rate * a.X[k] - b.rate * b.X[k], 0)
    step = d.smt("times the rates", step, first, second, third, lower)
    outer = d.inductive("the outer powers exceed the inner ones", outer_exceed, k, power_rules, [*power_rules, step])

    gain = ge(A.T[k + 2] + B.T[k + 2] - a.T[k + 2] - b.T[k + 2], 2 * factor * move * (A.rate - b.rate))
    onward = [p.tokens[1] for p in all_powers]
    begin = [d.instantiate("the first drafts", f, {k: n}) for f in onward for n in (1, 0)]
    begin += [d.instantiate("the first drafts", p.power[1], {k: n}) for p in all_powers for n in (1, 0)]
    begin += [fact for p in all_powers for fact in (p.tokens[0], p.power[0])]
    later = [d.instantiate("a draft more", f, {k: k + 2}) for f in onward]
    later += [d.instantiate("adds no less", outer, {k: k + 3})]
    swap = d.derive("the least rate", eq(B.rate, a.rate + b.rate - A.rate), same)
    return all_powers, d.inductive("tokens gained", gain, k, [*begin, swap], later)
