"""Two levels show that no factor below √3/18 serves every vocabulary, whichever of the forms is used."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, V, eq, ge, j, le, total

__all__ = ["two_levels"]

_M, _N, _T = sp.symbols("m_0 n_0 T_0", positive=True)
"""Tokens of the upper and of the lower level, and the distance of the logits."""


def two_levels(d: Derivation, factor: Any, share: Any) -> Fact:
    """A factor g that serves two rows with logits ±t on m of m + n tokens, 0 elsewhere: g ≥ √3/18 − 3(p − p̂)² − t/24.

    p = m/(m + n) and p̂ = (1 − 1/√3)/2.  The rows belong to a target uniform on the m tokens, factors c = ±1 of weight ½
    and t = 1/(mτ); Σ q_i c_i = 0, so that every form is the uniform law.  As p comes as near to p̂, and t to 0, as one likes,
    no g below √3/18 serves every vocabulary and temperature.
    """
    t = sp.Symbol("t_0", nonnegative=True)
    d.derive("the leading term at the best share", eq(_leading(share), factor), by="algebra")
    masses = _together(d, t)
    masses = d.instantiate("with t > 0", masses, {t: _T})

    # two rows over the vocabulary
    up, g = sp.IndexedBase("up", real=True), sp.Symbol("g_0", real=True)
    flags, many, rest = d.suppose(
        "up = 1 on m tokens, and 0 on the other n", eq(up[j] * (1 - up[j]), 0), eq(total(up[j], j), _M), eq(V, _M + _N)
    )
    E, F = sp.exp(_T), sp.exp(-_T)
    above = 1 / (_M + _N) - (E / (_M * E + _N) + F / (_M * F + _N)) / 2
    below = 1 / (_M + _N) - (1 / (_M * E + _N) + 1 / (_M * F + _N)) / 2
    error = up[j] * above + (1 - up[j]) * below  # rows with the weights e^±t where up = 1, and 1 elsewhere
    u, a, b = sp.symbols("u_0 a_0 b_0", real=True)
    one = d.suppose("u is 0 or 1", eq(u * (1 - u), 0))
    size = d.smt("a number is at most its size", ge(sp.Abs(u * a + (1 - u) * b), -u * a + (1 - u) * b), one)
    size = d.instantiate("the uniform law against the mean of the rows", size, {u: up[j], a: above, b: below}, flags)
    size = d.sum("over the vocabulary", size, j)
    norm = total(sp.Abs(error), j)
    levels = d.derive("level by level", ge(norm, -_M * above + _N * below), size, many, rest)
    mean, p = (_mass(_M / _N, _T) + _mass(_M / _N, -_T)) / 2, _M / (_M + _N)
    twice = d.derive("each level is off by as much", eq(-_M * above + _N * below, 2 * (mean - p)), by="algebra")
    served = d.suppose("g serves", le(norm, g * _T**2))
    masses = d.instantiate("with m and n tokens", masses, {sp.Symbol("odds", positive=True): _M / _N})
    same = d.derive("that is", ge(2 * (mean - p), _T**2 * _leading(p) - _T**3 / 24), masses)
    x, y, z, w = sp.symbols("x_0 y_0 z_0 w_0", real=True)
    chain = d.suppose("x ≥ y = z ≥ w, and x ≤ g t²", ge(x, y), eq(y, z), ge(z, w * _T**2), le(x, g * _T**2))
    chain = d.smt("divided by t²", ge(g, w), *chain)
    values = {x: norm, y: twice.relation.lhs, z: twice.relation.rhs, w: _leading(p) - _T / 24}
    bound = d.instantiate("so the factor is at least", chain, values, levels, twice, same, served)
    return _near(d, g, p, share, factor, bound)


def _leading(p: Any) -> Any:
    return p * (1 - p) * (1 - 2 * p)


def _mass(odds: Any, t: Any) -> Any:
    """Mass of the upper level at logit t."""
    return odds * sp.exp(t) / (1 + odds * sp.exp(t))


def _together(d: Derivation, t: Any) -> Fact:
    """The upper level's masses at t and at −t together: at least 2p + t² p(1 − p)(1 − 2p) − t³/24."""
    odds, f = sp.Symbol("odds", positive=True), sp.Symbol("f_0", real=True)
    share_ = d.suppose("a share f", ge(f, 0), ge(1 - f, 0))
    third = -6 * f**4 + 12 * f**3 - 7 * f**2 + f
    found = []
    for sign, side in ((1, ge(third + sp.Rational(1, 8), 0)), (-1, ge(sp.Rational(1, 8) - third, 0))):
        mass = _mass(odds, sign * t)
        curve = d.smt("|f(1 − f)(1 − 6f + 6f²)| ≤ 1/8", side, *share_)
        curve = d.instantiate("at the upper level's mass", curve, {f: mass})
        h = mass - sum(sp.diff(mass, t, n).subs(t, 0) * t**n / sp.factorial(n) for n in range(3)) + t**3 / 48
        beyond = d.derive("from t = 0 on", ge(t, 0))
        bound = d.smt("which is the third derivative", ge(sp.diff(h, t, 3), 0), curve)
        for order in (2, 1, 0):
            bound = d.increasing("so upwards", sp.diff(h, t, order), t, 0, bound, beyond)
        p = odds / (1 + odds)
        least = t**2 * _leading(p) / 2 - t**3 / 48
        found.append(d.smt("with p = odds / (1 + odds)", ge(mass - p - sign * t * p * (1 - p), least), bound))
    one, other, a, b, c = sp.symbols("x_0 y_0 a_0 b_0 c_0", real=True)
    both = d.suppose("one mass at t, one at −t", ge(one - a - b, c), ge(other - a + b, c))
    both = d.derive("added", ge(one + other - 2 * a, 2 * c), *both)
    values = {one: _mass(odds, t), other: _mass(odds, -t), a: p, b: t * p * (1 - p), c: least}
    return d.instantiate("the two rows together", both, values, *found)


def _near(d: Derivation, g: Any, p: Any, share: Any, factor: Any, bound: Fact) -> Fact:
    """g ≥ √3/18 − 3(p − p̂)² − t/24, from the leading term at p."""
    e = sp.Symbol("e_0", real=True)
    root, least = sp.sqrt(3), d.suppose("a difference from the best share", ge(e, -sp.S.Half))
    small = d.numeric("√3 is below 9/5", le(root, sp.Rational(9, 5)))
    term = d.smt("a square times a positive number", ge(e**2 * (3 - root + 2 * e), 0), least, small)
    known = d.numeric("the best share is below ½", le(share, sp.S.Half))
    value = eq(_leading(share + e), factor + e**2 * (2 * e - root))
    value = d.derive("a cubic about its maximum", value, by="algebra")
    near = d.smt("so near its maximum", ge(_leading(share + e), factor - 3 * e**2), term, value)
    low = d.smt("as p ≥ 0", ge(p - share, -sp.S.Half), known)
    near = d.instantiate("at p", near, {e: p - share}, low)
    a, b, c = sp.symbols("a_0 b_0 c_0", real=True)
    chain = d.suppose("g ≥ a − c, and a ≥ b", ge(g, a - c), ge(a, b))
    chain = d.derive("together", ge(g, b - c), *chain)
    values = {a: _leading(p), b: factor - 3 * (p - share) ** 2, c: _T / 24}
    return d.instantiate("no factor below √3/18 serves", chain, values, near, bound)
