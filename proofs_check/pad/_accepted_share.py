"""When PAD's share of accepted drafts is at least that of SD: one acceptance rate everywhere, or texts of at most two tokens."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, total, x
from proofs_check.pad._accepts_to_go import Accepts, n, s

__all__ = ["one_rate", "two_tokens", "visited"]


def _next(d: Derivation, text: str, fact: Fact, a: Accepts) -> Fact:
    return d.instantiate(f"{text}, in the next state", fact, {s: a.step[s, x]})


def _gain(d: Derivation, a: Accepts) -> Fact:
    return d.smt("an override", ge(a.gain, 0), a.flag)


def _law(d: Derivation, a: Accepts) -> Fact:
    some = d.smt("a kept draft", ge(a.least + a.gain, 0), _gain(d, a))
    at_most_drafted = d.summed("no more is kept than drafted", ge(a.q - a.least - a.gain, 0), a.flag, by="smt")
    rest = d.derive("what is rejected", ge(1 - total(a.least + a.gain, x), 0), at_most_drafted, a.mass_q)
    back = ge((1 - total(a.least + a.gain, x)) * a.r, 0)
    back = d.smt("what replaces it", back, rest, d.derive("r is a law", ge(a.r, 0)))
    return d.smt("the emitted law", ge(a.o, 0), a.law, some, back)


def visited(d: Derivation, a: Accepts) -> tuple[sp.Expr, Fact, tuple[Fact, Fact]]:
    """SD's acceptance rate summed along PAD's path; that PAD accepts at least as much; the recursion."""
    R = sp.IndexedBase("R", real=True)
    none, path_step = d.recursion(
        "SD's acceptance rate summed over the states that PAD visits",
        eq(R[0, s], 0),
        eq(R[n + 1, s], total(a.least, x) + total(a.o * R[n, a.step[s, x]], x)),
    )
    statement = ge(a.P[n, s] - R[n, s], 0)
    there = _next(d, "PAD accepts more", d.suppose("PAD accepts more from n tokens on", statement), a)
    token = ge(a.o * a.P[n, a.step[s, x]] - a.o * R[n, a.step[s, x]], 0)
    token = d.summed("after a token", token, there, _law(d, a), by="smt")
    gain = d.sum("over the vocabulary", _gain(d, a), x)
    sides = eq(
        a.P[n + 1, s] - R[n + 1, s],
        total(a.gain, x) + total(a.o * a.P[n, a.step[s, x]], x) - total(a.o * R[n, a.step[s, x]], x),
    )
    sides = d.derive("overrides come on top", sides, a.pad[1], path_step)
    return (
        R,
        d.inductive("for every n", statement, n, [a.pad[0], none], [sides, token, gain], by="smt"),
        (none, path_step),
    )


def one_rate(d: Derivation, a: Accepts, R: sp.Expr, path_rule: tuple[Fact, Fact], above: Fact, u: sp.Symbol) -> Fact:
    """Where SD accepts equally often in every state (u = 1), PAD accepts at least as much as SD."""
    rate = sp.Symbol("rate", real=True)
    same = d.domain(
        "u marks processes in which SD accepts equally often in every state", eq(u * total(a.least, x), u * rate)
    )
    shift = d.sum("over the vocabulary", a.shift, x)
    mass_o = d.derive("the emitted law has mass one", eq(total(a.o, x), 1), shift, a.mass_p, a.mass_r)
    mass_e = d.sum("over the vocabulary", a.lossless, x)
    mass_e = d.derive("and so has that of SD", eq(total(a.e, x), 1), mass_e, a.mass_p)
    equal_rates = []
    for who, W, law, mass, (none, next_rule) in (("SD", a.A, a.e, mass_e, a.sd), ("PAD", R, a.o, mass_o, path_rule)):
        statement = eq(u * W[n, s], u * n * rate)
        there = _next(d, "as often", d.suppose(f"as often on the path of {who}", statement), a)
        token = d.summed("after a token", eq(u * law * W[n, a.step[s, x]], u * n * rate * law), there)
        equal_rates.append(d.inductive("for every n", statement, n, [none], [next_rule, token, mass, same]))
    return d.smt("equally often", ge(u * (a.P[n, s] - a.A[n, s]), 0), *equal_rates, above)


def _counted(d: Derivation) -> tuple[list[Any], list[tuple[Fact, Fact]], list[Fact]]:
    """short[k, n] = 1 where n ≤ k, else 0, for k = 0, 1, 2; what it is by recursion; none is negative."""
    w = [sp.IndexedBase(f"short{k}", real=True) for k in range(3)]
    rules = []
    for k in range(3):
        after = w[k - 1][n] if k else sp.S.Zero
        rules.append(d.recursion(f"1 for up to {k} tokens, else 0", eq(w[k][0], 1), eq(w[k][n + 1], after)))
    signs: list[Fact] = []
    for k in range(3):
        statement = ge(w[k][n], 0)
        signs.append(d.inductive("a truth value", statement, n, [rules[k][0]], [rules[k][1], *signs[-1:]]))
    return w, rules, signs


def two_tokens(d: Derivation, a: Accepts) -> tuple[sp.Expr, Fact]:
    """short[2, n], and that PAD accepts at least as much as SD where it is 1."""
    w, rules, signs = _counted(d)
    next_ = a.step[s, x]
    law_p = d.derive("p is a law", ge(a.p, 0))
    overlap_nonnegative = d.smt("min(p, q)", ge(a.least, 0))
    rate = d.summed("the smaller", le(a.least, a.p))
    rate = d.derive("a rate is at most 1", le(total(a.least, x), 1), rate, a.mass_p)
    emits = d.summed("SD emits p", eq(a.e * a.A[n, next_], a.p * a.A[n, next_]), a.lossless)
    sd = d.derive(
        "accepts under SD", eq(a.A[n + 1, s], total(a.least, x) + total(a.p * a.A[n, next_], x)), a.sd[1], emits
    )
    statement = ge(a.A[n, s], 0)
    there = _next(d, "not negative", d.suppose("accepts under SD are not negative", statement), a)
    there = d.summed("a token", ge(a.p * a.A[n, next_], 0), there, law_p, by="smt")
    positive = d.inductive(
        "accepts under SD",
        statement,
        n,
        [a.sd[0]],
        [sd, there, d.sum("over the vocabulary", overlap_nonnegative, x)],
        by="smt",
    )
    # nothing to come; at most one accept with one token to come
    nothing = []
    for W, rule in ((a.A, a.sd), (a.W, a.won)):
        statement = eq(w[0][n] * W[n, s], 0)
        nothing.append(d.inductive("no tokens to come", statement, n, [rule[0]], [rules[0][1]]))
    none_sd, none_won = (_next(d, "nothing to come", fact, a) for fact in nothing)
    statement = le(w[1][n] * a.A[n, s], w[1][n])
    token = d.summed("nothing after it", eq(w[0][n] * a.p * a.A[n, next_], 0), none_sd)
    single_token = eq(w[1][n + 1] * a.A[n + 1, s], w[0][n] * total(a.least, x))
    single_token = d.derive("one token", single_token, rules[1][1], sd, token)
    at_most = d.inductive(
        "one token to come", statement, n, [a.sd[0], rules[1][0]], [single_token, rules[1][1], rate, signs[0]], by="smt"
    )
    at_most = _next(d, "at most one", at_most, a)
    overrides_pay = nothing[1]
    gain = _gain(d, a)
    law = _law(d, a)
    later = sp.IndexedBase("later", real=True)[n, s]
    meaning = d.derive("what a replacement is worth", eq(later, total(a.r * a.A[n, next_], x)), a.later)
    for k in (1, 2):  # an override pays while at most one token is to come after it
        v = w[k - 1][n]
        if k == 1:
            lost = d.derive("nothing is lost", eq(v * a.r * a.A[n, next_], 0), none_sd)
            lost = d.derive("in the mean", le(v * later, v), d.sum("over the vocabulary", lost, x), meaning, signs[0])
        else:
            law_r = d.derive("r is a law", ge(a.r, 0))
            lost = d.summed("one replacement", le(v * a.r * a.A[n, next_], v * a.r), at_most, law_r, by="smt")
            lost = d.derive("in the mean", le(v * later, v), lost, meaning, a.mass_r)
        ahead = _next(d, "not negative", positive, a)
        worth = d.smt("it costs no more than it wins", ge(v * a.worth, 0), lost, ahead, signs[k - 1])
        worth = d.summed("an override pays", ge(v * a.gain * a.worth, 0), worth, gain, by="smt")
        before = none_won if k == 1 else _next(d, "pays", overrides_pay, a)
        rest = d.summed("later ones", ge(v * a.o * a.W[n, next_], 0), before, law, by="smt")
        statement = ge(w[k][n] * a.W[n, s], 0)
        here_and_later = eq(
            w[k][n + 1] * a.W[n + 1, s], v * total(a.gain * a.worth, x) + v * total(a.o * a.W[n, next_], x)
        )
        here_and_later = d.derive("here and later", here_and_later, rules[k][1], a.won[1])
        overrides_pay = d.inductive(
            f"overrides pay in texts of up to {k}", statement, n, [a.won[0]], [here_and_later, worth, rest], by="smt"
        )
    return w[2], d.derive("PAD accepts as much", ge(w[2][n] * (a.P[n, s] - a.A[n, s]), 0), a.identity, overrides_pay)
