"""pad.utility-slack: the loss is the sum, along PAD's own path, of overrides times what their replacement is worth more."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x
from proofs_check.pad._override_price import Range, Rates, above_average, between, rates
from proofs_check.pad._steps_and_values import (
    Models,
    Rule,
    at_start,
    bind,
    expected,
    flagged,
    flags_of,
    grow,
    h,
    one_step,
    replaced,
    state,
    worth,
)
from simspec.claims.pad.parts import process_of, relative_pivots, true_pivots
from simspec.claims.pad.utility_slack import UTILITY_ACCOUNT, UTILITY_SLACK, UTILITY_SLACK_PRINTED

SCOPE = (
    "every process of any states, tokens and length; every utility of the last state between 0 and 1; all flags and "
    "tolerances; one draft a position; expectations along PAD's path by their first token"
)


def prove_account(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    m, s = flagged(d, sign=sign, constant=constant)
    o, after = s.o[h, state, x], m.U[h, m.step[state, x]]
    W, at_end, before_it = worth(d, m, o)
    cost = total(s.g[h, state, x] * (replaced(m, after) - after), x)
    A, none, account = expected(d, m, o, "A", cost, "overrides times what they lose, along the path")
    statement = eq(m.U[h, state] - W[h, state], A[h, state])
    base = d.derive("a finished text", statement.replace({h: 0}), at_end, m.finished, none)
    step = one_step(d, m, s, after)
    every = grow(d, m, o, s.not_negative, statement, base, before_it, m.earlier, account, step, text="at every context")
    d.qed(at_start(d, every))


def chain(
    d: Derivation, m: Models, s: Rule, marks: tuple[Any, Fact], price: Any, room: Any, facts: list[Fact], rate: Rates
) -> list[Fact]:
    """Loss ≤ missed pivots at 1 and other overrides at their price ≤ the same with as many others as there can be."""
    g, o, after = s.g[h, state, x], s.o[h, state, x], m.U[h, m.step[state, x]]
    (miss, mark), right = marks, 1 - marks[0]
    cost = miss * g + price * right * g
    taken = d.derive("an override is not negative", ge(g, 0), s.overrides, s.flag)
    loses = d.summed("what an override loses", le(g * (replaced(m, after) - after), cost), taken, mark, *facts)
    W, at_end, before_it = worth(d, m, o)
    E, none, paid = expected(d, m, o, "E", total(cost, x), "missed pivots at 1, other overrides at their price")
    B, empty, most = expected(d, m, o, "B", total(miss * g, x) + price * room, "with the most overrides there can be")
    loss = le(m.U[h, state] - W[h, state], E[h, state])
    base = d.derive("a finished text", loss.replace({h: 0}), at_end, m.finished, none)
    step = one_step(d, m, s, after)
    lost = grow(d, m, o, s.not_negative, loss, base, before_it, m.earlier, paid, step, loses, text="what is lost")
    kept = d.summed(
        "an override is part of what speculative decoding rejects",
        le(right * g, sp.Max(m.q[state, x] - m.p[state, x], 0)),
        *(mark, s.overrides, s.flag),
    )
    fewer = d.derive("no more than is rejected", le(total(right * g, x), room), kept, rate.rejected, rate.low)
    dearer = d.derive("at their price", le(price * total(right * g, x), price * room), fewer, rate.low)
    bound = le(E[h, state], B[h, state])
    base = d.derive("a finished text", bound.replace({h: 0}), none, empty)
    at_most = grow(d, m, o, s.not_negative, bound, base, paid, most, dearer, text="at most")
    return [at_start(d, lost), at_start(d, at_most)]


def _missed(d: Derivation, m: Models, text: str, least: Any) -> tuple[Any, Range, tuple[Any, Fact], Fact]:
    """The tolerance, values in their range, the pivots, and that what is none is worth `least` less the tolerance."""
    epsilon, among = d.number("epsilon", 0), between(d, m)
    missed = sp.IndexedBase("missed", real=True)[h, state, x]
    mark = d.domain("missed marks the pivots, 0 or 1", eq(missed**2, missed))
    rightly = d.domain(text, ge((1 - missed) * (m.U[h, m.step[state, x]] - least + epsilon), 0))
    return epsilon, among, (missed, mark), rightly


def prove_slack(d: Derivation, sign: int = 1, constant: Any = 1) -> None:
    m, s = flagged(d, sign=sign)
    least = replaced(m, m.U[h, m.step[state, x]])
    epsilon, among, pivots, rightly = _missed(
        d, m, "what is no pivot is worth its replacement less the tolerance", least
    )
    facts = [rightly, among.low, among.most]
    d.qed(*chain(d, m, s, pivots, constant * epsilon, sp.S.One, facts, rates(d, m)))


def prove_printed(d: Derivation, sign: int = 1, constant: Any = 1) -> None:
    m, s = flagged(d, sign=sign)
    text = "what is no pivot is worth the average less the tolerance"
    epsilon, among, pivots, rightly = _missed(d, m, text, m.U[h + 1, state])
    rate = rates(d, m)
    alpha, o = rate.alpha, s.o[h, state, x]
    facts = [rightly, above_average(d, m, among, rate), among.low, among.most]
    first, second = chain(d, m, s, pivots, epsilon + constant * alpha, 1 - alpha, facts, rate)
    Q, none, more = expected(d, m, o, "Q", 4 * alpha * (1 - alpha), "4 α (1 − α) along the path")
    statement = le(Q[h, state], h)
    base = d.derive("a finished text", statement.replace({h: 0}), none)
    quarter = d.derive("a product of two shares", le(4 * alpha * (1 - alpha), 1))
    mass = d.sum("the law of a step has mass one", s.law, x)
    third = grow(
        d, m, o, s.not_negative, statement, base, more, quarter, mass, m.mass_p, m.mass_r, text="a quarter each"
    )
    d.qed(first, second, at_start(d, third))


def bind_slack(printed: bool) -> Any:
    """Values with the missed pivots of either definition."""

    def values(
        target: Any, draft: Any, step: Any, utility: Any, horizon: int, flags: Any, epsilon: Any
    ) -> dict[str, Any]:
        lost = (true_pivots if printed else relative_pivots)(process_of(target, draft, step, utility, horizon), epsilon)
        found = bind(target, draft, step, utility, horizon, flags)
        return {**found, "epsilon": epsilon, "missed": flags_of(lost)}

    return values


PROOFS = (
    Proof(UTILITY_ACCOUNT, prove_account, drop="the replacement is the normalised residual", bind=bind, scope=SCOPE),
    Proof(
        UTILITY_SLACK,
        prove_slack,
        drop="utilities lie between 0 and 1",
        change={"constant": sp.S.Half},
        bind=bind_slack(False),
        scope=SCOPE,
        sharp="Both prices are the least: a missed pivot can ruin a sure text (loss 1), and where each of T overrides "
        "loses ε the loss is Tε, for every T and ε ≤ 1/T.",
    ),
    Proof(
        UTILITY_SLACK_PRINTED,
        prove_printed,
        drop="the replacement's law sums to one",
        change={"constant": sp.S.Half},
        bind=bind_slack(True),
        scope=SCOPE,
        sharp="The price ε + α and the mass 1 − α are attained together for every ε ≤ 1 − α (beyond, the price is 1, as for "
        "a missed pivot), and 1/4 at ε = 0, α = 1/2, T = 1. Over two positions 2/5 is attained, below 2/4; at recall 1 "
        "pad.utility-kept bounds the loss by U − U^(2^T) besides",
    ),
)
