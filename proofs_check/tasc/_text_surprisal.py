"""The moments of a text's surprisal, token by token: from what a Markov source is, and no more.

Texts are outcomes x; `on[n, x, c]` marks the state c of token n + 1 of a text.  The source is Markov where the next state has
the law M of the last one, whatever was before: here, weighted with 1, with the surprisal so far and with its square.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, total, x
from proofs_check.tasc._markov_source import S, Source, c, e, n, states
from proofs_check.tasc._typical_counts import Outcomes
from simspec.claims.balls import ball
from simspec.laws import Array

__all__ = ["marks", "text_moments"]

on, adds, opening, so_far, within = (
    sp.IndexedBase(name, real=True) for name in ("on", "adds", "opening", "so_far", "within")
)


class Texts(NamedTuple):
    """What is given of texts."""

    begins: Fact
    grows: Fact
    """Surprisal so far, by a recursion."""
    one: Fact
    """A place holds one state."""
    reach: list[Fact]
    """`within` is 1 up to the last place."""
    starts: Fact
    goes: Sequence[Fact]
    """The next state has the law M, with each weight."""
    step: Fact
    entry: Fact
    whole: Fact
    """The surprisal of a text is that of its tokens."""


def _texts(d: Derivation, s: Source, o: Outcomes, N: Any) -> Texts:
    """State what is given of the texts of a Markov source: their states, moments and surprisal."""
    p = o.p[x]
    M = s.chain.M
    L = so_far[n, x]
    begins, grows = d.recursion(
        "surprisal of the first tokens", eq(so_far[0, x], opening[x]), eq(so_far[n + 1, x], L + adds[n, x])
    )
    single_state = d.domain("a place of a text holds one state", eq(within[n] * (states(on[n, x, c], c) - 1), 0))
    reach = d.domain(
        "within is 1 up to the last place, and then 0",
        eq(within[n] ** 2, within[n]),
        eq(within[n + 1] * (1 - within[n]), 0),
        eq(within[N], 1),
    )
    starts = d.domain("the first state has the law start", eq(total(p * on[0, x, c], x), s.chain.start[c]))
    pair = p * on[n, x, c] * on[n + 1, x, e]
    goes = d.domain(
        "whatever was before, the next state has the law M of the last one",
        *(
            eq(within[n + 1] * (total(pair * w, x) - M[c, e] * total(p * on[n, x, c] * w, x)), 0)
            for w in (sp.S.One, L, L**2)
        ),
    )
    step, entry = d.domain(
        "a token's surprisal is that of its state after the last one",
        eq(on[n, x, c] * on[n + 1, x, e] * (adds[n, x] - s.chain.f[c, e]), 0),
        eq(on[0, x, c] * (opening[x] - s.chain.first[c]), 0),
    )
    text_surprisal = d.domain("the surprisal of a text is that of its tokens", eq(p * (o.log[x] + so_far[N, x]), 0))
    return Texts(
        begins=begins,
        grows=grows,
        one=single_state,
        reach=reach,
        starts=starts,
        goes=goes,
        step=step,
        entry=entry,
        whole=text_surprisal,
    )


def text_moments(d: Derivation, s: Source, o: Outcomes, N: Any) -> tuple[Fact, Fact]:
    """Σ p log p and Σ p log² p over texts of N + 1 tokens, by b and q of the source."""
    t = _texts(d, s, o, N)
    p = o.p[x]
    of = s.moments
    later = eq(within[n + 1] * (states(on[n, x, c], c) - 1), 0)
    later = d.smt("so does each place before a place", later, t.one, *t.reach[:2])
    powers: list[Power] = []
    for k, (member, rule) in enumerate(((of.now, of.of_now), (of.b, of.of_b), (of.q, of.of_q))):
        powers.append(_power(d, s=s, t=t, o=o, k=k, member=member, rule=rule, later=later, below=powers))
    all_ = d.instantiate("the last place", t.one, {n: N})
    conclusions = []
    for k in (1, 2):
        power = powers[k]
        member = (of.b, of.q)[k - 1]
        place_moment = d.instantiate("at the last place", power.known, {n: N})
        place_moment = d.derive("at the last place", eq(power.held[N, e], member[N, e]), place_moment, t.reach[2])
        place_moment = d.sum("over states", place_moment, e, upto=S)
        moment_sum = d.sum("over states", d.instantiate("at the last place", power.meant, {n: N}), c, upto=S)
        per_text = eq(p * o.log[x] ** k, (-1) ** k * p * so_far[N, x] ** k * states(on[N, x, c], c))
        per_text = d.smt("each text", per_text, t.whole, all_, t.reach[2])
        goal = eq(total(p * o.log[x] ** k, x), (-1) ** k * states(member[N, c], c))
        conclusions.append(d.derive("over all texts", goal, d.sum("over texts", per_text, x), moment_sum, place_moment))
    return conclusions[0], conclusions[1]


class Power(NamedTuple):
    """A power of the surprisal so far on the texts that are in a state, and in two states in turn."""

    held: Any
    both: Any
    meant: Fact
    pairs: Fact
    goes: Fact
    """In the two states: M times what is held in the first."""
    known: Fact
    """What is held is the source's moment."""


def _power(
    d: Derivation,
    s: Source,
    t: Texts,
    o: Outcomes,
    k: int,
    member: Any,
    rule: Sequence[Fact],
    later: Fact,
    below: Sequence[Power],
) -> Power:
    """The sum of a power over the texts that are in a state, by the recursion of the source's moment."""
    p = o.p[x]
    f = s.chain.f[c, e]
    state_moment, pair_moment = (sp.IndexedBase(f"{name}_{k}", real=True) for name in ("held", "both"))
    pair = p * on[n, x, c] * on[n + 1, x, e]
    here = within[n + 1]
    moment_meaning = d.define(
        "on the texts in a state", state_moment[n, c], total(p * on[n, x, c] * so_far[n, x] ** k, x)
    )
    pairs = d.define("and in two states in turn", pair_moment[n, c, e], total(pair * so_far[n, x] ** k, x))
    goes = eq(here * (pair_moment[n, c, e] - s.chain.M[c, e] * state_moment[n, c]), 0)
    goes = d.derive("the next state has its law", goes, t.goes[k], moment_meaning, pairs)
    terms = [(sp.binomial(k, j) * f ** (k - j), j) for j in range(k + 1)]
    grown = sum((a * so_far[n, x] ** j for a, j in terms), sp.S.Zero)
    next_sum = d.smt("with the next token", eq(pair * so_far[n + 1, x] ** k, pair * grown), t.step, t.grows)
    bases = [*(power.both for power in below), pair_moment]
    in_both = sum((a * bases[j][n, c, e] for a, j in terms), sp.S.Zero)
    next_sum = d.sum("over texts", next_sum, x)
    next_sum = d.derive(
        "by the two states", eq(next_sum.relation.lhs, in_both), next_sum, pairs, *(power.pairs for power in below)
    )
    next_sum = d.sum("over the first of them", next_sum, c, upto=S)
    split = here * p * on[n + 1, x, e] * so_far[n + 1, x] ** k
    split = d.summed("one of them", eq(split * states(on[n, x, c], c), split), later)
    at = d.instantiate("after the next token", moment_meaning, {n: n + 1, c: e})
    statement = eq(within[n] * (state_moment[n, e] - member[n, e]), 0)
    so = d.instantiate("in every state", d.suppose(f"moment {k} of the first n + 1 tokens", statement), {e: c})
    lower = [d.instantiate("in every state", power.known, {e: c}) for power in below]
    heads = (s.moments.now, s.moments.b, s.moments.q)
    by_moments = here * s.chain.M[c, e] * sum((a * heads[j][n, c] for a, j in terms), sp.S.Zero)
    per_state = eq(here * in_both, by_moments)
    per_state = d.smt(
        "by the law of the next state", per_state, goes, *(power.goes for power in below), so, *lower, *t.reach[:2]
    )
    per_state = d.sum("over the first state", per_state, c, upto=S)
    grows = d.derive("the source's moment", eq(here * member[n + 1, e], here * rule[1].relation.rhs), rule[1])
    step = d.smt("a token more", statement.replace({n: n + 1}), per_state, next_sum, split, at, grows)
    first = eq(p * on[0, x, c] * so_far[0, x] ** k, p * on[0, x, c] * s.chain.first[c] ** k)
    first = d.summed("the first token", first, t.entry, t.begins, by="smt")
    begin = d.instantiate("at first", moment_meaning, {n: 0})
    start = d.derive(
        "at first", eq(state_moment[0, c], s.chain.first[c] ** k * s.chain.start[c]), begin, first, t.starts
    )
    start = d.instantiate("in every state", start, {c: e})
    base = d.derive("at first", statement.replace({n: 0}), start, rule[0])
    return Power(
        state_moment, pair_moment, moment_meaning, pairs, goes, d.induction("for every n", statement, n, base, step)
    )


def marks(texts: Sequence[Sequence[int]], start: Array, f: Array) -> dict[str, Any]:
    """What the names stand for: texts are tuples of states, from 0 on; f is the surprisal of a state after a state."""
    size = len(texts[0])
    return {
        "on": lambda n, x, c: int(n < size and texts[x - 1][n] == c - 1),
        "within": lambda n: int(n < size),
        "opening": [-ball(start[t[0]]).log() for t in texts],
        "adds": lambda n, x: f[texts[x - 1][n], texts[x - 1][n + 1]] if n + 1 < size else 0,
    }
