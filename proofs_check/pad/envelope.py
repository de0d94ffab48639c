"""pad.envelope: texts that agree token by token as often as they can; only the first override is paid for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, le, total, x
from proofs_check.pad._override_price import Range, between, rates
from proofs_check.pad._steps_and_values import (
    Models,
    Rule,
    at_start,
    bind,
    bind_all,
    expected,
    flagged,
    grow,
    h,
    state,
    worth,
)
from simspec.claims.authoring import F
from simspec.claims.claim import Instance
from simspec.claims.pad.envelope import ENVELOPE, POSITIONS, STAIRS, TARGET_PATH, UNION, _heaviest
from simspec.claims.pad.parts import process_of
from simspec.claims.pad.utility_slack import UTILITY_ACCOUNT, UTILITY_SLACK
from simspec.laws import exact

HEAVIEST = "overrides have mass g at most"


class Agreed(NamedTuple):
    """b = p − (Σg)·r, the mass on which both laws agree; the overrides; what defines S; that b is at least 0 and at most p."""

    b: Any
    G: Any
    S: Any
    finished: Fact
    before: Fact
    meaning: Fact
    low: Fact
    mass: Fact
    taken: Fact
    few: Fact


def agreed(d: Derivation, m: Models, s: Rule, sign: int = 1, constant: sp.Expr | int = 1) -> Agreed:
    """The law of a step is at least b, and texts agree to the end with chance S."""
    rate = rates(d, m)
    p = m.p[state, x]
    r = m.r[state, x]
    g = s.g[h, state, x]
    G = total(g, x)
    b = sp.IndexedBase("b", real=True)
    S = sp.IndexedBase("S", real=True)
    meaning = d.define("where both laws agree", b[h, state, x], p - sign * constant * G * r)
    override_nonnegative = d.derive("an override is not negative", ge(g, 0), s.overrides, s.flag)
    override_mass = d.sum("over the vocabulary", override_nonnegative, x)
    at_most_rejected = d.summed("and is rejected by SD", le(g, sp.Max(m.q[state, x] - p, 0)), s.overrides, s.flag)
    at_most_rejected = d.derive("no more than is rejected", le(G, 1 - rate.alpha), at_most_rejected, rate.rejected)
    rest = d.derive("masses are not negative", ge(r, 0))
    replacement_bound = d.derive("of each replacement", le(G * r, (1 - rate.alpha) * r), at_most_rejected, rest)
    replacement_bound = d.derive(
        "no more than the residual",
        le(G * r, sp.Max(p - m.q[state, x], 0)),
        replacement_bound,
        m.residual,
        rate.residual,
    )
    low = d.derive("an agreed mass is not negative", ge(b[h, state, x], 0), replacement_bound, meaning)
    mass = d.sum("over the vocabulary", meaning, x)
    mass = d.derive("all but the overrides", eq(total(b[h, state, x], x), 1 - G), mass, m.mass_p, m.mass_r)
    finished, before = d.recursion(
        "the chance that both texts agree to the end",
        eq(S[0, state], 1),
        eq(S[h + 1, state], total(b[h, state, x] * S[h, m.step[state, x]], x)),
    )
    return Agreed(
        b=b[h, state, x],
        G=G,
        S=S,
        finished=finished,
        before=before,
        meaning=meaning,
        low=low,
        mass=mass,
        taken=override_mass,
        few=at_most_rejected,
    )


def lost(d: Derivation, m: Models, s: Rule, a: Agreed, among: Range) -> Fact:
    """U − W ≤ 1 − S at every context."""
    o = s.o[h, state, x]
    after = m.U[h, m.step[state, x]]
    W, at_end, before_it = worth(d, m, o)
    later = W[h, m.step[state, x]]
    utility_nonnegative, _ = d.domain("utilities lie between 0 and 1", ge(m.utility[state], 0), le(m.utility[state], 1))
    positive = ge(W[h, state], 0)
    base = d.derive("a finished text", positive.replace({h: 0}), at_end, utility_nonnegative)
    positive = grow(d, m, o, s.not_negative, positive, base, before_it, text="what is worth nothing at least")
    positive = d.instantiate("after a token", positive, {state: m.step[state, x]})
    override_nonnegative = d.derive("an override is not negative", ge(s.g[h, state, x], 0), s.overrides, s.flag)
    at_least_agreed = d.summed(
        "what is written is at least what is agreed",
        ge(o * later, a.b * later),
        *(s.law, a.meaning, override_nonnegative, positive),
    )
    rest = d.summed(
        "the target's rest", eq(m.p[state, x] * after, a.b * after + a.G * m.r[state, x] * after), a.meaning
    )
    rest = d.derive("is worth its mass at most", le(m.U[h + 1, state], total(a.b * after, x) + a.G), *(
        m.earlier, rest, among.most, a.taken))  # fmt: skip
    statement = le(m.U[h, state] - W[h, state], 1 - a.S[h, state])
    base = d.derive("a finished text", statement.replace({h: 0}), at_end, m.finished, a.finished)
    premises = [before_it, a.before, a.mass, at_least_agreed, rest]
    return grow(d, m, a.b, a.low, statement, base, *premises, text="at every context")


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state between 0 and 1; all flags; one draft
    a position; expectations along PAD's path by their first token.

    Both attained by a text of one position that every override ruins, whatever its mass.
    """
    m, s = flagged(d)
    a = agreed(d, m, s, sign, constant)
    rate = rates(d, m)
    first = lost(d, m, s, a, between(d, m))
    o = s.o[h, state, x]
    k = s.k[h, state, x]
    S = a.S
    A, none, won = expected(d, m, o, "A", total(k, x), "accepted drafts along the path")
    R, empty, paid = expected(d, m, o, "R", rate.alpha, "SD's rates along the path")
    high = le(S[h, state], 1)
    base = d.derive("a finished text", high.replace({h: 0}), a.finished)
    premises = [a.before, a.mass, a.taken]
    high = grow(d, m, a.b, a.low, high, base, *premises, text="a chance")
    high = d.instantiate("after a token", high, {state: m.step[state, x]})
    there = S[h, m.step[state, x]]
    override_nonnegative = d.derive("an override is not negative", ge(s.g[h, state, x], 0), s.overrides, s.flag)
    agrees_no_longer = d.summed(
        "an override agrees no longer",
        le(o * there, a.b * there + s.g[h, state, x]),
        *(s.law, a.meaning, override_nonnegative, high),
    )
    mass = d.sum("the law of a step", s.law, x)
    accepted_sum = d.sum("over the vocabulary", s.kept, x)
    beyond = d.derive(
        "what is accepted beyond SD's rate", eq(total(k, x) - rate.alpha, a.G), accepted_sum, rate.residual, m.mass_p
    )
    statement = le(1 - S[h, state], A[h, state] - R[h, state])
    base = d.derive("a finished text", statement.replace({h: 0}), a.finished, none, empty)
    second = grow(
        *(d, m, o, s.not_negative, statement, base),
        *(a.before, won, paid, agrees_no_longer, mass, m.mass_p, m.mass_r, beyond),
        text="one for one",
    )
    d.qed(at_start(d, first), at_start(d, second))


def prove_positions(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state between 0 and 1; all flags whose
    overrides have mass g at most; one draft a position.

    Attained for every g and every number of positions.
    """
    m, s = flagged(d)
    a = agreed(d, m, s, sign, constant)
    first = lost(d, m, s, a, between(d, m))
    heavy = d.number("heavy", 0, 1)
    override_bound = d.domain(HEAVIEST, le(a.G, heavy))
    C = sp.IndexedBase("C", real=True)
    power_start, power_step = d.recursion("(1 − g)^h", eq(C[0], 1), eq(C[h + 1], (1 - heavy) * C[h]))
    low = d.inductive("a power is not negative", ge(C[h], 0), h, [power_start], [power_step])
    share = d.derive("what is agreed", ge((1 - a.G) * C[h], (1 - heavy) * C[h]), override_bound, low)
    statement = ge(a.S[h, state], C[h])
    base = d.derive("a finished text", statement.replace({h: 0}), a.finished, power_start)
    premises = [a.before, a.mass, share, power_step]
    together = grow(d, m, a.b, a.low, statement, base, *premises, text="agreed so far")
    d.qed(d.derive("so", le(first.relation.lhs, 1 - C[h]), first, together))


def _bind_positions(**instance: Any) -> dict[str, Any]:
    process = process_of(*(instance[name] for name in ("target", "draft", "step", "utility", "horizon")))
    return {**bind_all(**instance), "heavy": _heaviest(process, instance["flags"])}


# --- what does not hold -----------------------------------------------------------------------------------------------


def stairs(longest: int = 2) -> Iterator[Instance]:
    """The automaton of two steps down, all drafts that always write one token and all utilities in halves."""
    rows = [exact(np.array(r)) for r in ([1, 0], [0, 1])]
    for horizon in range(1, longest + 1):
        for utility, drafts in product(product((F(0), F(1, 2), F(1)), repeat=3), product(rows, repeat=3)):
            yield {
                **STAIRS,
                **{"draft": np.stack(drafts), "utility": np.array(utility, dtype=object), "horizon": horizon},
                "flags": np.zeros((horizon, 3, 2), dtype=bool),
            }


def _half_a_step() -> Iterator[Instance]:
    """The same, with what a step may lose there."""
    return ({**instance, "epsilon": F(1, 2)} for instance in stairs())


def two_states(longest: int = 2) -> Iterator[Instance]:
    """Two states and two tokens, the target always writes the first: all steps, drafts of one token, binary utilities."""
    rows = [exact(np.array(r)) for r in ([1, 0], [0, 1])]
    for horizon in range(1, longest + 1):
        for steps, drafts, utility in product(
            product((0, 1), repeat=4), product(rows, repeat=2), product((0, 1), repeat=2)
        ):
            yield {
                **{"target": np.stack([rows[0]] * 2), "draft": np.stack(drafts), "step": np.array(steps).reshape(2, 2)},
                **{"utility": exact(np.array(utility)), "horizon": horizon},
                "flags": np.zeros((horizon, 2, 2), dtype=bool),
            }


PROOFS = (
    Proof(ENVELOPE, prove, drop="the replacement's law sums to one", change={"constant": 2}, bind=bind),
    Proof(POSITIONS, prove_positions, drop=HEAVIEST, change={"constant": 2}, bind=_bind_positions),
    Refutation(
        UNION,
        stairs,
        scope="three states of which each error leads one down, models that always write one token, utilities in halves, no "
        "flags: two positions, and no fewer",
        repaired={"one position": lambda: stairs(1), "losses add up": (UTILITY_SLACK, _half_a_step)},
    ),
    Refutation(
        TARGET_PATH,
        two_states,
        scope="two states, two tokens, models that always write one token, binary utilities, no flags: two positions, and no "
        "fewer",
        repaired={"one position": lambda: two_states(1), "along PAD's own path": UTILITY_ACCOUNT},
    ),
)
