"""pad.utility-slack: the loss is the sum, along PAD's own path, of overrides times what their replacement is worth more."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x
from proofs_check.pad import _block_values as blocks
from proofs_check.pad._blocks import bind_blocks
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
from simspec.claims.pad.utility_slack import (
    UTILITY_ACCOUNT,
    UTILITY_ACCOUNT_BLOCK,
    UTILITY_SLACK,
    UTILITY_SLACK_BLOCK,
    UTILITY_SLACK_PRINTED,
    UTILITY_SLACK_PRINTED_BLOCK,
)
from simspec.laws import Array

SCOPE = (
    "every process of any states, tokens and length; every utility of the last state between 0 and 1; all flags and "
    "tolerances; one draft a position; expectations along PAD's path by their first token"
)
BLOCKS = SCOPE.replace("one draft a position", "blocks of any number of drafts, with the target's own token after them")


def prove_account(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    m, s = flagged(d, sign=sign, constant=constant)
    o = s.o[h, state, x]
    after = m.U[h, m.step[state, x]]
    W, at_end, before_it = worth(d, m, o)
    cost = total(s.g[h, state, x] * (replaced(m, after) - after), x)
    A, none, account = expected(d, m, o, "A", cost, "overrides times what they lose, along the path")
    statement = eq(m.U[h, state] - W[h, state], A[h, state])
    base = d.derive("a finished text", statement.replace({h: 0}), at_end, m.finished, none)
    step = one_step(d, m, s, after)
    premises = [before_it, m.earlier, account, step]
    for_every_n = grow(d, m, o, s.not_negative, statement, base, *premises, text="at every context")
    d.qed(at_start(d, for_every_n))


PRICED = "missed pivots at 1, other overrides at their price"
MOST = "with the most overrides there can be"


def prices(
    d: Derivation,
    m: Models,
    s: Rule,
    marks: tuple[Any, Fact],
    price: sp.Expr,
    overrides_bound: sp.Expr,
    facts: list[Fact],
    rate: Rates,
) -> tuple[Any, Any, Fact, Fact]:
    """What the overrides of a draft cost, and at most; that they lose no more than that, and that it is no more."""
    g = s.g[h, state, x]
    after = m.U[h, m.step[state, x]]
    (miss, mark) = marks
    right = 1 - marks[0]
    cost = miss * g + price * right * g
    override_nonnegative = d.derive("an override is not negative", ge(g, 0), s.overrides, s.flag)
    loses = d.summed(
        "what an override loses", le(g * (replaced(m, after) - after), cost), override_nonnegative, mark, *facts
    )
    within_rejected = d.summed(
        "an override is part of what speculative decoding rejects",
        le(right * g, sp.Max(m.q[state, x] - m.p[state, x], 0)),
        *(mark, s.overrides, s.flag),
    )
    fewer = d.derive(
        "no more than is rejected", le(total(right * g, x), overrides_bound), within_rejected, rate.rejected, rate.low
    )
    dearer = d.derive("at their price", le(price * total(right * g, x), price * overrides_bound), fewer, rate.low)
    return total(cost, x), total(miss * g, x) + price * overrides_bound, loses, dearer


def chain_in_blocks(
    d: Derivation,
    m: Models,
    s: Rule,
    marks: tuple[Any, Fact],
    price: sp.Symbol,
    overrides_bound: sp.Expr,
    facts: list[Fact],
    rate: Rates,
) -> tuple[list[Fact], tuple[blocks.Block, Any, Fact, Fact]]:
    """The same along blocks, where drafts are verified; and the rule."""
    cost, bounded_cost, loses, dearer = prices(
        d, m=m, s=s, marks=marks, price=price, overrides_bound=overrides_bound, facts=facts, rate=rate
    )
    b = blocks.block(d)
    k = s.k[h, state, x]
    mean = blocks.kept_mean(d, m, s)
    rule = (b, k, *blocks.parts(d, m, s))
    W = blocks.along_block(d, m, (b, k), "W", m.utility[state], "what the rule's text is worth in a phase of a block")
    E = blocks.along_block(d, m, (b, k), "E", sp.S.Zero, PRICED, cost)
    B = blocks.along_block(d, m, (b, k), "B", sp.S.Zero, MOST, bounded_cost)
    lost = blocks.grow_in_blocks(
        d, m, rule, lambda u, v: le(u - v[0], v[1]), [W, E], ([m.finished], (mean, loses), ()), text="what is lost"
    )
    at_most = blocks.grow_in_blocks(
        d, m, rule, lambda u, v: le(v[0], v[1]), [E, B], ((), (dearer,), ()), text="at most"
    )
    return [blocks.at_start(d, lost), blocks.at_start(d, at_most)], rule


def chain(
    d: Derivation,
    m: Models,
    s: Rule,
    marks: tuple[Any, Fact],
    price: sp.Expr,
    overrides_bound: sp.Expr,
    facts: list[Fact],
    rate: Rates,
) -> list[Fact]:
    """Loss ≤ missed pivots at 1 and other overrides at their price ≤ the same with as many others as there can be."""
    o = s.o[h, state, x]
    after = m.U[h, m.step[state, x]]
    cost, most_cost, loses, dearer = prices(
        d, m=m, s=s, marks=marks, price=price, overrides_bound=overrides_bound, facts=facts, rate=rate
    )
    W, at_end, before_it = worth(d, m, o)
    E, none, paid = expected(d, m, o, "E", cost, PRICED)
    B, empty, bound_step = expected(d, m, o, "B", most_cost, MOST)
    loss = le(m.U[h, state] - W[h, state], E[h, state])
    base = d.derive("a finished text", loss.replace({h: 0}), at_end, m.finished, none)
    step = one_step(d, m, s, after)
    premises = [before_it, m.earlier, paid, step, loses]
    lost = grow(d, m, o, s.not_negative, loss, base, *premises, text="what is lost")
    bound = le(E[h, state], B[h, state])
    base = d.derive("a finished text", bound.replace({h: 0}), none, empty)
    premises = [paid, bound_step, dearer]
    at_most = grow(d, m, o, s.not_negative, bound, base, *premises, text="at most")
    return [at_start(d, lost), at_start(d, at_most)]


def prove_account_block(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    m, s = flagged(d, sign=sign, constant=constant)
    b = blocks.block(d)
    k = s.k[h, state, x]
    after = m.U[h, m.step[state, x]]
    cost = total(s.g[h, state, x] * (replaced(m, after) - after), x)
    W = blocks.along_block(d, m, (b, k), "W", m.utility[state], "what the rule's text is worth in a phase of a block")
    A = blocks.along_block(d, m, (b, k), "A", sp.S.Zero, "overrides times what they lose, along the path", cost)
    rule = (b, k, *blocks.parts(d, m, s))
    facts = (blocks.kept_mean(d, m, s),)
    for_every_n = blocks.grow_in_blocks(
        d, m, rule, lambda u, v: eq(u - v[0], v[1]), [W, A], ([m.finished], facts, ()), text="the account"
    )
    d.qed(blocks.at_start(d, for_every_n))


def _missed(d: Derivation, m: Models, text: str, reference_worth: sp.Expr) -> tuple[Any, Range, tuple[Any, Fact], Fact]:
    """The tolerance, values in their range, the pivots, and that what is none is worth `reference_worth` less the tolerance."""
    epsilon = d.number("epsilon", 0)
    among = between(d, m)
    missed = sp.IndexedBase("missed", real=True)[h, state, x]
    mark = d.domain("missed marks the pivots, 0 or 1", eq(missed**2, missed))
    rightly = d.domain(text, ge((1 - missed) * (m.U[h, m.step[state, x]] - reference_worth + epsilon), 0))
    return epsilon, among, (missed, mark), rightly


def prove_slack(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    m, s = flagged(d, sign=sign)
    replacement_worth = replaced(m, m.U[h, m.step[state, x]])
    epsilon, among, pivots, rightly = _missed(
        d, m, "what is no pivot is worth its replacement less the tolerance", replacement_worth
    )
    facts = [rightly, among.low, among.most]
    d.qed(
        *chain(
            d, m=m, s=s, marks=pivots, price=constant * epsilon, overrides_bound=sp.S.One, facts=facts, rate=rates(d, m)
        )
    )


def prove_printed(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """The loss with the price ε + α that the paper prints, the mass 1 − α, and 4 α (1 − α) at most 1; one draft a position."""
    m, s = flagged(d, sign=sign)
    text = "what is no pivot is worth the average less the tolerance"
    epsilon, among, pivots, rightly = _missed(d, m, text, m.U[h + 1, state])
    rate = rates(d, m)
    alpha = rate.alpha
    o = s.o[h, state, x]
    facts = [rightly, above_average(d, m, among, rate), among.low, among.most]
    first, second = chain(
        d, m=m, s=s, marks=pivots, price=epsilon + constant * alpha, overrides_bound=1 - alpha, facts=facts, rate=rate
    )
    Q, none, recursion_step = expected(d, m, o, "Q", 4 * alpha * (1 - alpha), "4 α (1 − α) along the path")
    statement = le(Q[h, state], h)
    base = d.derive("a finished text", statement.replace({h: 0}), none)
    quarter = d.derive("a product of two shares", le(4 * alpha * (1 - alpha), 1))
    mass = d.sum("the law of a step has mass one", s.law, x)
    premises = [recursion_step, quarter, mass, m.mass_p, m.mass_r]
    third = grow(
        d,
        m,
        o,
        s.not_negative,
        statement,
        base,
        *premises,
        text="a quarter each",
    )
    d.qed(first, second, at_start(d, third))


def prove_slack_block(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    m, s = flagged(d, sign=sign)
    replacement_worth = replaced(m, m.U[h, m.step[state, x]])
    text = "what is no pivot is worth its replacement less the tolerance"
    epsilon, among, pivots, rightly = _missed(d, m, text, replacement_worth)
    facts = [rightly, among.low, among.most]
    conclusions, _ = chain_in_blocks(
        d, m=m, s=s, marks=pivots, price=constant * epsilon, overrides_bound=sp.S.One, facts=facts, rate=rates(d, m)
    )
    d.qed(*conclusions)


def prove_printed_block(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """The same bounds as `prove_printed`, in blocks of any number of drafts."""
    m, s = flagged(d, sign=sign)
    text = "what is no pivot is worth the average less the tolerance"
    epsilon, among, pivots, rightly = _missed(d, m, text, m.U[h + 1, state])
    rate = rates(d, m)
    alpha = rate.alpha
    facts = [rightly, above_average(d, m, among, rate), among.low, among.most]
    price = epsilon + constant * alpha
    conclusions, rule = chain_in_blocks(
        d, m=m, s=s, marks=pivots, price=price, overrides_bound=1 - alpha, facts=facts, rate=rate
    )
    four = 4 * alpha * (1 - alpha)
    Q = blocks.along_block(d, m, rule[:2], "Q", sp.S.Zero, "4 α (1 − α), where a draft is verified", four)
    D = blocks.along_block(d, m, rule[:2], "D", sp.S.Zero, "drafts that are verified", sp.S.One)
    quarter = d.derive("a product of two shares", le(four, 1))
    third = blocks.grow_in_blocks(
        d, m, rule, lambda u, v: le(v[0], v[1]), [Q, D], ((), (quarter,), ()), text="a quarter"
    )
    d.qed(*conclusions, blocks.at_start(d, third))


def _before_end(values: dict[str, Any]) -> dict[str, Any]:
    """Only where a token is still to be written, as flags are."""
    return {**values, "ranges": {**values["ranges"], "h": range(values["T"] - 1, -1, -1)}}


def bind_slack(printed: bool, in_blocks: bool = False) -> Any:
    """Values with the missed pivots of either definition."""

    def values(
        target: Array,
        draft: Array,
        step: Array,
        utility: Array,
        horizon: int,
        flags: Array,
        epsilon: Fraction,
        gamma: int = 0,
    ) -> dict[str, Any]:
        lost = (true_pivots if printed else relative_pivots)(process_of(target, draft, step, utility, horizon), epsilon)
        models = (target, draft, step, utility, horizon, flags)
        bindings = _before_end(bind_blocks(*models, gamma)) if in_blocks else bind(*models)
        return {**bindings, "epsilon": epsilon, "missed": flags_of(lost)}

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
    Proof(
        UTILITY_SLACK_BLOCK,
        prove_slack_block,
        drop="utilities lie between 0 and 1",
        change={"constant": sp.S.Half},
        bind=bind_slack(False, in_blocks=True),
        scope=BLOCKS,
        sharp="Both prices are the least: a missed pivot can ruin a sure text (loss 1), and where each of T overrides "
        "loses ε the loss is Tε, for every T and ε ≤ 1/T, in one block of T drafts.",
    ),
    Proof(
        UTILITY_ACCOUNT_BLOCK,
        prove_account_block,
        drop="the replacement is the normalised residual",
        bind=lambda **instance: _before_end(bind_blocks(**instance)),
        scope=BLOCKS,
    ),
    Proof(
        UTILITY_SLACK_PRINTED_BLOCK,
        prove_printed_block,
        drop="the replacement's law sums to one",
        change={"constant": sp.S.Half},
        bind=bind_slack(True, in_blocks=True),
        scope=BLOCKS,
        sharp="The price ε + α and the mass 1 − α are attained together for every ε ≤ 1 − α, and 1/4 at ε = 0, α = 1/2, by the "
        "first draft of a block.",
    ),
)
