"""pad.utility-kept: a step with printed pivots keeps the square of the utility, and h steps keep h squarings of it."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x, y
from proofs_check.pad._block_values import along_block, at_start, block, grow_in_blocks, parts
from proofs_check.pad._blocks import bind_blocks
from proofs_check.pad._override_price import Range, accepted_or_replaced, between, rates
from proofs_check.pad._steps_and_values import (
    Models,
    Rule,
    bind_all,
    flagged,
    grow,
    h,
    one_step,
    replaced,
    state,
    worth,
)
from simspec.claims.pad.utility import RECALL
from simspec.claims.pad.utility_kept import UTILITY_KEPT, UTILITY_KEPT_BLOCK

k = sp.Symbol("j_0", integer=True, nonnegative=True)


def square(d: Derivation, m: Models, s: Rule, among: Range) -> Fact:
    """One step: Σ o·U ≥ U²."""
    rate = rates(d, m)
    p = m.p[state, x]
    q = m.q[state, x]
    g = s.g[h, state, x]
    o = s.o[h, state, x]
    after = m.U[h, m.step[state, x]]
    here = m.U[h + 1, state]
    recall = d.assume(RECALL, ge((1 - s.f) * (after - here), 0))
    override_worth = d.summed("an override is worth the average", ge(g * after, g * here), s.overrides, recall, s.flag)
    fewer = d.summed("an override is rejected by SD", le(g, sp.Max(q - p, 0)), s.overrides, s.flag)
    low = d.summed("an override is not negative", ge(g, 0), s.overrides, s.flag)
    mean, accepted = accepted_or_replaced(d, m, among)
    step = one_step(d, m, s, after)
    G = total(g, x)
    share = 1 - rate.alpha
    step_bound = d.derive(
        "overrides at the average, for their replacements",
        ge(total(o * after, x), here + G * (here - replaced(m, after))),
        *(step, m.earlier, override_worth),
    )
    rest = d.derive(
        "what is accepted is the rest of the average",
        ge(here, share * replaced(m, after)),
        *(m.earlier, mean, accepted, rate.residual),
    )
    at_most_rejected = d.derive("no more than is rejected", le(G, share), fewer, rate.rejected)
    value = d.derive("an average is not negative", ge(here, 0), rest, among.least, rate.high)
    top = d.derive("nor above one", le(here, 1), value_at_most(d, m, among.high), m.mass_p, m.earlier)
    bound = d.derive(
        "the average less the square",
        ge(here + G * (here - replaced(m, after)), here**2),
        *(rest, at_most_rejected, low, value, top, among.most, among.least, rate.high),
    )
    return d.derive("so a step keeps the square", ge(total(o * after, x), here**2), step_bound, bound)


def value_at_most(d: Derivation, m: Models, high: Fact) -> Fact:
    """Σ p·U ≤ Σ p."""
    after = m.U[h, m.step[state, x]]
    return d.summed("a token", le(m.p[state, x] * after, m.p[state, x]), high)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state between 0 and 1; all flags that
    the assumption allows; one draft a position.

    One position: U² is attained for every U in [0, 1]. Two positions: this allows 3/5 to fall to 0.1296, and a known
    instance falls to 1/5.
    """
    m, s = flagged(d, sign=sign, constant=constant)
    P, none, _, mean, deep = squarings(d, m, s, square(d, m, s, between(d, m)), sign)
    o = s.o[h, state, x]
    W, at_end, before_it = worth(d, m, o)
    statement = ge(W[h, state], P[h, h, state])
    empty = d.instantiate("of a finished text", none, {h: 0})
    base = d.derive("a finished text", statement.replace({h: 0}), at_end, m.finished, empty)
    premises = [before_it, mean, deep]
    d.qed(grow(d, m, o, s.not_negative, statement, base, *premises, text="at every context"))


def prove_block(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state between 0 and 1; all flags that
    the assumption allows; blocks of any number of drafts, with the target's own token after them.

    One position: U² is attained for every U in [0, 1], by the first draft of a block.
    """
    m, s = flagged(d, sign=sign, constant=constant)
    among = between(d, m)
    P, none, recursion_step, mean, deep = squarings(d, m, s, square(d, m, s, among), sign)
    o = s.o[h, state, x]
    accepted = s.k[h, state, x]
    r = m.r[state, x]
    there = P[h, h, m.step[state, x]]
    masses = d.sum("over the vocabulary", s.kept, x)
    emits = eq(o, accepted + (1 - total(accepted, x)) * r)
    emits = d.derive("the kept draft, or its replacement", emits, s.law, s.kept, masses, m.residual, m.mass_p)
    split = d.summed("squared", eq(o * there, accepted * there + (1 - total(accepted, x)) * r * there), emits)
    target_tokens = target_keeps(d, m, among, (P, none, recursion_step), sign)
    W = along_block(
        d, m, (b := block(d), accepted), "W", m.utility[state], "what the rule's text is worth in a phase of a block"
    )
    empty = d.instantiate("of a finished text", none, {h: 0})
    for_every_n = grow_in_blocks(
        *(d, m, (b, accepted, *parts(d, m, s)), lambda u, v: ge(v[0], P[u.indices[0], u.indices[0], state])),
        *([W], ([m.finished, empty], (split, mean, deep), target_tokens), "squared as often as there are tokens"),
    )
    d.qed(at_start(d, for_every_n, context=True))


def target_keeps(d: Derivation, m: Models, among: Range, powers: tuple[Any, Fact, Fact], sign: int) -> list[Fact]:
    """A token of the target's own: Σ p·U'^(2^h) ≥ U^(2^h) ≥ U^(2^(h+1))."""
    (P, none, recursion_step) = powers
    p = m.p[state, x]
    after = P[k, h, m.step[state, x]]
    here = P[k, h + 1, state]
    begin = d.instantiate("after a token", none, {state: m.step[state, x]})
    token = d.instantiate("after a token", recursion_step, {state: m.step[state, x]})
    first, then = (d.instantiate("before it", fact, {h: h + 1}) for fact in (none, recursion_step))
    nonnegative = d.summed("a value", ge(p * m.U[h, m.step[state, x]], 0), among.low)
    at_most_one = value_at_most(d, m, among.high)
    low = d.inductive("no power is negative", ge(here, 0), k, [first, m.earlier, nonnegative], [then])
    high = d.inductive("nor above one", le(here, 1), k, [first, m.earlier, at_most_one, m.mass_p], [then, low])
    law = d.derive("masses are not negative", ge(p, 0))
    schwarz = cauchy_schwarz(d, p, m.p[state, y], after, P[k, h, m.step[state, y]], (law, m.mass_p), sign)
    plain = d.summed("not squared", eq(p * P[0, h, m.step[state, x]], p * m.U[h, m.step[state, x]]), begin)
    squared = d.summed("squared once more", eq(p * P[k + 1, h, m.step[state, x]], p * after**2), token)
    statement = ge(total(p * after, x), here)
    jensen = d.inductive(
        "Jensen's inequality for the target", statement, k, [plain, first, m.earlier], [squared, schwarz, then, low]
    )
    again = d.derive("a power more is no more", le(P[k + 1, h + 1, state], here), then, low, high)
    return [d.instantiate("as many squarings as tokens", fact, {k: h}) for fact in (jensen, again)]


def cauchy_schwarz(
    d: Derivation, first_mass: sp.Expr, two: sp.Expr, a: sp.Expr, b: sp.Expr, law: tuple[Fact, Fact], sign: int
) -> Fact:
    """Σ o·a² ≥ (Σ o·a)², for the mass o and the value a of token x (two and b: those of y)."""
    not_negative, mass = law
    nonnegative_at_y = d.instantiate("another token", not_negative, {x: y})
    pair = d.derive("a pair of tokens", ge(first_mass * two, 0), not_negative, nonnegative_at_y)
    pair = d.derive("times a square", ge(first_mass * two * (a - sign * b) ** 2, 0), pair)
    pair = d.sum("over pairs of tokens", pair, x, y)
    return d.smt("Cauchy and Schwarz", ge(total(first_mass * a**2, x), total(first_mass * a, x) ** 2), pair, mass)


def squarings(
    d: Derivation, m: Models, s: Rule, step_keeps_square: Fact, sign: int
) -> tuple[Any, Fact, Fact, Fact, Fact]:
    """Powers P[k] = U^(2^k), what defines them, and with k = h: Σ o·P' ≥ what a step keeps, and that is P at least."""
    o = s.o[h, state, x]
    after = m.U[h, m.step[state, x]]
    mass = d.sum("the law of a step", s.law, x)
    mass = d.smt("has mass one", eq(total(o, x), 1), mass, m.mass_p, m.mass_r)
    P = sp.IndexedBase("P", real=True)
    Y = sp.IndexedBase("Y", real=True)
    none, recursion_step = d.recursion(
        "the target's value, squared k times",
        eq(P[0, h, state], m.U[h, state]),
        eq(P[k + 1, h, state], P[k, h, state] ** 2),
    )
    first, again = d.recursion(
        "what a step keeps of it, squared k times",
        eq(Y[0, h, state], total(o * after, x)),
        eq(Y[k + 1, h, state], Y[k, h, state] ** 2),
    )
    # what a step keeps, k squarings deep
    statement = ge(Y[k, h, state], P[k + 1, h + 1, state])
    before_token = d.instantiate("before the token", recursion_step, {h: h + 1})
    two = d.instantiate("squared once more", before_token, {k: k + 1})
    positive = d.derive("a square is not negative", ge(P[k + 1, h + 1, state], 0), before_token)
    once = d.instantiate("squared once", before_token, {k: 0})
    plain = d.instantiate("not squared", none, {h: h + 1})
    deep = d.inductive(
        "a step keeps the square, squared k times",
        statement,
        k,
        [first, step_keeps_square, once, plain],
        [again, two, positive],
    )
    # Jensen's inequality for k squarings
    a = P[k, h, m.step[state, x]]
    b = P[k, h, m.step[state, y]]
    schwarz = cauchy_schwarz(d, o, s.o[h, state, y], a, b, (s.not_negative, mass), sign)
    jensen = ge(total(o * a, x), Y[k, h, state])
    token = d.instantiate("after a token", recursion_step, {state: m.step[state, x]})
    begin = d.instantiate("after a token", none, {state: m.step[state, x]})
    unsquared = d.summed("not squared", eq(o * P[0, h, m.step[state, x]], o * after), begin)
    squared = d.summed("squared once more", eq(o * P[k + 1, h, m.step[state, x]], o * a**2), token)
    below = d.derive("a step's value is not negative", ge(Y[k, h, state], 0), deep, before_token)
    mean = d.inductive("Jensen's inequality", jensen, k, [unsquared, first], [squared, schwarz, again, below])
    mean, deep = (d.instantiate("as many squarings as tokens", fact, {k: h}) for fact in (mean, deep))
    return P, none, recursion_step, mean, deep


PROOFS = (
    Proof(UTILITY_KEPT, prove, drop="utilities lie between 0 and 1", bind=bind_all),
    Proof(UTILITY_KEPT_BLOCK, prove_block, drop="utilities lie between 0 and 1", bind=bind_blocks),
)
