"""What a relaxed rule gains and pays: keep a mass g beyond min(p, q), and fall back to the residual of speculative decoding."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, total, x, y

__all__ = ["LEFT", "as_short", "emitted", "gained", "residual", "rows", "shifted"]

LEFT = "the residual is what the target has beyond the draft, scaled to a law"


def rows(d: Derivation, name: str, *context: sp.Symbol) -> tuple[Any, Fact]:
    """A law for every context, and the fact that each sums to one."""
    return d.law(name, *context)


def residual(d: Derivation, p: sp.Expr, q: sp.Expr, *context: sp.Symbol) -> tuple[sp.Expr, Fact, Fact]:
    """The residual r[x] of p[x] and q[x]: itself, that it sums to one, and that Σ(p − q)₊ · r = (p − q)₊."""
    base, mass = rows(d, "r", *context)
    r = base[(*context, x)]
    beyond = sp.Max(p - q, 0)
    return r, mass, d.domain(LEFT, eq(total(beyond, x) * r, beyond))


def as_short(d: Derivation, p: sp.Expr, q: sp.Expr, mass_p: Fact, mass_q: Fact) -> tuple[Fact, Fact]:
    """Σ min(p, q) = 1 − Σ(p − q)₊, and Σ(q − p)₊ = Σ(p − q)₊."""
    over = sp.Max(q - p, 0)
    under = sp.Max(p - q, 0)
    smaller_number = d.derive("the smaller of two numbers", eq(sp.Min(p, q), p - under))
    turn = d.derive("a difference and its two parts", eq(over, q - p + under))
    smaller_number = d.sum("over the vocabulary", smaller_number, x)
    turn = d.sum("over the vocabulary", turn, x)
    return (
        d.derive("p has mass one", eq(total(sp.Min(p, q), x), 1 - total(under, x)), smaller_number, mass_p),
        d.derive("both have mass one", eq(total(over, x), total(under, x)), turn, mass_p, mass_q),
    )


def emitted(
    d: Derivation, text: str, name: str, accepted: sp.Expr, r: sp.Expr, *context: sp.Symbol
) -> tuple[sp.Expr, Fact]:
    """The law of the emitted token, k + (1 − Σk) r, under a name."""
    o = sp.IndexedBase(name, real=True)[(*context, x)]
    return o, d.define(text, o, accepted + (1 - total(accepted, x)) * r)


Pair = tuple[sp.Expr, sp.Expr]
Laws = tuple[Fact, Fact]
Residue = tuple[sp.Expr, Fact, Fact]


def shifted(
    d: Derivation,
    pair: Pair,
    g: sp.Expr,
    laws: Laws,
    residue: Residue,
    output: tuple[sp.Expr, Fact],
    overlap: Fact | None = None,
) -> Fact:
    """The law emitted by a rule that keeps min(p, q) + g, as p + g − (Σg) r; `overlap` as `as_short` gives it."""
    (p, q) = pair
    (r, _, residual_shape) = residue
    (o, law) = output
    overlap_mass = as_short(d, p, q, *laws)[0] if overlap is None else overlap
    smaller = d.derive("the smaller of two numbers", eq(sp.Min(p, q), p - sp.Max(p - q, 0)))
    return d.derive("what is emitted", eq(o, p + g - total(g, x) * r), law, overlap_mass, residual_shape, smaller)


def gained(
    d: Derivation, pair: Pair, g: sp.Expr, laws: Laws, residue: Residue, output: tuple[sp.Expr, Fact], *using: Fact
) -> Fact:
    """For any 0 ≤ g ≤ (q − p)₊ the distance of the emitted law from p is Σg.

    `output` keeps min(p, q) + g; `using` are facts from which the two inequalities follow.
    """
    (p, q) = pair
    (r, mass_r, residual_shape) = residue
    (o, _) = output
    surplus = sp.Max(q - p, 0)
    short = total(sp.Max(p - q, 0), x)
    gain = total(g, x)
    floor = d.derive("what is kept beyond min(p, q) is not negative", ge(g, 0), *using)
    cap = d.derive("and no more than the draft has beyond the target", le(g, surplus), *using)
    overlap, as_much = as_short(d, p, q, *laws)
    per_token = d.term("one token", d.derive("a positive part", ge(surplus, 0)), x, y)
    within_shortfall = d.derive(
        "against all", le(surplus, short), d.instantiate("the same token", per_token, {y: x}), as_much
    )
    law_r = d.derive("r is a law", ge(r, 0))
    apart = d.smt(
        "no token is kept beyond and replaced", eq(g * r, 0), floor, cap, within_shortfall, residual_shape, law_r
    )
    all_g = d.derive("summed", ge(gain, 0), d.sum("over the vocabulary", floor, x))
    away = shifted(d, pair, g, laws, residue, output, overlap)
    size = d.smt("two parts apart", eq(sp.Abs(g - gain * r), g + gain * r), floor, all_g, apart, law_r)
    distance = d.summed("one token's bias", eq(sp.Abs(o - p), g + gain * r), away, size)
    return d.derive("r has mass one", eq(total(sp.Abs(o - p), x) / 2, gain), distance, mass_r)
