"""Two levels come as near to the factor √3/18 as one likes, whichever of the forms is used."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, V, eq, ge, j, le, total

__all__ = ["LEVELS", "level_values", "two_levels"]

LEVELS = "up is 1 on m tokens, and 0 on the other n"


def two_levels(d: Derivation, factor: sp.Expr, share: sp.Expr, sign: int = 1) -> Fact:
    """Two rows of weight ½ with logits ±t on m of m + n tokens, 0 elsewhere, are (g − 3(p − p̂)² − t/24) t² from uniform.

    p = m/(m + n), p̂ = (1 − 1/√3)/2 and g = √3/18, the largest p (1 − p)(1 − 2p).
    """
    M, N, T = (d.number(name, positive=True) for name in ("m_0", "n_0", "T_0"))
    t = sp.Symbol("t_0", nonnegative=True)
    d.derive("the leading term at the best share", eq(_leading(share), factor), by="algebra")
    masses = _together(d, t)
    masses = d.instantiate("with t > 0", masses, {t: T})

    # two rows over the vocabulary
    up = sp.IndexedBase("up", real=True)
    flags, upper_count, rest = d.domain(LEVELS, eq(up[j] * (1 - up[j]), 0), eq(total(up[j], j), M), eq(V, M + N))
    E = sp.exp(T)
    F = sp.exp(-T)
    above = 1 / (M + N) - (E / (M * E + N) + F / (M * F + N)) / 2
    below = 1 / (M + N) - (1 / (M * E + N) + 1 / (M * F + N)) / 2
    error = up[j] * above + (1 - up[j]) * below  # rows with the weights e^±t where up = 1, and 1 elsewhere
    u, a, b = sp.symbols("u_0 a_0 b_0", real=True)
    binary_flag = d.suppose("u is 0 or 1", eq(u * (1 - u), 0))
    size = d.smt("a number is at most its size", ge(sp.Abs(u * a + (1 - u) * b), -u * a + (1 - u) * b), binary_flag)
    size = d.instantiate("the uniform law against the mean of the rows", size, {u: up[j], a: above, b: below}, flags)
    size = d.sum("over the vocabulary", size, j)
    norm = total(sp.Abs(error), j)
    levels = d.derive("level by level", ge(norm, -M * above + N * below), size, upper_count, rest)
    mean = (_mass(M / N, T) + _mass(M / N, -T)) / 2
    p = M / (M + N)
    twice = d.derive("each level is off by as much", eq(-M * above + N * below, 2 * (mean - p)), by="algebra")
    masses = d.instantiate("with m and n tokens", masses, {sp.Symbol("odds", positive=True): M / N})
    same = d.derive("that is", ge(2 * (mean - p), T**2 * _leading(p) - T**3 / 24), masses)
    near = _near(d, p, share, factor)
    v, w, y, z, g = sp.symbols("v_0 w_0 y_0 z_0 g_0", real=True)
    chain = d.suppose("v ≥ y = z ≥ w t² − t³/24, w ≥ g", ge(v, y), eq(y, z), ge(z, w * T**2 - T**3 / 24), ge(w, g))
    chain = d.smt("all together", ge(v, sign * (g - T / 24) * T**2), *chain)
    values = {v: norm, y: twice.relation.lhs, z: twice.relation.rhs, w: _leading(p), g: near.relation.rhs}
    return d.instantiate("so the rows are off by", chain, values, levels, twice, same, near)


def level_values(m: int, n: int, t: Fraction) -> dict[str, Any]:
    """What the symbols stand for; those of the lemmas, which are about all numbers, are 0 or 1."""
    lemmas = {"odds": 1, **dict.fromkeys(("t_0", "f_0", "u_0", "a_0", "b_0", "e_0"), 0)}
    return {**lemmas, "m_0": m, "n_0": n, "T_0": t, "up": [1] * m + [0] * n, "V": m + n}


def _leading(p: sp.Expr) -> Any:
    return p * (1 - p) * (1 - 2 * p)


def _mass(odds: sp.Expr, t: sp.Expr) -> Any:
    """Mass of the upper level at logit t."""
    return odds * sp.exp(t) / (1 + odds * sp.exp(t))


def _together(d: Derivation, t: sp.Symbol) -> Fact:
    """The upper level's masses at t and at −t together: at least 2p + t² p(1 − p)(1 − 2p) − t³/24."""
    odds = sp.Symbol("odds", positive=True)
    f = sp.Symbol("f_0", real=True)
    share_ = d.suppose("a share f", ge(f, 0), ge(1 - f, 0))
    third = -6 * f**4 + 12 * f**3 - 7 * f**2 + f  # u − 6u² with u = f(1 − f)
    u = f * (1 - f)
    inside = d.smt("f(1 − f) ≥ 0", ge(u, 0), *share_)
    above = d.smt("as f(1 − f) ≤ 1/4", ge((f - sp.S.Half) ** 2 * (6 * u + sp.S.Half), 0), inside)
    below = d.derive("a square", ge(6 * (u - sp.Rational(1, 12)) ** 2, 0))
    mass_bounds = []
    eighth = sp.Rational(1, 8)
    for sign, side, cause in ((1, ge(third + eighth, 0), above), (-1, ge(eighth - third, 0), below)):
        mass = _mass(odds, sign * t)
        curve = d.derive("|f(1 − f)(1 − 6f + 6f²)| ≤ 1/8", side, cause, *share_)
        curve = d.instantiate("at the upper level's mass", curve, {f: mass})
        h = mass - sum(sp.diff(mass, t, n).subs(t, 0) * t**n / sp.factorial(n) for n in range(3)) + t**3 / 48
        beyond = d.derive("from t = 0 on", ge(t, 0))
        bound = d.smt("which is the third derivative", ge(sp.diff(h, t, 3), 0), curve)
        for order in (2, 1, 0):
            bound = d.increasing("so upwards", sp.diff(h, t, order), t, 0, bound, beyond)
        p = odds / (1 + odds)
        lower_bound = t**2 * _leading(p) / 2 - t**3 / 48
        mass_bounds.append(
            d.smt("with p = odds / (1 + odds)", ge(mass - p - sign * t * p * (1 - p), lower_bound), bound)
        )
    first_mass, second_mass, a, b, c = sp.symbols("x_0 y_0 a_0 b_0 c_0", real=True)
    sum_bound = d.suppose("one mass at t, one at −t", ge(first_mass - a - b, c), ge(second_mass - a + b, c))
    sum_bound = d.derive("added", ge(first_mass + second_mass - 2 * a, 2 * c), *sum_bound)
    values = {first_mass: _mass(odds, t), second_mass: _mass(odds, -t), a: p, b: t * p * (1 - p), c: lower_bound}
    return d.instantiate("the two rows together", sum_bound, values, *mass_bounds)


def _near(d: Derivation, p: sp.Expr, share: sp.Expr, factor: sp.Expr) -> Fact:
    """The leading term at p is at least g − 3(p − p̂)²."""
    e = sp.Symbol("e_0", real=True)
    root = sp.sqrt(3)
    above_minus_half = d.suppose("a difference from the best share", ge(e, -sp.S.Half))
    small = d.numeric("√3 is below 9/5", le(root, sp.Rational(9, 5)))
    term = d.smt("a square times a positive number", ge(e**2 * (3 - root + 2 * e), 0), above_minus_half, small)
    share_below_half = d.numeric("the best share is below ½", le(share, sp.S.Half))
    value = eq(_leading(share + e), factor + e**2 * (2 * e - root))
    value = d.derive("a cubic about its maximum", value, by="algebra")
    near = d.smt("so near its maximum", ge(_leading(share + e), factor - 3 * e**2), term, value)
    low = d.smt("as p ≥ 0", ge(p - share, -sp.S.Half), share_below_half)
    return d.instantiate("at p", near, {e: p - share}, low)
