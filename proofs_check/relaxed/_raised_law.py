"""The law H in which one token a is raised from m to h, the others in proportion; its χ² divergence from p."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.ears._truth_values import flags, truth, zeros
from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x
from simspec.claims.balls import ball
from simspec.claims.relaxed.parts import lifted, scale
from simspec.laws import Array

__all__ = ["LIFTED", "ROOT", "Lifted", "bind", "chi2", "lifted_law"]

ROOT = "s is the root of 2δm(1 − m)"
MARK = "a is one token, of mass m"
SHRINKS = "c is (1 − h)/(1 − m), and 1 where m is 1"
LIFTED = "H has mass h on a, and c p elsewhere"


class Lifted(NamedTuple):
    """p, a, its mass m, δ, the root s, h and c, the law H, and what they mean; f is 1 where m is 0, z where p is."""

    p: Any
    b: Any
    m: Any
    delta: Any
    H: Any
    z: Any
    f: Any
    h: Any
    c: Any
    mass_p: Fact
    marks: list[Fact]
    is_z: list[Fact]
    is_f: list[Fact]
    numbers: list[Fact]
    """What s, h and c are, and that m is at most 1."""
    law: Fact
    names: Any


def lifted_law(d: Derivation, sign: int = 1) -> Lifted:
    """All of it."""
    p, mass_p = d.law("p")
    b = d.weights("b")
    m = d.number("m", 0)
    delta = d.number("delta", 0)
    s = d.number("s", 0)
    marks = d.domain(MARK, eq(b[x] * (1 - b[x]), 0), eq(total(b[x], x), 1), eq(b[x] * p[x], b[x] * m))
    root = d.domain(ROOT, eq(s**2, 2 * delta * m * (1 - m)))
    h = sp.Symbol("h", real=True)
    c = d.number("c", 0, 1)
    means = d.define("the raised mass", h, sp.Min(1, m + sign * s))
    shrinks = d.domain(SHRINKS, eq(c * (1 - m), 1 - h))
    at_a = d.summed("the mass of a", eq(b[x] * p[x], b[x] * m), marks[2])
    unraised_mass = d.smt("a part of p", ge(p[x] - b[x] * p[x], 0), marks[0])
    unraised_mass = d.sum("over the vocabulary", unraised_mass, x)
    m_at_most_one = d.smt("is at most 1", le(m, 1), at_a, unraised_mass, marks[1], mass_p)
    z, is_z = zeros(d, "z", p)
    f, is_f = truth(d, "f", m)
    H = sp.IndexedBase("H", real=True)
    law = d.domain(LIFTED, eq(H[x], b[x] * h + (1 - b[x]) * c * p[x]))
    return Lifted(
        p=p,
        b=b,
        m=m,
        delta=delta,
        H=H,
        z=z,
        f=f,
        h=h,
        c=c,
        mass_p=mass_p,
        marks=marks,
        is_z=is_z,
        is_f=is_f,
        numbers=[root, means, shrinks, m_at_most_one],
        law=law,
        names=at_a,
    )


def chi2(d: Derivation, it: Lifted, constant: sp.Expr | int = 1) -> tuple[Fact, Fact, Any, Any]:
    """Σ (H − p)²/p = T; T is twice the least of δ and Q, 0 where m is 0; the left side of the first; Q = (1 − m)/(2m)."""
    p = it.p
    b = it.b
    m = it.m
    H = it.H
    z = it.z
    f = it.f
    h = it.h
    c = it.c
    _root, _means, _, _m_bound = it.numbers
    T = sp.Symbol("T", real=True)
    G = sp.Symbol("G", real=True)
    quotient = d.define("what a brings", G, (h - m) ** 2 / (m + f), it.is_f[2])
    value = d.define("in all", T, (c - 1) ** 2 * (1 - m) + G)
    away = d.case("not a", le(b[x], 0))
    split_change = b[x] * G + (1 - b[x]) * (c - 1) ** 2 * p[x]
    goal = eq((H[x] - p[x]) ** 2 / (p[x] + z[x]), split_change)
    off = d.smt("b is 0", eq(b[x], 0), away, d.derive("sizes", ge(b[x], 0)))
    there = d.smt("there H is c p", eq(H[x], c * p[x]), it.law, off)
    square = d.smt("whose square", eq((H[x] - p[x]) ** 2, (c - 1) ** 2 * p[x] * (p[x] + z[x])), there, it.is_z[0])
    first = d.smt("so it adds", goal, square, off, it.is_z[2])
    here = d.case("a", gt(b[x], 0))
    on = d.smt("b is 1", eq(b[x], 1), here, it.marks[0])
    at = d.smt("there H is h, p is m", eq(H[x], h), it.law, on)
    mass = d.smt("p is m", eq(p[x], m), it.marks[2], on)
    z_is_f = d.smt("z is f", eq(z[x], f), mass, *it.is_z, *it.is_f)
    product = d.smt("G is a quotient", eq(G * (m + f), (h - m) ** 2), quotient, it.is_f[2])
    premises = [at, mass, z_is_f, product, on, it.is_z[2], it.is_f[2]]
    second = d.smt("so it adds", goal, *premises)
    per_token = d.cases("whether it is a", second, first)
    sums = d.sum("over the vocabulary", per_token, x)
    chi2_sum = total((H[x] - p[x]) ** 2 / (p[x] + z[x]), x)
    chi2_total = d.derive("in all", eq(chi2_sum, T), sums, it.marks[1], it.names, it.mass_p, value)
    Q = sp.Symbol("Q", real=True)
    limit_definition = d.define("what can be added at most", Q, (1 - m) / (2 * constant * (m + f)), it.is_f[2])
    times = d.smt("a quotient", eq(2 * constant * Q * (m + f), 1 - m), limit_definition, it.is_f[2])
    return chi2_total, _size(d, it, (G, T, Q), (quotient, value, times)), chi2_sum, Q


def _size(d: Derivation, it: Lifted, names: Any, facts: Any) -> Fact:
    """T is twice the least of δ and (1 − m)/(2m), and 0 where m is."""
    m = it.m
    f = it.f
    h = it.h
    c = it.c
    delta = it.delta
    G, T, Q = names
    quotient, value, times = facts
    root, means, shrinks, m_at_most_one = it.numbers
    s = sp.Symbol("s", nonnegative=True)
    goal = eq(T, 2 * (1 - f) * sp.Min(delta, Q))
    product = d.smt("G is a quotient", eq(G * (m + f), (h - m) ** 2), quotient, it.is_f[2])
    empty = d.case("m is 0", le(m, 0))
    zero = d.smt("so is h", eq(h, 0), root, means, empty, m_at_most_one)
    flag = d.smt("f is 1", eq(f, 1), it.is_f[2], it.is_f[1], empty)
    premises = [zero, flag, product, value, shrinks, empty]
    first = d.smt("nothing", goal, *premises)
    some = d.case("m is positive", gt(m, 0))
    flag = d.smt("f is 0", eq(f, 0), it.is_f[0], some)
    capped = d.case("h is 1", ge(s, 1 - m))
    full = d.smt("indeed", eq(h, 1), capped, means)
    loss = d.smt("nothing is left to others", eq(c * (1 - m), 0), full, shrinks)
    spare = d.smt("square", eq((c - 1) ** 2 * (1 - m), 1 - m), loss)
    ratio = d.smt("T m is 1 − m", eq(T * m, 1 - m), spare, product, flag, full, value)
    above = d.smt("δ is no less", ge((1 - m) * (2 * delta * m - 1 + m), 0), root, capped, m_at_most_one)
    open_ = d.case("m is below 1", gt(1 - m, 0))
    above_ = d.smt("δ is at least (1 − m)/(2m)", ge(2 * delta * m, 1 - m), above, open_)
    two = d.smt("the quotient", goal, ratio, above_, flag, some, times)
    shut = d.case("m is 1", le(1 - m, 0))
    premises = [ratio, flag, some, shut, m_at_most_one, times]
    last = d.smt("nothing more", goal, *premises)
    second = d.cases("whether m is 1", two, last)
    free = d.case("h is below 1", le(s, 1 - m))
    plain = d.smt("indeed", eq(h, m + s), free, means)
    square = d.smt("both squares", eq((c - 1) ** 2 * (1 - m) ** 2, s**2), plain, shrinks)
    product = d.smt("at a", eq(G * m, s**2), product, flag, plain)
    open_ = d.case("m is less than 1", gt(1 - m, 0))
    others_change = d.smt("of the others", eq((c - 1) ** 2 * (1 - m), 2 * delta * m), square, root, open_)
    lifted_change = d.smt("of a", eq(G, 2 * delta * (1 - m)), product, root, some)
    under = d.smt("and δ is less", le(2 * delta * m, 1 - m), root, free, open_)
    premises = [others_change, lifted_change, value, under, flag, some, times]
    third = d.smt("δ", goal, *premises)
    shut = d.case("m is one", le(1 - m, 0))
    still = d.smt("no root", eq(s, 0), root, shut, m_at_most_one)
    premises = [product, still, value, flag, some, shut, m_at_most_one, times]
    fourth = d.smt("nothing", goal, *premises)
    third = d.cases("whether m is one", third, fourth)
    return d.cases("whether m is 0", d.cases("whether h is 1", second, third), first)


def bind(p: Array, token: int, delta: Any) -> dict[str, Any]:
    """What the names stand for."""
    m = p[token]
    hot = np.array([int(y == token) for y in range(len(p))], dtype=object)
    return {
        **{"p": p, "b": hot, "m": m, "delta": delta, "s": ball(2 * delta * m * (1 - m)).sqrt()},
        **{"c": scale(p, delta)[token] if m < 1 else ball(1), "H": lifted(p, token, delta)},
        **{"z": flags(p == 0), "f": int(m == 0), "V": len(p)},
    }
