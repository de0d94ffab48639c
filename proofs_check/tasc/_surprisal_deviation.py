"""How far the surprisal of a text deviates: orthogonal steps, and Cauchy and Schwarz at both of its ends."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le
from proofs_check.tasc._markov_source import S, Source, c, e, g, n, states

__all__ = ["deviation"]


def growth(d: Derivation, s: Source, sigma: Any, variance: Fact) -> Fact:
    """Σ A₂ grows by σ² a token (`variance`: σ² is the mean square of a step)."""
    M = s.chain.M
    D = s.D
    A1 = s.A1
    A2 = s.A2
    statement = eq(states(A2[n, c], c), states(A2[0, c], c) + n * sigma**2)
    climb_sum = d.sum("over states", s.climb, e, upto=S)
    row = d.summed("a row sums to one", eq(A2[n, c] * states(M[c, e], e), A2[n, c]), s.chain.rows, over=c, upto=S)
    cross = d.summed("a step has mean zero", eq(A1[n, c] * states(M[c, e] * D[c, e], e), 0), s.still, over=c, upto=S)
    return d.inductive(
        "the mean square grows by a step's", statement, n, [], [climb_sum, row, cross, variance], by="smt"
    )


def schwarz(d: Derivation, s: Source) -> Fact:
    """A₁² ≤ A₂·P(state), and A₂ ≥ 0, by induction: Cauchy and Schwarz over the state before."""
    start = s.chain.start
    M = s.chain.M
    D = s.D
    A1 = s.A1
    A2 = s.A2
    weight = d.derive("a mass is not negative", ge(start[e], 0))
    schwarz_gap = A2[n, e] * start[e] - A1[n, e] ** 2
    statement = ge(sp.Min(A2[n, e], schwarz_gap), 0)
    so_far = d.suppose("moments of n + 1 tokens", statement)
    here = d.instantiate("in every state", so_far, {e: c})
    square = d.derive("mean and square", ge(A2[n, c] * start[c] - A1[n, c] ** 2, 0), here)
    positive = d.derive("a mean square is not negative", ge(A2[n, c], 0), here)
    u, v, w = (sp.IndexedBase(name, real=True) for name in ("means", "squares", "masses"))
    mean = d.define("what arrives in a state: means", u[n, c, e], (A1[n, c] + D[c, e] * start[c]) * M[c, e])
    power = d.define("squares", v[n, c, e], (A2[n, c] + 2 * D[c, e] * A1[n, c] + D[c, e] ** 2 * start[c]) * M[c, e])
    share = d.define("and mass", w[c, e], start[c] * M[c, e])
    inner = A2[n, c] + 2 * D[c, e] * A1[n, c] + D[c, e] ** 2 * start[c]
    nonnegative = d.derive(
        "a square is not negative", ge(inner, 0), square, positive, d.derive("a mass is not negative", ge(start[c], 0))
    )
    flow = d.derive("a transition", ge(M[c, e], 0))
    low = d.derive("what arrives is not negative", ge(v[n, c, e], 0), power, nonnegative, flow)
    outer = d.smt("a shift keeps the order", le((A1[n, c] + D[c, e] * start[c]) ** 2, inner * start[c]), square)
    per_state = d.derive("from each state", le(u[n, c, e] ** 2, v[n, c, e] * w[c, e]), outer, mean, power, share)
    some = d.derive(
        "a mass arrives", ge(w[c, e], 0), share, d.derive("a mass is not negative", ge(start[c] * M[c, e], 0))
    )
    others = [d.instantiate("from another state", fact, {c: g}) for fact in (per_state, low, some)]
    pair = cauchy(
        d, (u[n, c, e], v[n, c, e], w[c, e]), (u[n, g, e], v[n, g, e], w[g, e]), per_state, low, some, *others
    )
    pair = d.sum("over pairs of states before", pair, c, g, upto=S)
    arrives = [d.sum("over the state before", fact, c, upto=S) for fact in (mean, power, share)]
    law = d.derive("the law stays the same", eq(states(w[c, e], c), start[e]), arrives[2], s.chain.stationary)
    first = d.derive("means that arrive", eq(A1[n + 1, e], states(u[n, c, e], c)), s.walk, arrives[0])
    second = d.derive("squares that arrive", eq(A2[n + 1, e], states(v[n, c, e], c)), s.climb, arrives[1])
    low = d.sum("over the state before", low, c, upto=S)
    zero_one = d.instantiate("of one token", s.one, {n: 0, c: e})
    zero_two = d.instantiate("of one token", s.two, {n: 0, c: e})
    at_first = d.instantiate("of one token", s.moments.same, {n: 0})
    return d.inductive(
        "mean and square on the texts that end in a state",
        statement,
        n,
        [zero_one, zero_two, at_first, *s.moments.begin, weight],
        [first, second, low, pair, law],
        by="smt",
    )


def cauchy(
    d: Derivation, first_triple: tuple[Any, Any, Any], second_triple: tuple[Any, Any, Any], *facts: Fact
) -> Fact:
    """From u² ≤ v w twice, all v and w ≥ 0: 2 u u′ ≤ v w′ + v′ w."""
    (u1, v1, w1) = first_triple
    (u2, v2, w2) = second_triple
    product_bound = d.derive("the product of two squares", le((u1 * u2) ** 2, v1 * w1 * v2 * w2), *facts)
    mean = d.derive("a mean is not negative", ge(v1 * w2 + v2 * w1, 0), *facts)
    square = d.smt("arithmetic and geometric mean", ge((v1 * w2 + v2 * w1) ** 2, 4 * v1 * w1 * v2 * w2))
    return d.derive("a pair", le(2 * u1 * u2, v1 * w2 + v2 * w1), product_bound, mean, square)


def product(d: Derivation, text: str, u: Any, v: Any, w: Any, per_state: Fact, *facts: Fact) -> Fact:
    """From u² ≤ v w in every state, v and w ≥ 0 (`facts`): (Σu)² ≤ Σv · Σw."""
    others = [d.instantiate("in another state", fact, {c: g}) for fact in (per_state, *facts)]
    at = [expression.subs(c, g) for expression in (u, v, w)]
    pair = cauchy(d, (u, v, w), tuple(at), per_state, *facts, *others)
    pair = d.sum("over pairs of states", pair, c, g, upto=S)
    return d.smt(text, le(states(u, c) ** 2, states(v, c) * states(w, c)), pair)


class First(NamedTuple):
    """φ of a state, and the martingale at the first token."""

    w: Any
    means: Fact
    """w = start φ², in each state."""
    least: Fact
    """w ≥ 0."""
    ends: Fact
    """Σ w = σ_φ²."""
    most: Fact
    """Σ A₂ ≤ (σ₁ + σ_φ)² for one token."""


def at_first_token(d: Derivation, s: Source, ends: Any, begin: Any, of_ends: Fact, of_begin: Fact) -> First:
    """Cauchy and Schwarz on the first token's surprisal (deviation σ₁, `begin`) and φ (σ_φ, `ends`)."""
    start = s.chain.start[c]
    phi = s.chain.phi[c]
    away = s.chain.first[c] - s.chain.entry
    u, v, w = (sp.IndexedBase(name, real=True)[c] for name in ("u0", "v0", "w0"))
    first = d.define("the first token's surprisal and φ", u, start * away * phi)
    surprisal_square = d.define("the one's square", v, start * away**2)
    phi_square = d.define("the other's", w, start * phi**2)
    equal = d.derive("in each state", le(u**2, v * w), first, surprisal_square, phi_square)
    low = d.derive("a square", ge(start * away**2, 0))
    low = d.derive("the one is not negative", ge(v, 0), surprisal_square, low)
    phi_nonnegative = d.derive("a square", ge(start * phi**2, 0))
    phi_nonnegative = d.derive("nor the other", ge(w, 0), phi_square, phi_nonnegative)
    premises = [low, phi_nonnegative]
    cross = product(d, "Cauchy and Schwarz at the first token", u, v, w, equal, *premises)
    total_w = d.smt(
        "the variance of φ", eq(states(w, c), ends**2), d.sum("over states", phi_square, c, upto=S), of_ends
    )
    total_v = d.sum("over states", surprisal_square, c, upto=S)
    total_v = d.smt("that of the first token's surprisal", eq(states(v, c), begin**2), total_v, of_begin)
    text = "so the first token and φ go together by at most"
    cross = d.derive(text, le(states(u, c), begin * ends), cross, total_v, total_w)
    two = d.instantiate("of one token", s.two, {n: 0})
    same = d.instantiate("of one token", s.moments.same, {n: 0, e: c})
    begins = [d.instantiate("of one token", fact, {e: c}) for fact in s.moments.begin]
    square = eq(s.A2[0, c], v + 2 * u + w)
    premises = [two, same, *begins, first, surprisal_square, phi_square]
    at_first = d.derive("the mean square of one token", square, *premises)
    at_first = d.sum("over states", at_first, c, upto=S)
    bound = le(states(s.A2[0, c], c), (begin + ends) ** 2)
    mean_square_bound = d.smt("at most (σ₁ + σ_φ)²", bound, *(at_first, cross, total_v, total_w))
    return First(w, phi_square, phi_nonnegative, total_w, mean_square_bound)


def at_last_token(d: Derivation, s: Source, at: First) -> tuple[Any, Fact, Fact]:
    """u = φ A₁ by its name, and Cauchy and Schwarz on φ and the martingale at the last token."""
    start = s.chain.start[c]
    phi = s.chain.phi[c]
    A1 = s.A1[n, c]
    A2 = s.A2[n, c]
    u = sp.IndexedBase("u1", real=True)[n, c]
    bound = schwarz(d, s)
    bound = d.instantiate("in a state", bound, {e: c})
    means = d.define("φ of the last token", u, phi * A1)
    root = d.derive("mean and square", ge(A2 * start - A1**2, 0), bound)
    positive = d.derive("a mean square is not negative", ge(A2, 0), bound)
    inner = d.derive("in each state", le((phi * A1) ** 2, A2 * start * phi**2), root)
    inner = d.derive("in each state", le(u**2, A2 * at.w), inner, means, at.means)
    signs = [positive, at.least]
    return u, means, product(d, "Cauchy and Schwarz at the last token", u, A2, at.w, inner, *signs)


def deviation(d: Derivation, s: Source, ends: Any, begin: Any, sigma: Any, rho: Any, N: Any, size: list[Fact]) -> Fact:
    """Variance of the surprisal of N + 1 tokens: at most (σ_φ + ρ)², ρ² = (σ₁ + σ_φ)² + N σ².

    Parameters
    ----------
    ends, begin, sigma, rho : symbols that are not negative
    size : their squares, in this order
    """
    of_ends, of_begin, of_sigma, of_rho = size
    start = s.chain.start[c]
    A2 = s.A2[n, c]
    b = s.moments.b
    q = s.moments.q
    at = at_first_token(d, s, ends, begin, of_ends, of_begin)
    after = growth(d, s, sigma, of_sigma)
    u, means, last = at_last_token(d, s, at)
    centre = s.chain.entry + n * s.chain.rate
    per_state = d.derive(
        "surprisal is the martingale less φ of the last token",
        eq(A2 - 2 * u + at.w, q[n, c] - 2 * centre * b[n, c] + centre**2 * start),
        *(s.two, s.one, means, at.means, d.instantiate("in a state", s.moments.same, {e: c})),
    )
    per_state = d.sum("over states", per_state, c, upto=S)
    identity = d.smt(
        "so its variance is",
        eq(states(q[n, c], c) - centre**2, states(A2, c) - 2 * states(u, c) + states(at.w, c)),
        *(per_state, s.moments.means, s.chain.mass),
    )
    last, after, identity = (d.instantiate("of all tokens", fact, {n: N}) for fact in (last, after, identity))
    square = d.derive("the martingale deviates by at most ρ", le(states(s.A2[N, c], c), rho**2), after, at.most, of_rho)
    gap = ge(states(u.subs(n, N), c), -rho * ends)
    gap = d.derive("φ at the end adds at most ρ σ_φ", gap, last, square, at.ends)
    goal = le(states(q[N, c], c) - (s.chain.entry + N * s.chain.rate) ** 2, (ends + rho) ** 2)
    return d.derive("together", goal, identity, square, gap, at.ends)
