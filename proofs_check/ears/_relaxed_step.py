"""One step of a relaxed rule: k is kept of the draft q, then the law r is drawn from; what is emitted, and how far from p.

The heart is `exact_bias`: with the residual that fills up what p lacks, the distance of the emitted law from p is the mass kept
beyond p, for any rule at all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, total, x

__all__ = [
    "SHAPE",
    "Emitted",
    "Filler",
    "Step",
    "Tolerance",
    "distance",
    "ears_bias",
    "ears_fresh",
    "emitted",
    "exact_bias",
    "filling",
    "fresh_bias",
    "keeps_target",
    "kept",
    "pardoned",
    "pardons",
    "residual",
    "tolerance",
    "two_laws",
]

SHAPE = "r is what p lacks, made a law"


class Step(NamedTuple):
    """Target p and draft q, and that they sum to one."""

    p: Any
    q: Any
    mass_p: Fact
    mass_q: Fact


class Filler(NamedTuple):
    """A residual law, that it sums to one, and its shape."""

    r: Any
    mass: Fact
    shape: Fact


class Emitted(NamedTuple):
    """The emitted law o, the acceptance rate κ and what they mean; κ ≤ 1."""

    o: Any
    kappa: Any
    law: Fact
    rate: Fact
    most: Fact


def two_laws(d: Derivation) -> Step:
    """Target and draft."""
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    return Step(p, q, mass_p, mass_q)


class Tolerance(NamedTuple):
    """t = β(1 − m), its meaning, and that it is not negative."""

    t: Any
    meaning: Fact
    not_negative: Fact


def tolerance(d: Derivation, beta: int | None = None) -> Tolerance:
    """t = β(1 − m) with m = max p, a number in [0, 1]."""
    beta = d.number("beta", low=0) if beta is None else sp.Integer(0) + beta
    m = d.number("m", low=0, high=1)
    t = sp.Symbol("t", real=True)
    meaning = d.define("the tolerance, where m = max p", t, beta * (1 - m))
    never = d.derive("the tolerance is not negative, as no probability exceeds 1", ge(t, 0), meaning)
    return Tolerance(t, meaning, never)


def kept(d: Derivation, s: Step, t: sp.Symbol, name: str = "k") -> tuple[Any, Fact, Fact]:
    """The mass that EARS keeps of each token: its symbol, its meaning, and that it is at most the draft's."""
    k = sp.IndexedBase(name, real=True)
    rule = d.define("what EARS keeps of a drafted token", k[x], sp.Min(s.q[x], s.p[x] + t * s.q[x]))
    return k, rule, d.derive("it is a part of the draft", le(k[x], s.q[x]), rule)


def pardoned(s: Step, t: sp.Symbol) -> sp.Expr:
    """g = min((q − p)₊, t q), what only the pardon path accepts."""
    return sp.Min(sp.Max(s.q[x] - s.p[x], 0), t * s.q[x])


def pardons(d: Derivation, s: Step, t: sp.Symbol, not_negative: Fact, k: sp.IndexedBase, rule: Fact) -> Fact:
    """k − min(p, q) = g for every token."""
    return d.smt(
        "beyond speculative decoding it keeps what the pardon path accepts",
        eq(k[x] - sp.Min(s.p[x], s.q[x]), pardoned(s, t)),
        *(rule, not_negative),
    )


def filling(d: Derivation, name: str, lack: sp.Expr) -> Filler:
    """A law proportional to `lack` ≥ 0 (any law, where nothing is lacking): the law, its mass, its shape."""
    r, mass = d.law(name)
    return Filler(r, mass, d.domain(SHAPE, eq(r[x] * total(lack, x), lack)))


def residual(d: Derivation, s: Step) -> Filler:
    """The residual of speculative decoding, norm((p − q)₊)."""
    return filling(d, "r", sp.Max(s.p[x] - s.q[x], 0))


def emitted(
    d: Derivation,
    s: Step,
    k: sp.IndexedBase,
    r: sp.IndexedBase,
    below: Fact,
    suffix: str = "",
    names: tuple[str, str] = ("o", "kappa"),
) -> Emitted:
    """What is kept, and the rest drawn from r."""
    kappa = sp.Symbol(f"{names[1]}{suffix}", real=True)
    rate = d.define("how often a draft is accepted", kappa, total(k[x], x))
    o = sp.IndexedBase(f"{names[0]}{suffix}", real=True)
    law = d.define("the emitted law", o[x], k[x] + (1 - kappa) * r[x])
    accepted_total = d.sum("a part of the draft, over the vocabulary", below, x)
    at_most_one = d.derive("no more is kept than is drafted", le(kappa, 1), rate, accepted_total, s.mass_q)
    return Emitted(o, kappa, law, rate, at_most_one)


def distance(o: sp.IndexedBase, p: sp.IndexedBase) -> sp.Expr:
    """Total variation."""
    return total(sp.Abs(o[x] - p[x]), x) / 2


def keeps_target(
    d: Derivation, s: Step, k: sp.IndexedBase, below_draft: Fact, above_overlap: Fact, filler: Filler
) -> Filler:
    """For min(p, q) ≤ k ≤ q the residual of speculative decoding is what p lacks beside k: r Σ (p − k)₊ = (p − k)₊."""
    r, mass, shape = filler
    lack = sp.Max(s.p[x] - k[x], 0)
    same = d.derive(
        "p lacks as much beside k as beside q: where q > p, all of p is kept",
        eq(lack, sp.Max(s.p[x] - s.q[x], 0)),
        *(below_draft, above_overlap),
    )
    sums = d.sum("over the vocabulary", same, x)
    text = "so the residual is proportional to it"
    return Filler(r, mass, d.smt(text, eq(r[x] * total(lack, x), lack), sums, same, shape))


def exact_bias(
    d: Derivation, s: Step, k: sp.IndexedBase, out: Emitted, filler: Filler, suffix: str = "", sign: int = 1
) -> Fact:
    """TV(o, p) = Σ (k − p)₊ for any kept mass k with Σ k ≤ 1 and the residual r with r Σ (p − k)₊ = (p − k)₊ (`shape`)."""
    o, kappa, law, rate, at_most_one = out
    r, mass_r, shape = filler
    e, lack = (sp.IndexedBase(f"{n}{suffix}", real=True) for n in ("e", "l"))
    E, L = (sp.Symbol(f"{n}{suffix}", real=True) for n in ("E", "L"))
    over = d.define("the excess of a token: what is kept beyond p", e[x], sp.Max(k[x] - s.p[x], 0))
    under = d.define("the lack of a token: what p has beyond what is kept", lack[x], sp.Max(s.p[x] - k[x], 0))
    excess_rule = d.define("the excess of all tokens", E, total(e[x], x))
    lack_rule = d.define("the lack of all tokens", L, total(lack[x], x))
    per_token = d.derive(
        "a token has the one or the other", eq(k[x] - s.p[x], e[x] - sign * lack[x]), over, under, by="cases"
    )
    parts = d.sum("over the vocabulary", per_token, x)
    balance = d.derive(
        "a rejection is what is lacking less the excess",
        eq(1 - kappa, L - E),
        parts,
        s.mass_p,
        rate,
        excess_rule,
        lack_rule,
    )
    excess_at_most_lack = d.derive("so the excess is no more than what is lacking", le(E, L), balance, at_most_one)
    lacks = d.sum("the lack, over the vocabulary", under, x)
    shape = d.smt("the residual is proportional to the lack", eq(r[x] * L, lack[x]), lack_rule, lacks, under, shape)
    token_bias = d.smt(
        "each token that lacks mass is filled up, but for its share of E",
        eq(o[x] - s.p[x], e[x] - E * r[x]),
        *(law, balance, shape, per_token),
    )
    some = d.summed("an excess is not negative", ge(e[x], 0), over)
    some = d.derive("nor is E", ge(E, 0), some, excess_rule)
    total_bias = d.summed(
        "no token has both an excess and a share of the residual, so nothing cancels",
        eq(sp.Abs(o[x] - s.p[x]), e[x] + E * r[x]),
        *(token_bias, shape, over, under, excess_at_most_lack, some),
        by="smt",
    )
    half = d.derive(
        "r is a law, so the distance is the excess", eq(distance(o, s.p), E), total_bias, excess_rule, mass_r
    )
    total_over = d.sum("the excess, over the vocabulary", over, x)
    return d.derive(
        "TV(o, p) is the mass kept beyond p",
        eq(distance(o, s.p), total(sp.Max(k[x] - s.p[x], 0), x)),
        *(half, excess_rule, total_over),
    )


def fresh_bias(d: Derivation, s: Step, k: sp.IndexedBase, out: Emitted) -> Fact:
    """TV(o, p) = Σ (k − κ p)₊ for a fresh draw from p after a rejection, o = k + (1 − κ) p."""
    o, kappa, law, rate, _ = out
    over = sp.Max(k[x] - kappa * s.p[x], 0)
    parts = d.summed(
        "a law is as far above another as below it", eq(sp.Abs(o[x] - s.p[x]), 2 * over - (k[x] - kappa * s.p[x])), law
    )
    return d.derive("TV(o, p), as k and κ p have one mass", eq(distance(o, s.p), total(over, x)), parts, rate, s.mass_p)


def ears_fresh(d: Derivation, s: Step, t: sp.Symbol) -> tuple[Any, Fact, Emitted, Fact]:
    """EARS with a fresh draw from p: k, its meaning, what is emitted, and TV(o, p) = Σ (k − κ p)₊."""
    k, rule, below = kept(d, s, t)
    out = emitted(d, s, k, s.p, below)
    return k, rule, out, fresh_bias(d, s, k, out)


def ears_bias(
    d: Derivation, s: Step, t: sp.Symbol, not_negative: Fact, filler: Filler, suffix: str = "", sign: int = 1
) -> tuple[Any, Emitted, Fact, Fact]:
    """EARS with the residual of speculative decoding: k, what is emitted, TV(o, p) = Σ g, and Σ k − Σ min(p, q) = Σ g."""
    k, rule, below = kept(d, s, t, f"k{suffix}")
    gain = pardons(d, s, t, not_negative, k, rule)
    above_overlap = d.smt(
        "all that speculative decoding keeps is kept", ge(k[x], sp.Min(s.p[x], s.q[x])), rule, not_negative
    )
    filler = keeps_target(d, s, k, below, above_overlap, filler)
    out = emitted(d, s, k, filler.r, below, suffix)
    exact = exact_bias(d, s, k, out, filler, suffix, sign)
    extra = d.smt(
        "beyond p it keeps what speculative decoding does not keep",
        eq(sp.Max(k[x] - s.p[x], 0), k[x] - sp.Min(s.p[x], s.q[x])),
        *(below, above_overlap),
    )
    extra = d.sum("over the vocabulary", extra, x)
    gain = d.sum("likewise the pardons", gain, x)
    goal = eq(distance(out.o, s.p), total(pardoned(s, t), x))
    bias = d.smt("so TV(o, p) is the pardoned mass", goal, exact, extra, gain)
    return k, out, bias, gain
