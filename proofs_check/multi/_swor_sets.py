"""multi.threshold.swor: a token outside H adds more for its mass than one inside, so that the best H is {p/q ≤ t}."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, total, x, y, z
from proofs_check.multi._urn import Chance, F, K, Urn, h, m, n, none, of_token, picked, rho, s, start, u, urn_of
from proofs_check.multi._urn_density import N, P, densities
from simspec.claims.multi.thresholds import threshold_sets
from simspec.methods.multi.drafting import swor
from simspec.methods.multi.optimum import draft_sets, subset_value

__all__ = ["BEST", "bind", "prove"]

BEST = "H has the least value of all sets, and the most tokens of those that have it"


def _ends(d: Derivation, urn: Urn, p: Any, q: Any, mass_p: Fact) -> tuple[Any, ...]:
    """At the best H: p is below q times the threshold in it, and above it outside; that its tokens have mass."""
    low = d.number("low")
    small = d.number("small", positive=True)
    best, fewer, larger_set, mass = d.domain(
        BEST,
        eq(low, total(h[z] * p[z], z) + 1 - F[K, start]),
        le(low, total(h[z] * (1 - m[y, z]) * p[z], z) + 1 - N[K, start, y]),
        ge((1 - h[y]) * q[y] * (total((h[z] + m[y, z] * (1 - h[z])) * p[z], z) + 1 - P[K, start, y] - low - small), 0),
        ge(h[y] * (q[y] - small), 0),
    )
    mass_at_most_one = d.derive("a mass", ge(p[z], 0))
    mass_at_most_one = d.smt("no mass is above one", le(p[z], 1), d.term("one of all", mass_at_most_one, z), mass_p)
    marks = (urn.mark, urn.own, urn.one)
    ends = [
        [d.smt("a mass", r, mass_at_most_one, urn.bit) for r in (ge(c, 0), le(c, 1))]
        for c in (h[z] * p[z], (1 - h[z]) * p[z])
    ]
    inside = picked(d, marks, h[z] * p[z], *ends[0])
    outside = picked(d, marks, (1 - h[z]) * p[z], *ends[1])
    bit = of_token(d, y, urn.bit)
    inside_best = d.smt("a token of H", le(h[y] * p[y], F[K, start] - N[K, start, y]), best, fewer, inside, bit)
    gain = p[y] - P[K, start, y] + F[K, start] - small
    outside_best = d.smt("a token outside of H", ge((1 - h[y]) * q[y] * gain, 0), best, larger_set, outside, bit)
    return best, inside_best, outside_best, mass, low, small


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts."""
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    ratio, g, T = (sp.IndexedBase(name, real=True) for name in ("ratio", "g", "T"))
    threshold_value = d.number("other")
    urn = urn_of(d, q, mass_q, constant)
    density_facts = densities(d, urn, q, sign)
    begin = d.domain("nothing is drawn at first", eq(u[start, z], q[z]))
    best, inside_best, outside_best, mass, low, small = _ends(d, urn, p, q, mass_p)
    quotient, some = d.domain("p/q, where q is not 0", eq(q[x] * (ratio[x] * q[x] - p[x]), 0), ge(ratio[x], 0))
    t, threshold_largest, attained = d.extremum("the threshold", "t", h[x] * ratio[x], x)
    at = next(a for a in attained.relation.free_symbols if str(a) == "t_at")
    bit, under, inside_threshold, over = d.domain(
        "g marks the tokens that q has, with p ≤ t q",
        eq(g[y] * (1 - g[y]), 0),
        le(g[y] * (p[y] - t * q[y]), 0),
        ge(g[y] * (q[y] - small), 0),
        ge((1 - g[y]) * q[y] * (p[y] - t * q[y] - small), 0),
    )
    first, then = d.recursion(
        "n drafts are in the threshold set",
        eq(T[0, s], 1),
        eq(T[n + 1, s], rho[s] * total(g[z] * u[s, z] * T[n, urn.after[s, z]], z) + none[s] * T[n, s]),
    )
    threshold_bound = d.domain("that is a threshold set", le(threshold_value, total(g[z] * p[z], z) + 1 - T[K, start]))
    at_least_low = d.domain("a threshold set is a set", ge(threshold_value, low))
    token_mark = of_token(d, y, urn.bit)
    top = [of_token(d, at, f) for f in (urn.bit, begin)]
    top += [
        d.instantiate("at the threshold", f, {x: at})
        for f in (density_facts.every, density_facts.named, quotient, some)
    ]
    top += [d.instantiate("at the threshold", f, {y: at}) for f in (inside_best, mass)]
    there = [attained, density_facts.larger, outside_best, *top, of_token(d, y, begin)]
    goal = eq(g[y] * (1 - h[y]), 0)
    none_ = d.smt("no token outside is in the threshold set", goal, *there, bit, token_mark, under, inside_threshold)
    ratio_y = d.instantiate("of y", quotient, {x: y})
    token_facts = (d.instantiate("of y", threshold_largest, {x: y}), ratio_y, mass, over, bit, token_mark)
    all_ = d.smt("each token in H is", eq(h[y] * (1 - g[y]), 0), *token_facts)
    same = d.smt("so it is H", eq(g[y], h[y]), none_, all_, bit, token_mark)
    equal_counts, masses = _equal_sets(d, urn, p, density_facts.f, (same, first, then), (g, T))
    below = d.smt("no more", le(threshold_value, low), threshold_bound, best, equal_counts, masses)
    d.qed(d.smt("the least value", eq(threshold_value, low), below, at_least_low))


def _equal_sets(
    d: Derivation, urn: Urn, p: Any, f: Chance, facts: tuple[Fact, Fact, Fact], names: tuple[Any, Any]
) -> tuple[Fact, Fact]:
    """Equal sets hold all drafts as often, and have one mass of p."""
    (same, first, then) = facts
    (g, T) = names
    there = urn.after[s, z]
    same = d.instantiate("of each token", same, {y: z})
    before = d.suppose("the same n drafts", eq(T[n, s], F[n, s]))
    per_draft = eq(g[z] * u[s, z] * T[n, there], h[z] * u[s, z] * F[n, there])
    per_draft = d.summed("a draft", per_draft, d.instantiate("then", before, {s: there}), same, over=z, by="smt")
    equal_counts = d.inductive(
        "the same", eq(T[n, s], F[n, s]), n, [first, f.first], [then, f.then, per_draft, before], by="smt"
    )
    equal_counts = d.instantiate("all drafts", equal_counts, {n: K, s: start})
    masses = d.summed("and p", eq(g[z] * p[z], h[z] * p[z]), same, over=z, by="smt")
    return equal_counts, masses


def bind(p: Any, q: Any, k: int) -> dict[str, Any]:
    """What the symbols are: states are sets of drafted tokens, H the largest of the best sets among the tokens of q."""
    support = [token for token in range(len(p)) if q[token] > 0]
    sets = draft_sets(swor(q, k))
    subsets = [frozenset(c) for size in range(len(support) + 1) for c in combinations(support, size)]
    value = {best_set: subset_value(p, sets, best_set) for best_set in subsets}
    low = min(value.values())
    best_set = max((c for c in subsets if value[c] == low), key=len)
    number = {gone: at for at, gone in enumerate(subsets, 1)}
    ratio = [p[token] / q[token] if q[token] > 0 else Fraction(0) for token in range(len(p))]
    t = max(ratio[token] if token in best_set else Fraction(0) for token in range(len(p)))
    g = [int(q[token] > 0 and p[token] <= t * q[token]) for token in range(len(p))]
    margins = [value[best_set | {token}] - low for token in support if token not in best_set]
    margins += [q[token] for token in support] + [p[token] - t * q[token] for token in support if not g[token]]
    residuals = [[q[token] if token not in gone else 0 for token in range(len(p))] for gone in subsets]
    return {
        **{"p": p, "q": q, "V": len(p), "K": k, "start": 1, "u": residuals, "g": g, "ratio": ratio, "low": low},
        **{"h": [int(token in best_set) for token in range(len(p))], "small": min(margins)},
        **{
            "m": lambda candidate, column: int(candidate == column),
            "rho": [1 / sum(row) if sum(row) else 0 for row in residuals],
        },
        **{"none": [int(not sum(row)) for row in residuals]},
        **{"other": min(subset_value(p, sets, candidate) for candidate in threshold_sets(p, q))},
        "after": lambda at, token: number[subsets[at - 1] | ({token - 1} & set(support))],
        "ranges": {"s": range(1, len(subsets) + 1), "n": range(k + 1)},
    }
