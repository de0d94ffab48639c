"""Steps that the proofs about perturbed logits share: a tilted law, how far it moves, and the hyperbolic tangent."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, j, le, total

__all__ = ["Ends", "Tilt", "at_least_one", "below_half", "between", "ends", "far", "moved", "tanh", "tilt", "turned"]


class Tilt(NamedTuple):
    """Weights e^z and a perturbation δ of the logits z."""

    w: Any
    delta: Any


class Ends(NamedTuple):
    """A = e^up and B = e^−down, between which every e^δ lies, G, the root of A/B, and what they mean."""

    A: Any
    B: Any
    G: Any
    a_is: Fact
    b_is: Fact
    g_is: Fact


def tilt(d: Derivation) -> Tilt:
    """The weights of an instance and its perturbation."""
    w = sp.IndexedBase("w", positive=True)
    d.domain("the weights e^z are positive", gt(w[j], 0))
    return Tilt(w, sp.IndexedBase("delta", real=True))


def moved(t: Tilt) -> sp.Expr:
    """‖softmax(z) − softmax(z + δ)‖₁."""
    changed = t.w[j] * sp.exp(t.delta[j])
    return total(sp.Abs(t.w[j] / total(t.w[j], j) - changed / total(changed, j)), j)


def tanh(half: sp.Expr) -> sp.Expr:
    """tanh of half of a number."""
    return (sp.exp(half) - 1) / (sp.exp(half) + 1)


def at_least_one(d: Derivation) -> tuple[sp.Symbol, Fact]:
    """e^h ≥ 1 for every h ≥ 0."""
    h = d.number("h", 0)
    slope = d.derive("the exponential is positive", ge(sp.exp(h), 0))
    return h, d.increasing("the exponential increases", sp.exp(h), h, 0, slope, d.derive("h ≥ 0", ge(h, 0)))


def below_half(d: Derivation, constant: sp.Expr | int = 2) -> tuple[sp.Symbol, Fact]:
    """2 tanh(v/2) ≤ v for every v ≥ 0: multiplied out, 2 (e^v − 1) ≤ v (e^v + 1)."""
    v = d.number("v", 0)
    beyond = d.derive("v ≥ 0", ge(v, 0))
    e = sp.exp(v)
    curve = d.derive("the second derivative", ge(v * e, 0))
    slope = d.increasing("the derivative is not negative", 1 + (v - 1) * e, v, 0, curve, beyond)
    f = v * (e + 1) - constant * (e - 1)
    slope = d.derive("its slope", ge(sp.diff(f, v), 0), slope)
    rises = d.increasing("so v (e^v + 1) − 2 (e^v − 1) increases from 0", f, v, 0, slope, beyond)
    return v, d.derive("the tangent is above the curve", le(2 * tanh(v), v), rises)


def ends(d: Derivation, up: sp.Symbol, down: sp.Symbol) -> Ends:
    """Names for the ends of a perturbation of −down to up."""
    A, B, G = sp.symbols("A B G", positive=True)
    a_is = d.define("the largest tilt", A, sp.exp(up))
    b_is = d.define("the least tilt", B, sp.exp(-down))
    return Ends(A, B, G, a_is, b_is, d.define("the root of their ratio", G, sp.exp((up + down) / 2)))


def between(
    d: Derivation, t: Tilt, e: Ends, exponential_bound: tuple[Any, Fact], high: Fact, low: Fact
) -> tuple[Fact, Fact, Fact]:
    """e^δ ≤ A, e^δ ≥ B and A = G² B, from up − δ ≥ 0 (`high`) and δ + down ≥ 0 (`low`); `exponential_bound`: e^h ≥ 1, h ≥ 0."""
    h, exp_h = exponential_bound
    above = d.instantiate("at that distance", exp_h, {h: high.relation.lhs}, high)
    above = d.derive("so e^δ ≤ A", le(sp.exp(t.delta[j]), e.A), above, e.a_is)
    below = d.instantiate("at that distance", exp_h, {h: low.relation.lhs}, low)
    below = d.derive("and e^δ ≥ B", ge(sp.exp(t.delta[j]), e.B), below, e.b_is)
    return above, below, d.derive("the square of the root", eq(e.A, e.G**2 * e.B), e.a_is, e.b_is, e.g_is)


def far(d: Derivation, t: Tilt, e: Ends, within: tuple[Fact, Fact, Fact], g_at_least_one: Fact) -> Fact:
    """‖softmax(z) − softmax(z + δ)‖₁ ≤ 2 (G − 1)/(G + 1) if B ≤ e^δ ≤ A = G² B (`within`) and G ≥ 1 (`g_at_least_one`)."""
    w = t.w
    r = sp.exp(t.delta[j])
    (A, B, G, *_) = e
    (above, below, square) = within
    Z = sp.Symbol("Z", positive=True)
    Y = sp.Symbol("Y", positive=True)
    S = sp.Symbol("S", real=True)
    z_is = d.define("the mass before", Z, total(w[j], j))
    y_is = d.define("the mass after", Y, total(w[j] * r, j))
    low = d.summed("not below", ge(w[j] * r, B * w[j]), below, over=j)
    high = d.summed("not above", le(w[j] * r, A * w[j]), above, over=j)
    low = d.derive("so the mean of e^δ is at least B", ge(Y, B * Z), low, z_is, y_is)
    high = d.derive("and at most A", le(Y, A * Z), high, z_is, y_is)

    rise = sp.Max(r * Z - Y, 0)
    chord = le((A - B) * rise, (r - B) * (A * Z - Y))
    chord = d.derive("a convex function is below its chord", chord, below, above, low, high)
    chord = d.derive("weighted", le(w[j] * (A - B) * rise, w[j] * (r - B) * (A * Z - Y)), chord)
    plain = d.derive("no token rises by more than the range", le(rise, (A - B) * Z), below, above, low, high)
    plain = d.derive("weighted", le(w[j] * rise, w[j] * (A - B) * Z), plain)
    s_is = d.define("what rises", S, total(w[j] * rise, j))
    chord = d.sum("over the vocabulary", chord, j)
    plain = d.sum("over the vocabulary", plain, j)
    bound = d.derive("in sum", le((A - B) * S, (Y - B * Z) * (A * Z - Y)), chord, s_is, z_is, y_is)
    plain = d.derive("in sum", le(S, (A - B) * Z**2), plain, s_is, z_is)
    goal = le((G**2 - 1) * S, (G - 1) ** 2 * Z * Y)
    bound = d.derive("at most its value at Y = G B Z: the rest is (Y − G B Z)²", goal, bound, square)
    goal = le((G + 1) * S, (G - 1) * Z * Y)
    bound = d.derive("divided by G − 1; and if G = 1, nothing rises", goal, bound, plain, square, g_at_least_one, low)

    u = sp.IndexedBase("u", real=True)
    u_is = d.define("the difference", u[j], w[j] / Z - w[j] * r / Y)
    size = w[j] * (2 * rise - (r * Z - Y)) / (Z * Y)
    not_below = d.derive("not below", ge(u[j], -size), u_is)
    two = d.derive("not above", le(u[j], size), u_is)
    size_ = d.derive("its size", le(sp.Abs(u[j]), size), not_below, two)
    changed = w[j] * r
    law_difference = sp.Abs(w[j] / total(w[j], j) - changed / total(changed, j))
    named = d.derive("by its names", eq(law_difference, sp.Abs(u[j])), u_is, z_is, y_is)
    named = d.sum("over the vocabulary", named, j)
    size_ = d.sum("over the vocabulary", size_, j)
    twice = d.derive("what rises is half of it", le(moved(t), 2 * S / (Z * Y)), named, size_, s_is, z_is, y_is)
    return d.derive("so at most tanh of the range", le(moved(t), 2 * (G - 1) / (G + 1)), twice, bound, g_at_least_one)


def turned(d: Derivation, range_: sp.Expr, text: str, sign: int = 1, constant: int = 1) -> Fact:
    """Two tokens whose odds e^R become e^−R move 2 tanh(R/2): R is `range_` times ε."""
    epsilon = d.number("epsilon", 0)
    h, exponential_bound = at_least_one(d)
    half = range_ * epsilon
    odds_bound = d.derive("R is not negative", ge(half, 0))
    odds_bound = d.instantiate("so the odds are at least 1", exponential_bound, {h: half}, odds_bound)
    G = sp.Symbol("G", positive=True)
    odds = d.define("the odds", G, sp.exp(half))
    odds_bound = d.derive("named", ge(G, 1), odds_bound, odds)
    u = sp.Symbol("u", positive=True)
    mass_definition = d.define("the mass of the one, then of the other", u, 1 / (1 + G))
    distance = sp.Abs(u - G * u) + sp.Abs(G * u - sign * u)
    apart = d.derive(text, eq(distance, 2 * constant * (G * u - u)), odds_bound)
    return d.derive("which is tanh of half of it", eq(distance, 2 * tanh(half)), apart, mass_definition, odds)
