"""E|(X − μ)² − s| ≤ (√3/9) range² for every law on an interval, with mean μ and variance s; equality for two levels.

With m and n the distances from μ to the two ends, m ≤ n: where m² ≤ s, the positive part of s − u² lies below a parabola that
touches it at u = −s/n and vanishes at u = n; else below its chord s(1 − u²/n²).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, eq, ge, gt, j, le
from proofs_check.rdk._taylor_remainder import Line, moments, transitive

__all__ = ["FACTOR", "Sharp", "of_numbers", "sharp_curvature"]

FACTOR = sp.sqrt(3) / 18
_P, _A, _B, _C = sp.symbols("P_0 A_0 B_0 C_0", real=True)
_W, _U, _S, _M, _N, _E = sp.symbols("w_0 u_0 s_0 m_1 n_1 e_0", real=True)


def _parabola(d: Derivation) -> Fact:
    """The per-token bound where m² ≤ s."""
    w = _W
    u = _U
    s = _S
    m = _M
    n = _N
    sign_factor = _E
    weight, low, high, not_low, wider, large, product, at_most_one, at_least_minus_one = d.suppose(
        "a token where m² ≤ s",
        *(
            ge(w, 0),
            ge(u, -m),
            le(u, n),
            ge(m, 0),
            ge(n, m),
            ge(s, m**2),
            le(s, m * n),
            le(sign_factor, 1),
            ge(sign_factor, -1),
        ),
    )
    factored = (n - u) * s * ((3 * n**2 + s) * u + n * (n**2 + 3 * s))
    parabola = (n**2 + s) ** 2 * (s - u**2) + (n**2 - s) * (u * n + s) ** 2
    factors = d.derive("the parabola vanishes at the far end", eq(parabola, factored))
    scale, *abc = d.suppose("its coefficients", *_coefficients(_P, _A, _B, _C, s, n))
    end = d.smt("at the near end", ge((3 * n**2 + s) * (-m) + n * (n**2 + 3 * s), 0), not_low, wider, large)
    inner = d.smt("and so in between", ge((3 * n**2 + s) * u + n * (n**2 + 3 * s), 0), end, low, large)
    above = d.smt("the parabola is not negative", ge(factored, 0), inner, high, large)
    below = d.smt("the variance is at most n²", le(s, n**2), product, wider, not_low)
    over = d.smt("nor is it below s − u²", ge((n**2 - s) * (u * n + s) ** 2, 0), below)
    bound = d.smt(
        "ε(u² − s) ≤ u² − s + 2(s − u²)₊",
        le(w * sign_factor * (u**2 - s) * (n**2 + s) ** 2, w * ((n**2 + s) ** 2 * (u**2 - s) + 2 * parabola)),
        *(factors, above, over, weight, at_most_one, at_least_minus_one),
    )
    left = w * sign_factor * (u**2 - s) * _P
    right = w * (_A + _B * u + _C * u**2)
    same_left = d.derive("the scale put in", eq(left, bound.relation.lhs), scale)
    same_right = d.derive("the coefficients put in", eq(right, bound.relation.rhs), *abc)
    step = transitive(d, " of a token")
    (a, b, c) = sp.symbols("a_0 b_0 c_0", real=True)
    bound = d.instantiate(
        "with the scale", step, {a: left, b: bound.relation.lhs, c: bound.relation.rhs}, bound, same_left
    )
    return d.instantiate(
        "with its coefficients", step, {a: left, b: same_right.relation.rhs, c: right}, bound, same_right
    )


def _coefficients(
    P: sp.Symbol, A: sp.Symbol, B: sp.Symbol, C: sp.Symbol, s: sp.Symbol, n: sp.Symbol
) -> tuple[Relation, ...]:
    """A + B u + C u² is (n² + s)² (u² − s) and twice the parabola."""
    D = (n**2 + s) ** 2
    E = n**2 - s
    return eq(P, D), eq(A, s * D + 2 * s**2 * E), eq(B, 4 * n * s * E), eq(C, 2 * n**2 * E - D)


def _chord(d: Derivation) -> Fact:
    """The per-token bound by the chord."""
    w = _W
    u = _U
    s = _S
    m = _M
    n = _N
    sign_factor = _E
    weight, low, high, wider, not_negative, small, at_most_one, at_least_minus_one = d.suppose(
        "a token",
        *(ge(w, 0), ge(u, -m), le(u, n), ge(n, m), ge(s, 0), le(s, n**2), le(sign_factor, 1), ge(sign_factor, -1)),
    )
    inside = d.smt("no farther than the far end", ge(n**2 - u**2, 0), low, high, wider)
    above = d.smt(
        "what is left where ε is above −1",
        ge(w * (1 + sign_factor) * s * (n**2 - u**2), 0),
        *(weight, not_negative, at_least_minus_one, inside),
    )
    below = d.smt(
        "and below 1",
        ge(w * (1 - sign_factor) * u**2 * (n**2 - s), 0),
        *(weight, at_most_one, small),
    )
    return d.derive(
        "(s − u²)₊ is below its chord",
        le(w * sign_factor * (u**2 - s) * n**2, w * (n**2 * (u**2 - s) + 2 * s * (n**2 - u**2))),
        *(above, below),
    )


def _numbers(d: Derivation, k: sp.Symbol, square: Fact, positive: Fact) -> tuple[Fact, Fact]:
    """What the two bounds come to: at most k (m + n)²."""
    s = _S
    m = _M
    n = _N
    first_number, two = sp.symbols("N_0 y_0", real=True)
    nonnegative = d.suppose("two numbers", ge(two, 0), ge(first_number, 0))
    # 9κ = √3: the cubic's double root is at N : y = 2 + √3, whose inverse is 2 − √3
    touching = k * (first_number - (2 + 9 * k) * two) ** 2 * (first_number + (2 - 9 * k) ** 2 * two)
    cubic = d.smt("a cubic that touches zero", ge(touching, 0), *(*nonnegative, positive))
    gap = k * (first_number + two) ** 3 - 2 * two * first_number * (first_number - two)
    factored = d.derive("as 27κ² = 1", eq(gap, touching), square)
    two_levels = d.smt(
        "two levels with shares in the ratio y : N",
        le(2 * two * first_number * (first_number - two), k * (first_number + two) ** 3),
        *(cubic, factored),
    )
    facts = d.suppose("a variance and two distances", ge(m, 0), ge(n, m), ge(s, 0), le(s, m * n))
    there = d.instantiate("at s and n²", two_levels, {two: s, first_number: n**2}, *facts)
    wide = d.smt("since s ≤ m n", le((n**2 + s) ** 2, n**2 * (m + n) ** 2), *facts)
    wide = d.smt(
        "times k (n² + s)",
        le(k * (n**2 + s) * (n**2 + s) ** 2, k * (n**2 + s) * n**2 * (m + n) ** 2),
        *(*facts, wide, positive),
    )
    a, b, c = sp.symbols("a_0 b_0 c_0", real=True)
    ends = {a: 2 * s * (n**2 - s) * n**2, b: k * (n**2 + s) ** 3, c: k * (n**2 + s) * n**2 * (m + n) ** 2}
    joined = d.instantiate("together", transitive(d, " of numbers"), ends, there, wide)
    large = d.smt(
        "so the parabola's value is at most",
        le(2 * s * (n**2 - s), k * (n**2 + s) * (m + n) ** 2),
        *(joined, *facts, positive),
    )
    return large, _small(d, k, square, positive)


def _small(d: Derivation, k: sp.Symbol, square: Fact, positive: Fact) -> Fact:
    """2s(n² − s) ≤ κ n² (m + n)² where s ≤ m²: at s = m² if s + m² ≤ n², else since the left side is at most n⁴/2."""
    s = _S
    m = _M
    n = _N
    bound = le(2 * s * (n**2 - s), k * n**2 * (m + n) ** 2)
    near, order, little, _ = d.suppose("a small variance", ge(m, 0), ge(n, m), le(s, m**2), ge(s, 0))
    kappa = d.smt("κ is above 0.192", ge(k, sp.Rational(24, 125)), square, positive)
    a = sp.Rational(123, 200)
    b = sp.Rational(23, 100)
    touching = d.smt("a cubic that nearly touches zero", ge((m + b * n) * (m - a * n) ** 2, 0), near, order)
    rest = d.smt("times κ", ge((k - sp.Rational(24, 125)) * n**2 * (m + n), 0), kappa, near, order)
    remains = d.smt(
        "and what it is off by",
        ge(n**2 * (m * sp.Rational(27, 20000) + n * sp.Rational(36033, 2000000)), 0),
        near,
        order,
    )
    cubic = d.smt("at s = m²", le(2 * m**2 * (n - m), k * n**2 * (m + n)), touching, rest, remains)
    cubic = d.smt("times m + n", le(2 * m**2 * (n - m) * (m + n), k * n**2 * (m + n) * (m + n)), cubic, near, order)
    together = d.case("s + m² ≤ n²", le(s + m**2, n**2))
    growing = d.smt("the left side grows up to there", ge((m**2 - s) * (n**2 - s - m**2), 0), little, together)
    first = d.smt("so", bound, growing, cubic)
    beyond = d.case("s + m² ≥ n²", ge(s + m**2, n**2))
    half = d.derive("so m² is at least half of n²", ge(2 * m**2, n**2), little, beyond)
    far = d.smt("m is at least 0.7 n", ge(m, n * sp.Rational(7, 10)), half, near, order)
    middle = d.derive("the left side is at most n⁴/2", ge((n**2 - 2 * s) ** 2, 0))
    wide = d.smt("the squared range", ge((m + n) ** 2, n**2 * sp.Rational(289, 100)), far, order, near)
    scaled = d.smt("times κ", ge(k * (m + n) ** 2, n**2 / 2), wide, kappa)
    scaled = d.smt("times n²", ge(n**2 * (k * (m + n) ** 2 - n**2 / 2), 0), scaled)
    second = d.smt("so", bound, middle, scaled)
    return d.cases("on either side", first, second)


def _division(d: Derivation) -> Fact:
    """From Q P ≤ Z Y, P = D², Y = v D and v ≤ c D with D ≥ 0 to Q ≤ c Z; where D = 0, Q ≤ 0 is known."""
    Q, P, Y, D, Z, v, c, r = sp.symbols("Q_0 P_0 Y_0 D_0 Z_0 v_0 c_0 r_0", real=True)
    facts = d.suppose(
        "a quotient",
        *(le(Q * P, Z * Y), eq(P, D**2), eq(Y, v * D), le(v, c * D), le(Q, r * Z), le(r, 2 * D)),
        *(gt(Z, 0), ge(c, 0), ge(D, 0)),
    )
    return d.smt("divided by the denominator, unless all is zero", le(Q, c * Z), *facts)


class Sharp(NamedTuple):
    """What is shown once, of numbers."""

    kappa: Any
    meaning: Fact
    positive: Fact
    parabola: Fact
    chord: Fact
    division: Fact
    large: Fact
    small: Fact


def of_numbers(d: Derivation) -> Sharp:
    """The inequalities between numbers that every line needs."""
    k = sp.Symbol("kappa", real=True)
    meaning = d.define("κ", k, sp.sqrt(3) / 9)
    square = d.derive("its square", eq(27 * k**2, 1), meaning)
    positive = d.derive("κ > 0", gt(k, 0), meaning)
    return Sharp(k, meaning, positive, _parabola(d), _chord(d), _division(d), *_numbers(d, k, square, positive))


def sharp_curvature(
    d: Derivation, sharp_facts: Sharp, line: Line, t: sp.Symbol, above: Fact, below: Fact, low: Fact, high: Fact
) -> Fact:
    """E ε((X − μ)² − s) ≤ (√3/9) range², as a statement about sums over the row; above: x ≤ hi, below: x ≥ lo."""
    k, meaning, positive, parabola, chord, division, large, small = sharp_facts
    mu, s, m, n = sp.symbols("mu s m n", real=True)
    e = line.weight(t)
    x = line.x
    eps = line.eps
    inside = d.smt("between the ends", ge((line.hi - x) * (x - line.lo), 0), above, below)
    moment = moments(d, line, t, inside, mu, s)
    (Z, S1, S2) = moment.sums
    Q = moment.signed
    s_low = moment.spread
    near, far = d.suppose(f"m, n are the distances to the ends{line.name}", eq(m, mu - line.lo), eq(n, line.hi - mu))
    left = d.summed("above the lower end", le(0, e * (x - line.lo)), below, over=j, by="smt")
    left = moment.chain(d, "in terms of the mean", left, Z * (mu - line.lo))
    left = d.smt("so is the mean", ge(m, 0), left, near)
    right = d.summed("below the upper end", le(0, e * (line.hi - x)), above, over=j, by="smt")
    right = moment.chain(d, "in terms of the mean", right, Z * (line.hi - mu))
    right = d.smt("so is the mean", ge(n, 0), right, far)
    s_high = d.smt("hence s ≤ m n", le(s, m * n), moment.ends, near, far)

    bound = le(Q, k * (m + n) ** 2 * Z)
    crude = d.derive("in any case", le(e * eps * ((x - mu) ** 2 - s), e * ((x - mu) ** 2 + s)), low, high, s_low)
    crude = moment.chain(d, "twice the variance", d.sum("over the row", crude, j), 2 * s * Z)

    def oriented(orientation: str, order: Fact, smaller_end: sp.Symbol, larger_end: sp.Symbol, u: sp.Expr) -> Fact:
        """The bound where `one` ≤ `other`, in the cases one² ≤ s and s ≤ one²."""
        premises = (order, left, right, s_low, s_high, low, high, near, far, above, below)
        names = {_W: e, _U: u, _S: s, _M: smaller_end, _N: larger_end, _E: eps}
        P, A, B, C = sp.symbols("P A B C", real=True)
        shape = d.suppose(
            f"the parabola's coefficients, {orientation}{line.name}", *_coefficients(P, A, B, C, s, larger_end)
        )
        values = {_S: s, _M: smaller_end, _N: larger_end}
        much = d.case(f"s ≥ m², {orientation}{line.name}", ge(s, smaller_end**2))
        token = d.instantiate("at a token", parabola, {**names, _P: P, _A: A, _B: B, _C: C}, *premises, much, *shape)
        row_sum = d.sum("over the row", token, j)
        row_sum = moment.chain(d, "the parabola's mean", row_sum, Z * (A + C * s))
        value = d.instantiate("its value", large, values, *premises)
        share = {
            **{"Q_0": Q, "P_0": P, "Y_0": A + C * s, "D_0": larger_end**2 + s, "Z_0": Z},
            **{"v_0": 2 * s * (larger_end**2 - s), "c_0": k * (m + n) ** 2, "r_0": 2 * s},
        }
        assignments = {sp.Symbol(a, real=True): b for a, b in share.items()}
        means = [row_sum, value, crude, s_low]
        first = d.instantiate("so", division, assignments, *means, positive, *shape)
        D = (larger_end**2 + s) ** 2
        E = larger_end**2 - s
        named = {P: D, A: s * D + 2 * s**2 * E, B: 4 * larger_end * s * E, C: 2 * larger_end**2 * E - D}
        first = d.instantiate("whatever the coefficients are called", first, named)
        first = d.smt("that is", bound, first)
        little = d.case(f"s ≤ m², {orientation}{line.name}", le(s, smaller_end**2))
        below_n = d.smt("s ≤ n²", le(s, larger_end**2), s_high, order, left, right)
        row_sum = d.sum("over the row", d.instantiate("at a token", chord, names, *premises, below_n), j)
        row_sum = moment.chain(d, "the chord's mean", row_sum, 2 * Z * s * (larger_end**2 - s))
        value = d.instantiate("its value", small, values, *premises, little)
        second = d.smt("so", bound, *(row_sum, value, crude, below_n, s_low, positive))
        return d.cases("large or small variance", first, second)

    first = oriented("m ≤ n", d.case(f"m ≤ n{line.name}", ge(n, m)), m, n, x - mu)
    second = oriented("n ≤ m", d.case(f"n ≤ m{line.name}", le(n, m)), n, m, mu - x)
    bound_ = d.cases("whichever end is nearer", first, second)
    curvature_bound = d.smt("in terms of the ends", le(Q / Z, k * (line.hi - line.lo) ** 2), bound_, near, far)
    curvature_bound = d.instantiate(
        "at the mean and the variance",
        curvature_bound,
        {mu: S1 / Z, s: S2 / Z - S1**2 / Z**2, m: S1 / Z - line.lo, n: line.hi - S1 / Z},
    )
    return d.smt(
        "with the constant",
        le(curvature_bound.relation.lhs, sp.sqrt(3) / 9 * (line.hi - line.lo) ** 2),
        curvature_bound,
        meaning,
    )
