"""ears.gamma-scaling: one more draft multiplies the last term of EARS's block by more than that of SD's, so their ratio grows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.ears._gain_and_price import rows
from proofs_check.language import Derivation, Fact, Proof, eq, ge, index, total, x
from simspec.claims.ears.gamma_scaling import BY_POSITION, GAMMA_SCALING, GAMMA_SCALING_SHARP, LONGER, SAME
from simspec.claims.ears.parts import tolerance
from simspec.laws import Array
from simspec.methods import SD, acceptance_rate, ears

s = index("s")
start = index("start")
n, gamma = sp.symbols("n gamma", integer=True, nonnegative=True)
NONNEGATIVE = "the tolerance is not negative"


class Blocks(NamedTuple):
    """Mean tokens of a block with n drafts to come, by EARS (L) and by SD (M), and what each keeps of a draft."""

    L: Any
    M: Any
    kept: Any
    least: Any
    next: Any
    ears: tuple[Fact, Fact]
    sd: tuple[Fact, Fact]
    more: Fact


def blocks(d: Derivation, sign: int = 1) -> Blocks:
    """The recursions, and that EARS keeps at least as much of every draft."""
    p, _ = rows(d, "p", s)
    q, _ = rows(d, "q", s)
    t = sp.IndexedBase("t", real=True)[s]
    allowed = d.domain(NONNEGATIVE, ge(t, 0))
    L = sp.IndexedBase("L", real=True)
    M = sp.IndexedBase("M", real=True)
    next_ = d.map("step")[s, x]
    ears_accepted = sp.Min(q[s, x], p[s, x] + sign * t * q[s, x])
    sd_accepted = sp.Min(p[s, x], q[s, x])
    ears_rules, plain = (
        d.recursion(
            f"tokens of a block of {who}: one, and after a kept draft those of the rest",
            eq(W[0, s], 1),
            eq(W[n + 1, s], 1 + total(k * W[n, next_], x)),
        )
        for who, W, k in (("EARS", L, ears_accepted), ("SD", M, sd_accepted))
    )
    accepts_no_fewer = d.smt("EARS keeps at least as much", ge(ears_accepted - sd_accepted, 0), allowed)
    return Blocks(
        L=L, M=M, kept=ears_accepted, least=sd_accepted, next=next_, ears=ears_rules, sd=plain, more=accepts_no_fewer
    )


def _ratio(
    d: Derivation,
    faster: tuple[Any, sp.Expr, tuple[Fact, Fact]],
    slower: tuple[Any, sp.Expr, tuple[Fact, Fact]],
    rates: tuple[Fact, Fact],
    ahead: Callable[[Fact], Fact],
    constant: int = 1,
) -> tuple[Fact, Fact, Fact]:
    """L[n + 1] M[n] ≥ L[n] M[n + 1] and M ≥ 1, where L and M follow W[n + 1] = 1 + rate · W[n] at the next place.

    `rates`: the rate of M is not negative, and that of L is no smaller; `ahead`: a fact at the next place.
    """
    (L, b, (first_l, next_l)) = faster
    (M, a, (first_m, next_m)) = slower
    after_l, after_m = (d.instantiate("two drafts more", f, {n: n + 1}) for f in (next_l, next_m))

    def induct(text: str, at: Callable[[sp.Expr], sp.Expr], *using: Fact, times: sp.Expr | None = None) -> Fact:
        statement = ge(at(n), 0)
        base = d.smt(f"{text}: without drafts", statement.replace({n: 0}), *starts, *rates)
        there = ahead(d.suppose(text, statement))
        if times is not None:
            there = d.smt(f"{text}: times the rates", ge(times * there.relation.lhs, 0), there, *rates)
        step = statement.replace({n: n + 1})
        rules = [f for f in (next_l, next_m, after_l, after_m) if step.lhs.has(f.relation.lhs)]
        body = step.lhs.xreplace({f.relation.lhs: f.relation.rhs for f in rules})
        same = d.derive(f"{text}: by the recursions", eq(step.lhs, sp.expand(body)), *reversed(rules))
        ratio_step = d.smt(f"{text}: at the next place", ge(same.relation.rhs, 0), there, *rates, *using)
        ratio_step = d.derive(f"{text}: one draft more", step, same, ratio_step)
        return d.induction(text, statement, n, base, ratio_step)

    at_zero = [d.instantiate("one draft", f, {n: 0}) for f in (next_l, next_m)]
    starts = [first_l, first_m, *at_zero, ahead(first_l), ahead(first_m)]
    size = induct("a block has a token", lambda k: M(k) - 1)
    low = induct("a draft more adds to M", lambda k: M(k + 1) - M(k))
    gap = induct("and at least as much to L", lambda k: L(k + 1) - L(k) - M(k + 1) + M(k), ahead(low))
    more_m = ahead(low)
    more_l = ahead(gap)
    growth = [
        d.smt("times the difference", ge((b - a) * more_m.relation.lhs, 0), more_m, *rates),
        d.smt("times the rate", ge(b * more_l.relation.lhs, 0), more_l, *rates),
    ]
    cross = induct("crosswise", lambda k: L(k + 1) * M(k) - constant * L(k) * M(k + 1), *growth, times=a * b)
    bigger = d.instantiate("one draft more", size, {n: n + 1})
    return cross, size, bigger


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, automaton and γ, all laws with one acceptance rate in all contexts, every tolerance.

    Equality at β = 0, or wherever no draft is pardoned. The ratio tends to (1 − α)/(1 − α') for α' < 1 as γ grows.
    """
    w = blocks(d, sign)
    a, b = sp.symbols("a b", real=True)
    A = sp.IndexedBase("A", real=True)
    B = sp.IndexedBase("B", real=True)
    rate_e, rate_s = d.assume(SAME, eq(total(w.kept, x), b), eq(total(w.least, x), a))
    plain = []
    for W, k, fact, rate, N, rules in ((w.L, w.kept, rate_e, b, B, w.ears), (w.M, w.least, rate_s, a, A, w.sd)):
        rule = d.recursion("a number for every length", eq(N[0], 1), eq(N[n + 1], 1 + rate * N[n]))
        statement = eq(W[n, s], N[n])
        there = d.instantiate("in the next state", d.suppose(f"one number for {N}", statement), {s: w.next})
        token = d.summed("a kept draft", eq(k * W[n, w.next], k * N[n]), there)
        longer = [rules[1], rule[1], token, fact]
        plain.append((rule, d.inductive("the state does not matter", statement, n, [rules[0], rule[0]], longer)))
    (rule_b, same_l), (rule_a, same_m) = plain
    accepts_no_fewer = d.sum("over the vocabulary", w.more, x)
    low = d.summed("min(p, q)", ge(w.least, 0), by="smt")
    rates = (
        d.smt("a rate", ge(a, 0), rate_s, low),
        d.smt("EARS accepts as often", ge(b - a, 0), rate_e, rate_s, accepts_no_fewer),
    )
    ratio = _ratio(d, (lambda k: B[k], b, rule_b), (lambda k: A[k], a, rule_a), rates, lambda f: f, constant)
    next_and_here = [*(d.instantiate("one draft more", f, {n: n + 1}) for f in (same_l, same_m)), same_l, same_m]
    statement = ge(w.L[n + 1, s] / w.M[n + 1, s], w.L[n, s] / w.M[n, s])
    in_every_state = d.smt("in any state", statement, *next_and_here, *ratio)
    d.qed(d.instantiate("at the start", in_every_state, {n: gamma, s: start}))


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary and γ, all laws that depend on the position alone, every tolerance.

    Equality where no draft is pardoned, or where one is rejected for certain before the last position.
    """
    w = blocks(d, sign)
    a = sp.IndexedBase("a", real=True)
    b = sp.IndexedBase("b", real=True)
    place = d.map("place")
    rate_b = d.define("acceptance rate of EARS", b[s], total(w.kept, x))
    rate_a = d.define("acceptance rate of SD", a[s], total(w.least, x))
    fixed = d.assume(BY_POSITION, eq(w.next, place[s]))
    rules = []
    for W, k, rate, (first, increase) in ((w.L, w.kept, rate_b, w.ears), (w.M, w.least, rate_a, w.sd)):
        token = d.summed("a kept draft", eq(k * W[n, w.next], k * W[n, place[s]]), fixed)
        statement = eq(W[n + 1, s], 1 + rate.relation.lhs * W[n, place[s]])
        rules.append((first, d.derive("whatever the token", statement, increase, token, rate)))
    increase = d.sum("over the vocabulary", w.more, x)
    low = d.summed("min(p, q)", ge(w.least, 0), by="smt")
    rates = (
        d.smt("a rate", ge(a[s], 0), rate_a, low),
        d.smt("EARS accepts as often", ge(b[s] - a[s], 0), rate_a, rate_b, increase),
    )
    ratio = _ratio(
        d,
        (lambda k: w.L[k, s], b[s], rules[0]),
        (lambda k: w.M[k, s], a[s], rules[1]),
        rates,
        lambda f: d.instantiate("at the next position", f, {s: place[s]}),
        constant,
    )
    statement = ge(w.L[n + 1, s] / w.M[n + 1, s], w.L[n, s] / w.M[n, s])
    in_every_state = d.smt("the ratio", statement, *ratio)
    d.qed(d.instantiate("at the start", in_every_state, {n: gamma, s: start}))


def prove_longer(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, automaton and γ, all laws, every tolerance.

    Equality at β = 0. At most γ + 1 times as long: where SD accepts nothing and EARS everything.
    """
    w = blocks(d, sign)
    law = d.smt("min(p, q)", ge(w.least, 0))
    least_kept = w.least * w.M[n, w.next]
    facts: list[Fact] = []
    for text, value, body, rules in (
        ("a block of SD has a token", w.M[n, s], least_kept, [w.sd]),
        ("a block of EARS has as many", w.L[n, s] - w.M[n, s], w.kept * w.L[n, w.next] - least_kept, [w.ears, w.sd]),
    ):
        statement = ge(value, 0)
        base = d.derive("without drafts", statement.replace({n: 0}), *(first for first, _ in rules))
        there = d.instantiate("in the next state", d.suppose(text, statement), {s: w.next})
        in_next_state = [d.instantiate("SD in the next state", fact, {s: w.next}) for fact in facts]
        token = d.summed("a kept draft", ge(body, 0), there, law, w.more, *in_next_state, by="smt")
        step = d.smt(
            "one draft more", statement.replace({n: n + 1}), *(recursion_step for _, recursion_step in rules), token
        )
        facts.append(d.induction(f"{text}, for every number of drafts", statement, n, base, step))
    no_fewer = d.smt("at least as many", ge(w.L[n, s], constant * w.M[n, s]), *facts)
    d.qed(d.instantiate("at the start", no_fewer, {n: gamma, s: start}))


def _values(p: Array, q: Array, beta: Fraction, gamma: int) -> dict[str, Any]:
    p = np.atleast_2d(p)
    q = np.atleast_2d(q)
    has_several_contexts = len(p) > 1
    t = tolerance(p, beta)[:, 0]
    return {
        **{"p": p, "q": q, "t": t, "V": p.shape[-1], "start": 1, "gamma": gamma},
        **{"a": acceptance_rate(SD, p, q)[0], "b": acceptance_rate(ears(beta), p, q)[0]},
        **{"step": (lambda s, x: x + 1) if has_several_contexts else (lambda s, x: 1)},
        **{"ranges": {"s": range(1, len(p) + 1), "n": range(gamma + 1)}},
    }


def _positions(p: Array, q: Array, beta: Fraction, gamma: int) -> dict[str, Any]:
    bindings = _values(p, q, beta, gamma)
    return {
        **{k: v for k, v in bindings.items() if k not in {"a", "b"}},
        **{"step": lambda s, x: min(s + 1, len(p)), "place": lambda s: min(s + 1, len(p))},
    }


PROOFS = (
    Proof(GAMMA_SCALING, prove, drop=NONNEGATIVE, bind=_values),
    Proof(GAMMA_SCALING_SHARP, prove_sharp, drop=NONNEGATIVE, bind=_positions),
    Proof(
        LONGER,
        prove_longer,
        drop=NONNEGATIVE,
        bind=lambda p, q, beta, gamma: {k: v for k, v in _values(p, q, beta, gamma).items() if k not in {"a", "b"}},
    ),
)
