"""First-order Taylor remainder of a softmax along a line of logits, in ℓ1, with the constants ¼ and √3/18.

A row of logits is b + t x.  For any signs ε the function g(t) = Σ_j ε_j softmax(b + t x)_j has
g″ = E ε((X − μ)² − s), with mean μ and variance s of x under softmax(b + t x); both constants bound that by per-token
inequalities, which are summed over the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, eq, ge, i, j, le, total

__all__ = ["Line", "Moments", "curvature", "mixed", "moments", "remainder", "row_remainder", "transitive", "triangle"]


class Line(NamedTuple):
    """Logits b + t x of a row (expressions in the token j), and ends lo ≤ x ≤ hi of an interval that holds x."""

    b: Any
    x: Any
    lo: Any
    hi: Any
    eps: Any = None  # a sign for each token
    name: str = ""  # tells the suppositions about one line from those about another

    def weight(self, t: sp.Expr | int) -> Any:
        return sp.exp(self.b + t * self.x)

    def law(self, t: sp.Expr | int) -> Any:
        return self.weight(t) / total(self.weight(t), j)

    def signed(self, t: sp.Symbol) -> Any:
        """Σ_j ε_j softmax(b + t x)_j."""
        return total(self.eps * self.weight(t), j) / total(self.weight(t), j)


def solved(sums: sp.Expr, value: sp.Expr) -> Relation:
    """sums = value, solved for one of the sums, so that the algebraic rules can put it in."""
    terms = sp.Add.make_args(sp.expand(sums))
    solved_sum = next(term for term in terms if isinstance(term, sp.Sum))
    return eq(solved_sum, value - (sp.expand(sums) - solved_sum))


def transitive(d: Derivation, name: str) -> Fact:
    """a ≤ c where a ≤ b ≤ c; `name` tells one use from another."""
    a, b, c = sp.symbols("a_0 b_0 c_0", real=True)
    return d.derive("transitivity", le(a, c), *d.suppose(f"a ≤ b ≤ c{name}", le(a, b), le(b, c)))


class Moments(NamedTuple):
    """Sums over a row with mean μ and variance s, and the facts that say so."""

    sums: tuple[Any, Any, Any]
    mean: Fact
    variance: Fact
    transitive: Fact
    spread: Fact  # 0 ≤ s
    ends: Fact  # Z ((hi − μ)(μ − lo) − s) ≥ 0
    signed: Any  # Σ_j w_j ε_j ((x_j − μ)² − s)

    def chain(self, d: Derivation, text: str, fact: Fact, rhs: sp.Expr) -> Fact:
        """From a ≤ b to a ≤ rhs, where b is rhs once μ and s are put in."""
        same = d.derive("mean and variance put in", eq(fact.relation.rhs, rhs), self.mean, self.variance, by="algebra")
        a, b, c = sp.symbols("a_0 b_0 c_0", real=True)
        values = {a: fact.relation.lhs, b: fact.relation.rhs, c: rhs}
        return d.instantiate(text, self.transitive, values, fact, same)


def moments(d: Derivation, line: Line, t: sp.Symbol, inside: Fact, mu: sp.Symbol, s: sp.Symbol) -> Moments:
    """Suppose that μ and s are mean and variance of x under softmax(b + t x); `inside`: (hi − x)(x − lo) ≥ 0."""
    e = line.weight(t)
    x = line.x
    Z, S1, S2 = (total(e * x**n, j) for n in range(3))
    T0, T1, T2 = (total(e * line.eps * x**n, j) for n in range(3))
    facts = solved(S1, mu * Z), solved(S2, (s + mu**2) * Z)
    mean, variance = d.suppose(f"μ and s are mean and variance{line.name}", *facts)
    row_moments = Moments(
        (Z, S1, S2), mean, variance, transitive(d, line.name), mean, mean, T2 - 2 * mu * T1 + (mu**2 - s) * T0
    )
    square = d.summed("a square", le(0, e * (x - mu) ** 2), over=j)
    square = row_moments.chain(d, "which is the variance", square, s * Z)
    spread = d.smt("a variance is not negative", ge(s, 0), square)
    within = d.summed("x lies between the ends", le(0, e * (line.hi - x) * (x - line.lo)), inside, over=j, by="smt")
    ends = row_moments.chain(d, "in terms of the mean", within, Z * ((line.hi - mu) * (mu - line.lo) - s))
    return row_moments._replace(spread=spread, ends=ends)


def curvature(d: Derivation, line: Line, t: sp.Symbol, inside: Fact, low: Fact, high: Fact) -> Fact:
    """E ε((X − μ)² − s) ≤ 2s ≤ ½ range²: as a statement about the second derivative's numerator, with mean μ, variance s."""
    mu, s = sp.symbols("mu s", real=True)
    e = line.weight(t)
    x = line.x
    m = moments(d, line, t, inside, mu, s)
    Z, S1, S2 = m.sums
    w, a, sign_factor, v = sp.symbols("w_0 a_0 e_0 v_0", real=True)
    lemma = d.suppose(
        f"w, a, v ≥ 0 and |ε| ≤ 1{line.name}", ge(w, 0), ge(a, 0), ge(v, 0), le(sign_factor, 1), ge(sign_factor, -1)
    )
    lemma = d.derive("a signed difference is at most the sum", le(w * sign_factor * (a - v), w * (a + v)), *lemma)
    term = d.instantiate(
        "at a token", lemma, {w: e, a: (x - mu) ** 2, v: s, sign_factor: line.eps}, low, high, m.spread
    )
    twice = m.chain(d, "which is twice the variance", d.sum("over the row", term, j), 2 * s * Z)
    width = (line.hi - line.lo) ** 2
    quarter = _quarter(d, line.name)
    ends = {sp.Symbol(name, real=True): value for name, value in (("h_0", line.hi), ("l_0", line.lo))}
    numbers = {sp.Symbol("m_0", real=True): mu, sp.Symbol("v_0", real=True): s, sp.Symbol("mass_0", positive=True): Z}
    quarter = d.instantiate("of the row", quarter, {**ends, **numbers}, m.ends)
    curvature_bound = d.smt("together", le(m.signed / Z, width / 2), twice, quarter)
    return d.instantiate("at the mean and the variance", curvature_bound, {mu: S1 / Z, s: S2 / Z - S1**2 / Z**2})


def _quarter(d: Derivation, name: str) -> Fact:
    """4v ≤ (h − l)² where Z ((h − m)(m − l) − v) ≥ 0 and Z > 0."""
    h, low, m, v = sp.symbols("h_0 l_0 m_0 v_0", real=True)
    Z = sp.Symbol("mass_0", positive=True)
    facts = d.suppose(f"a mean between two ends{name}", ge(Z * ((h - m) * (m - low) - v), 0))
    divided = d.smt("the variance is at most the product of the distances", le(v, (h - m) * (m - low)), facts)
    square = d.derive("the mean against the middle", ge((h + low - 2 * m) ** 2, 0))
    return d.derive(
        "the variance is at most a quarter of the squared range", le(4 * v, (h - low) ** 2), divided, square
    )


def remainder(line: Line, t: sp.Symbol, at: sp.Expr) -> Any:
    """softmax(b + t x)_j at t = `at` minus its first-order expansion about t = 0."""
    slope = sp.diff(line.law(t), t).subs(t, 0)
    return line.law(at) - line.law(0) - at * slope


def row_remainder(
    d: Derivation,
    line: Line,
    name: str,
    t: sp.Symbol,
    at: sp.Expr,
    curved: Callable[[Line, Fact, Fact], Fact],
    factor: sp.Expr,
    premises: Sequence[Fact] = (),
) -> tuple[Any, Fact, Fact]:
    """Σ_j |remainder_j| ≤ `factor` · at² range², from `curved`: E ε((X − μ)² − s) ≤ 2 factor · range² for any signs.

    `premises` says that `at` is not negative.  Returns the remainder's name, its definition, and the bound.
    """
    a = sp.IndexedBase(name, real=True)
    places = sorted((line.b + line.x).free_symbols & {i, j}, key=str)
    meaning = d.define("the remainder", a[places], remainder(line, t, at))
    eps, high, low, product = d.sign("its sign", f"sign_of_{name}", a[places], *places)
    line = line._replace(eps=eps[places])
    bent = curved(line, low, high)
    g = line.signed(t)
    start = g.subs(t, 0)
    tilt = sp.diff(g, t).subs(t, 0)
    spread_ = (line.hi - line.lo) ** 2
    f = factor * spread_ * t**2 - (g - start - t * tilt)
    slope = sp.diff(f, t)
    beyond = d.derive("from t = 0 on", ge(t, 0))
    second = d.smt("the second derivative is not negative", ge(sp.diff(slope, t), 0), bent)
    first = d.increasing("so the first one is not negative", slope, t, 0, second, beyond)
    value = d.increasing("and the bound holds for all signs", f, t, 0, first, beyond)
    there = d.instantiate("at the temperature", value, {t: at}, *premises)
    absolute = d.derive("a number times its sign", eq(sp.Abs(a[places]), eps[places] * a[places]), product)
    signed = d.derive("in full", eq(eps[places] * a[places], eps[places] * remainder(line, t, at)), meaning)
    absolute = d.sum("over the row", absolute, j)
    signed = d.sum("over the row", signed, j)
    bound = le(total(sp.Abs(a[places]), j), factor * spread_ * at**2)
    return a, meaning, d.smt("the remainder of the row", bound, absolute, signed, there)


def mixed(
    d: Derivation, q: sp.IndexedBase, a: sp.IndexedBase, rows: Fact, error: sp.Expr, same: Fact, sign: int = 1
) -> Fact:
    """Σ_j |error_j| ≤ Σ_i q_i · (bound of row i), where `same` says that error_j = −Σ_i q_i a_ij."""
    up = d.derive("one term, from above", le(q[i] * a[i, j], q[i] * sp.Abs(a[i, j])))
    down = d.derive("one term, from below", le(-sign * q[i] * a[i, j], q[i] * sp.Abs(a[i, j])))
    up = d.sum("over the rows", up, i)
    down = d.sum("over the rows", down, i)
    bound = total(q[i] * sp.Abs(a[i, j]), i)
    columns = d.summed("triangle inequality", le(sp.Abs(error), bound), up, down, same, over=j, by="smt")
    row = d.smt("a row, weighted", le(q[i] * rows.relation.lhs, q[i] * rows.relation.rhs), rows)
    weighted = d.sum("over the rows, the sums exchanged", row, i)
    return d.smt("together", le(total(sp.Abs(error), j), weighted.relation.rhs), columns, weighted)


def triangle(d: Derivation) -> Fact:
    """|X| ≤ |Y| + R |Z| where X = Y − r Z and 0 ≤ r ≤ R."""
    X, Y, Z, r, R = sp.symbols("X_0 Y_0 Z_0 r_0 R_0", real=True)
    facts = d.suppose("X = Y − r Z", eq(X, Y - r * Z), ge(r, 0), le(r, R))
    return d.smt("triangle inequality", le(sp.Abs(X), sp.Abs(Y) + R * sp.Abs(Z)), *facts)
