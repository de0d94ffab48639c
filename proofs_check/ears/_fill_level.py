"""The level a that fills up kept mass k to a law max(k, a p): the least (1 − Σ k + Σ_S k)/Σ_S p, S = {k/p is at most that of x}.

A sum of positive parts is the largest of its partial sums, so Σ (a p − k)₊ = 1 − Σ k: the level exists and is a formula.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.ears._relaxed_step import Step
from proofs_check.ears._truth_values import flags
from proofs_check.language import Derivation, Fact, eq, ge, gt, j, le, total, x
from simspec.laws import Array

__all__ = ["ORDER", "Kept", "Level", "bind_level", "level"]

ORDER = "S is 1 where k/p is at most that of x, else 0"


class Kept(NamedTuple):
    """A kept mass 0 ≤ k ≤ q that is 0 where the target p is."""

    p: Any
    k: Any
    never: Fact
    """k ≥ 0."""
    off: Fact
    below: Fact
    """k ≤ q."""
    z: Any
    is_z: list[Fact]
    """z is 1 where p is 0, else 0."""


class Level(NamedTuple):
    """The level that fills up a kept mass."""

    a: Any
    never: Fact
    """a ≥ 0."""
    fills: Fact
    """Σ (a p − k)₊ = 1 − Σ k."""


class Sets(NamedTuple):
    """For each token x the tokens whose k/p is at most that of x, their masses, and the quotient that is least at the level."""

    S: Any
    members: list[Fact]
    mass: Fact
    """P_S, the target's mass in S."""
    held: Fact
    """K_S, the mass kept there."""
    positive: Fact
    """P_S > 0."""
    quotient: Fact
    """(1 − Σ k + K_S)/P_S."""


def level(d: Derivation, s: Step, m: Kept) -> Level:
    """The least quotient is a level that fills up the kept mass."""
    sets, some, has_room = _sets(d, s, m)
    v = sets.quotient.relation.lhs
    a, level_bound, attained = d.extremum("the level is the least of them", "a", v, x, is_minimum=True)
    at = sp.Symbol("a_at", integer=True)
    some = d.smt("so is the level", ge(a, 0), attained, d.instantiate("at the token of the level", some, {x: at}))
    S = sets.S
    P = sets.mass.relation.lhs
    K = sets.held.relation.lhs
    fill = sp.Max(a * m.p[x] - m.k[x], 0)
    fills = total(fill, x)
    partial_sum = ge(fill.subs(x, j), S[x, j] * (a * m.p[j] - m.k[j]))
    partial_sum = d.summed("part of a sum of positive parts", partial_sum, sets.members[0], over=j, by="smt")
    partial_sum = d.smt("is at most the sum", ge(fills, a * P - K), partial_sum, sets.mass, sets.held)
    there = [
        d.instantiate("at the token of the level", f, {x: at}) for f in (partial_sum, sets.quotient, sets.positive)
    ]
    enough = d.smt("so the level fills up enough", ge(fills, 1 - total(m.k[x], x)), attained, *there)
    return Level(a, some, _just_enough(d, m, sets, level_bound, enough, has_room))


def _sets(d: Derivation, s: Step, m: Kept) -> tuple[Sets, Fact, Fact]:
    """The sets; that no quotient is negative; that at most 1 is kept in all."""
    p = m.p
    k = m.k
    z = m.z
    S = sp.IndexedBase("S", nonnegative=True)
    order = k[x] * p[j] - k[j] * p[x]
    in_S = d.domain(
        ORDER, *(eq(S[x, j] * (1 - S[x, j]), 0), ge(S[x, j] * order, 0), gt(S[x, j] - (1 - S[x, j]) * order, 0))
    )
    P, K, v = (sp.IndexedBase(name, real=True) for name in ("P_S", "K_S", "phi"))
    mass = d.define("the target's mass in S", P[x], total(S[x, j] * p[j], j))
    accepted_there = d.define("the mass kept there", K[x], total(S[x, j] * k[j], j))
    itself = [d.instantiate("a token is in its S", f, {j: x}) for f in in_S]
    term = d.derive("masses are not negative", ge(S[x, j] * p[j], 0))
    term = d.term("so that of S is at least the token's own", term, j, x)
    all_ = d.smt("where p is 0, S is everything", eq(z[x] * S[x, j], z[x]), m.off, *m.is_z, *in_S)
    all_ = d.summed("and has the whole mass", eq(z[x] * S[x, j] * p[j], z[x] * p[j]), all_, over=j, by="smt")
    facts = [mass, term, all_, s.mass_p, *itself, *m.is_z]
    positive = d.smt("so S has mass in either case", gt(P[x], 0), *facts)
    nonnegative = d.smt(
        "masses are not negative", ge(S[x, j] * k[j], 0), d.instantiate("what is kept of token j", m.never, {x: j})
    )
    nonnegative = d.sum("over the vocabulary", nonnegative, j)
    at_most_one = d.sum("what is kept is at most the draft", m.below, x)
    at_most_one = d.smt("so at most 1 is kept", le(total(k[x], x), 1), at_most_one, s.mass_q)
    quotient = d.define("the quotient of a token", v[x], (1 - total(k[x], x) + K[x]) / P[x], positive)
    some = d.smt("which is not negative", ge(v[x], 0), quotient, positive, nonnegative, accepted_there, at_most_one)
    return Sets(S, in_S, mass, accepted_there, positive, quotient), some, at_most_one


def _just_enough(
    d: Derivation, m: Kept, sets: Sets, level_bound: Fact, enough: Fact, accepted_at_most_one: Fact
) -> Fact:
    """Σ (a p − k)₊ = 1 − Σ k, from "at least" (`enough`): tokens are lifted to the level (t = 1), or none is."""
    p = m.p
    k = m.k
    z = m.z
    a = level_bound.relation.rhs
    fill = sp.Max(a * p[x] - k[x], 0)
    goal = eq(total(fill, x), 1 - total(k[x], x))
    t = sp.IndexedBase("t", real=True)
    w = sp.IndexedBase("w_r", real=True)
    lifted = d.domain(
        "t is 1 where p > 0 and k is at most a p, else 0",
        *(eq(t[x] * (1 - t[x]), 0), eq(t[x] * z[x], 0), ge(t[x] * (a * p[x] - k[x]), 0)),
        gt(t[x] + z[x] - (1 - t[x]) * (a * p[x] - k[x]), 0),
    )
    ratio = t[x] * (1 + k[x] / (p[x] + z[x]))
    ranked = d.define("the ratio k/p of a token with t = 1, plus 1", w[x], ratio, m.is_z[2])
    top, above, reached = d.extremum("the largest of these ratios", "top", w[x], x)
    none = d.case("there is no such token", le(top, 0))
    premises = [ranked, above, none, m.never, *lifted, *m.is_z]
    out = d.smt("so t is 0", eq(t[x], 0), *premises)
    out = d.summed("and nothing is filled up", eq(fill, 0), out, m.off, m.never, *lifted, *m.is_z, by="smt")
    none_lifted = d.smt("which is just enough, as no more than all is kept", goal, out, enough, accepted_at_most_one)
    any_ = d.case("there is such a token", gt(top, 0))
    exact = _no_more(d, m, sets, level_bound, [ranked, *lifted], (above, reached, any_))
    some_lifted = d.smt("so just enough", goal, exact, enough)
    return d.cases("whether a token is lifted", none_lifted, some_lifted)


def _no_more(
    d: Derivation, m: Kept, sets: Sets, level_bound: Fact, lifted: list[Fact], largest: tuple[Fact, Fact, Fact]
) -> Fact:
    """Σ (a p − k)₊ ≤ 1 − Σ k: what is filled up is filled up in the set of the lifted token of largest ratio.

    `lifted`: the ratios, and what t is; `largest`: no ratio exceeds the largest, a token has it, and it is positive.
    """
    p = m.p
    k = m.k
    z = m.z
    S = sets.S
    a = level_bound.relation.rhs
    t = sp.IndexedBase("t", real=True)
    last = sp.Symbol("top_at", integer=True)
    above, reached, any_ = largest
    facts = (*lifted, *m.is_z, m.never, *sets.members)
    here = [d.instantiate("at the lifted token of largest ratio", f, {x: last}) for f in facts]
    of_last = here[:9]
    in_S = here[9:]
    others = (lifted[0], above, *lifted[1:], *m.is_z, m.never, m.off)
    at_other_tokens = [d.instantiate("the same of any other token", f, {x: j}) for f in others]
    is_last = d.smt("it is lifted", eq(t[last], 1), reached, any_, *of_last)
    text = "a lifted token has no larger ratio"
    lower = ge(t[j] * (k[last] * p[j] - k[j] * p[last]), 0)
    lower = d.smt(text, lower, reached, is_last, *of_last, *at_other_tokens)
    inside = d.smt("so it is in S", eq(t[j] * (1 - S[last, j]), 0), lower, *in_S, at_other_tokens[2])
    text = "and no other token that the target has"
    outside = eq((1 - t[j]) * (1 - z[j]) * S[last, j], 0)
    outside = d.smt(text, outside, is_last, *of_last, *in_S, *at_other_tokens)
    fill = sp.Max(a * p[x] - k[x], 0)
    exact = eq(fill.subs(x, j), S[last, j] * (a * p[j] - k[j]))
    exact = d.summed(
        "what is filled up is filled up in S", exact, inside, outside, *at_other_tokens, in_S[0], over=j, by="smt"
    )
    facts = (sets.mass, sets.held, sets.quotient, sets.positive, level_bound)
    there = [d.instantiate("at the lifted token of largest ratio", f, {x: last}) for f in facts]
    at_most_enough = le(total(fill, x), 1 - total(k[x], x))
    return d.smt("which the level makes at most enough", at_most_enough, exact, *there)


def bind_level(p: Array, k: Array) -> dict[str, Any]:
    """Values of the sets, and of the level by its formula."""
    inside = [[b * u <= a * v for b, v in zip(k, p, strict=True)] for a, u in zip(k, p, strict=True)]
    sums = [(sum(p[row]), sum(k[row])) for row in np.array(inside, dtype=bool)]
    a = min((1 - sum(k) + accepted_mass) / mass for mass, accepted_mass in sums)
    tokens = range(len(p))
    return {
        **{"a": a, "S": [flags(row) for row in inside], "z": flags(p == 0)},
        "t": flags([p[n] > 0 and k[n] <= a * p[n] for n in tokens]),
    }
