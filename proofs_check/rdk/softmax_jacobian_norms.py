"""rdk.softmax-jacobian-norms: what J makes of a direction, by the sizes of its entries and as a mean absolute deviation."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, i, j, le, total
from simspec.claims.rdk.softmax_jacobian_norms import SOFTMAX_JACOBIAN_NORMS


def prove(d: Derivation, sign: int = 1, constant: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """Every vocabulary, law and direction.

    All three constants are the least: p = (½, ½) with δ = (1, 0) for the first two, with δ = (1, −1) for the third; the
    first holds with equality at δ = e_j for every law.
    """
    p, mass = d.law("p")
    delta = sp.IndexedBase("delta", real=True)
    s = sp.Symbol("s", real=True)
    a = sp.Symbol("a", real=True)
    largest = d.domain("s is the largest |δ_j|", le(sp.Abs(delta[j]), s))
    mean = d.define("the mean of δ", a, total(p[j] * delta[j], j))
    terms = d.derive("a mass is not negative", ge(p[i], 0))
    at_most_one = d.derive("a mass is at most one", le(p[j], 1), d.term("one mass is at most all", terms, i, j), mass)

    size = sp.Abs(delta[i])
    over = d.derive("from above", ge(p[i] * size - p[i] * delta[i], 0))
    under = d.derive("from below", ge(p[i] * size + p[i] * delta[i], 0))
    over = d.term("of one entry", over, i, j)
    under = d.term("of one entry", under, i, j)
    sizes = total(p[i] * size, i)
    rest = le(sp.Abs(a - p[j] * delta[j]), sizes - p[j] * sp.Abs(delta[j]))
    rest = d.derive("the mean without one entry", rest, over, under, mean)
    entry = p[j] * sp.Abs(delta[j] - a)
    goal = le(entry, p[j] * ((1 - p[j]) * sp.Abs(delta[j]) + sign * (sizes - p[j] * sp.Abs(delta[j]))))
    entry_ = d.summed("an entry of J δ, by the diagonal and the rest", goal, rest, at_most_one, over=j)
    norm = total(sp.Abs(p[j] * (delta[j] - total(p[i] * delta[i], i))), j)
    named = d.summed("by its name", eq(sp.Abs(p[j] * (delta[j] - total(p[i] * delta[i], i))), entry), mean, over=j)
    columns = total(2 * p[j] * (1 - p[j]) * sp.Abs(delta[j]), j)
    column_bound = d.derive("by the columns", le(norm, columns), named, entry_, mass)

    square = le(2 * p[j] * (1 - p[j]) * sp.Abs(delta[j]), half * sp.Abs(delta[j]))
    two = d.summed("½ − 2 p (1 − p) is 2 (p − ½)²", square, over=j)

    low = d.derive("s is not negative", ge(s, 0), largest)
    chord = le(2 * s * entry, p[j] * ((s - delta[j]) * (s + a) + (s + delta[j]) * (s - a)))
    up = d.summed("from above", le(p[j] * delta[j], p[j] * s), largest, over=j)
    down = d.summed("from below", ge(p[j] * delta[j], -p[j] * s), largest, over=j)
    within = d.derive("the mean is no larger", le(sp.Abs(a), s), up, down, mean, mass)
    chord = d.summed("a convex function is below its chord", chord, largest, within, over=j)
    plain = d.summed("and an entry is at most", le(entry, 2 * s * p[j]), largest, within, over=j)
    three = d.derive(
        "divided by s; and if s = 0, J δ is 0", le(norm, constant * s), *(named, chord, plain, mean, mass, low)
    )
    d.qed(column_bound, two, three)


PROOF = Proof(
    SOFTMAX_JACOBIAN_NORMS,
    prove,
    drop="s is the largest |δ_j|",
    change={"constant": sp.S.Half},
    bind=lambda p, delta: {"p": p, "delta": delta, "s": abs(delta).max(), "V": len(p)},
)
