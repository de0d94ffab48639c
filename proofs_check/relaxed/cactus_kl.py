"""relaxed.cactus-kl: the divergence is at most the logarithm of 1 + χ², of one raised token and of all together."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.ears._truth_values import flags, zeros
from proofs_check.folk._one_step import by_size as pairs
from proofs_check.language import Derivation, Fact, Proof, Refutation, V, eq, ge, gt, le, total, x
from proofs_check.relaxed._cactus import AGAIN, bind, cactus
from proofs_check.relaxed._divergences import SOME, below_log, divergence_parts
from proofs_check.relaxed._raised_law import LIFTED, chi2, lifted_law
from proofs_check.relaxed._raised_law import bind as bind_token
from proofs_check.relaxed.cactus_chi2 import by_size as tokens
from simspec.claims.balls import ball
from simspec.claims.claim import Instance
from simspec.claims.relaxed.cactus_kl import (
    OUTPUT,
    OUTPUT_CORRECTED,
    OUTPUT_SHARP,
    STEP,
    STEP_ATTAINED,
    STEP_CORRECTED,
    surest,
)
from simspec.claims.relaxed.parts import cactus_law
from simspec.laws import Array

LIKELY = "a has the mass 1/(1 + 2δ)"
SIZE = "t is the root of 2δ(V − 1)"


def prove_step(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law, token and δ.

    Attained for every δ: relaxed.cactus-kl.step-corrected.attained.
    """
    it = lifted_law(d, sign)
    p = it.p
    H = it.H
    z = it.z
    m = it.m
    h = it.h
    _c = it.c
    root, means, shrinks, m_at_most_one = it.numbers
    chi2_total, size, _chi2_sum, _ = chi2(d, it)
    S = 1 + 2 * it.delta / constant
    g = sp.IndexedBase("e", real=True)
    over = d.define("H²/p", g[x], H[x] ** 2 / (p[x] + z[x]), it.is_z[2])
    square = d.smt("a quotient", eq(g[x] * (p[x] + z[x]), H[x] ** 2), over, it.is_z[2])
    low = d.smt("a root is not negative", ge(h, m), means, m_at_most_one)
    never = d.smt("a token of mass 0 is not raised", eq(it.f * h, 0), root, means, m_at_most_one, *it.is_f)
    at = d.smt("z is f at a", eq(it.b[x] * z[x], it.b[x] * it.f), it.marks[2], *it.is_z, *it.is_f)
    off = d.smt("H is 0 where p is", eq(z[x] * H[x], 0), it.law, never, at, it.is_z[0])
    u = sp.IndexedBase("u", real=True)
    apart = d.define("(H − p)²/p", u[x], (H[x] - p[x]) ** 2 / (p[x] + z[x]), it.is_z[2])
    apart_ = d.smt("a quotient", eq(u[x] * (p[x] + z[x]), (H[x] - p[x]) ** 2), apart, it.is_z[2])
    square_expanded = eq((g[x] - u[x] - 2 * H[x] + p[x]) * (p[x] + z[x]), 0)
    square_expanded = d.smt("the square of a sum", square_expanded, square, apart_, off, it.is_z[0])
    square_expanded = d.smt("over p", eq(g[x], u[x] + 2 * H[x] - p[x]), square_expanded, it.is_z[2])
    sums = d.sum("over the vocabulary", square_expanded, x)
    difference_sum = d.sum("over the vocabulary", apart, x)
    law = d.sum("over the vocabulary", it.law, x)
    mass = d.smt("H is a law", eq(total(H[x], x), 1), law, shrinks, it.marks[1], it.names, it.mass_p)
    two = d.smt("χ² is at most 2δ", le(total(u[x], x), 2 * it.delta), difference_sum, chi2_total, size, *it.is_f)
    total_ = d.smt("so", le(total(g[x], x), S), sums, two, mass, it.mass_p)
    some = d.smt("H is not negative", ge(H[x], 0), it.law, low, *it.marks)
    delta = d.derive("S is positive", gt(S, 0))
    facts = {"square": square, "sum": total_, "mass": mass, "size": delta, "some": some}
    d.qed(below_log(d, H, p, S, g, facts, it.is_z)[0])


def bind_step(p: Array, token: int, delta: Any) -> dict[str, Any]:
    values = bind_token(p, token, delta)
    return {**SOME, **values, "n_H": flags(v == 0 for v in values["H"])}


def prove_attained(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every δ, every law of the other tokens."""
    it = lifted_law(d, sign)
    p = it.p
    b = it.b
    H = it.H
    z = it.z
    m = it.m
    h = it.h
    c = it.c
    root, means, shrinks, m_at_most_one = it.numbers
    (flag, alone, at) = it.marks
    s = sp.Symbol("s", nonnegative=True)
    likely = d.domain(LIKELY, eq(m, 1 / (1 + 2 * it.delta)))
    product = d.derive("that is", eq(m * (1 + 2 * it.delta), 1), likely, by="algebra")
    some = d.smt("it has mass", gt(m, 0), product)
    square = d.smt("the root is 1 − m", eq((s - 1 + m) * (s + 1 - m), 0), root, product)
    full = d.smt("so h is 1", eq(h, 1), means, square, m_at_most_one)
    rest = d.smt("the others shrink to nothing", eq(c * (1 - m), 0), shrinks, full)
    other_mass = d.smt("one of the others", ge((1 - b[x]) * p[x], 0), flag)
    remaining_bound = d.term("is at most all of them", other_mass, x)
    lifted_mass = d.derive("the mass of a", eq(b[x] * p[x], b[x] * m), at)
    names = d.sum("over the vocabulary", lifted_mass, x)
    remaining_bound = d.smt("which have 1 − m", le((1 - b[x]) * p[x], 1 - m), remaining_bound, names, alone, it.mass_p)
    none = d.smt("so nothing is left to it", eq((1 - b[x]) * c * p[x], 0), remaining_bound, other_mass, rest)
    law = d.smt("H is a for sure", eq(H[x], b[x]), it.law, none, full)
    divergence_term, parts, n = divergence_parts(d, H, p, z, it.is_z)
    log_h, log_p, adds, *is_n = parts
    goal = eq(divergence_term[x], -sign * b[x] * sp.log(m))
    away = d.case("not a", le(b[x], 0))
    zero = d.smt("b is 0", eq(b[x], 0), away, d.derive("sizes", ge(b[x], 0)))
    zero_h = d.derive("so is H", eq(H[x], 0), law, zero)
    first = d.derive("it adds nothing", goal, adds, zero_h, zero, some)
    here = d.case("a", gt(b[x], 0))
    on = d.smt("b is 1", eq(b[x], 1), here, flag)
    sure = d.derive("H is 1", eq(H[x], 1), law, on)
    bit = d.smt("no zero", eq(n[x], 0), sure, is_n[0])
    mass = d.smt("p is m", eq(p[x], m), at, on)
    bit_p = d.smt("no zero", eq(z[x], 0), mass, some, it.is_z[0])
    log_h = d.derive("log 1 is 0", eq(sp.IndexedBase("L_H", real=True)[x], 0), log_h, sure, bit)
    log_p = d.derive("log p is log m", eq(sp.IndexedBase("M_H", real=True)[x], sp.log(m)), log_p, mass, bit_p, some)
    premises = [adds, log_h, log_p, sure, on, some]
    second = d.derive("it adds its logarithm", goal, *premises)
    divergence_sum = d.sum("over the vocabulary", d.cases("whether it is a", second, first), x)
    value = d.derive("log m", eq(sp.log(m), -constant * sp.log(1 + 2 * it.delta)), likely, some)
    d.qed(d.derive("in all", eq(total(divergence_term[x], x), sp.log(1 + 2 * it.delta)), divergence_sum, alone, value))


def bind_attained(rest: Array, delta: Any) -> dict[str, Any]:
    return bind_step(surest(rest, delta), 0, delta)


def prove_output(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and every δ.

    At most log(1 + 2δ(V − 1)) + log 3/2; of the right order: relaxed.cactus-kl.output-sharp has log(δ(V − 1)).
    """
    it = cactus(d, sign)
    r = it.r
    p = it.r.p
    _q = it.r.q
    o = it.o
    s = it.r.s
    _h = it.r.h
    z, is_z = zeros(d, "z", p)
    t = d.number("t", 0)
    size = d.domain(SIZE, eq(t**2, 2 * r.delta * (V - 1)))
    S = 1 + t + t**2 / constant
    g = sp.IndexedBase("e", real=True)
    over = d.define("o²/p", g[x], o[x] ** 2 / (p[x] + z[x]), is_z[2])
    square = d.smt("a quotient", eq(g[x] * (p[x] + z[x]), o[x] ** 2), over, is_z[2])
    some = d.smt("o is not negative", ge(o[x], 0), it.law, it.some, r.more)
    sum_bound = d.smt("nowhere above p + s", le(o[x], p[x] + s[x]), it.law, it.again, r.means, r.more)
    none = d.smt("no root where p is 0", eq(z[x] * s[x], 0), r.root, is_z[0], is_z[1])
    none = d.smt("so o is 0 there", eq(z[x] * o[x], 0), sum_bound, some, none, *is_z)
    product = d.smt("o² is at most o (p + s)", le(o[x] ** 2, o[x] * p[x] + o[x] * s[x]), sum_bound, some)
    root_product = d.smt("and o s at most p s + s²", le(o[x] * s[x], p[x] * s[x] + s[x] ** 2), sum_bound)
    goal = le((g[x] - o[x] - s[x] - 2 * r.delta * (1 - p[x])) * (p[x] + z[x]), 0)
    square_quotient = d.smt(
        "so o²/p, times p", goal, *(square, product, root_product, r.root, r.one, is_z[0], none), is_z[2]
    )
    over_p = le(g[x] - o[x] - s[x] - 2 * r.delta * (1 - p[x]), 0)
    per_token = d.summed("and over p", over_p, square_quotient, is_z[2], by="smt")
    facts = {"square": square, "mass": it.mass, "some": some, "size": d.derive("S is positive", gt(S, 0))}
    facts["sum"] = d.smt("in all", le(total(g[x], x), S), per_token, it.mass, _roots(d, r, t, size), size, r.mass_p)
    d.qed(below_log(d, o, p, S, g, facts, is_z)[0])


def _roots(d: Derivation, r: Any, t: Any, size: Fact) -> Fact:
    """Σ s ≤ t, by the inequality of Cauchy and Schwarz."""
    p = r.p
    s = r.s
    U = sp.Symbol("U", real=True)
    all_ = d.define("the sum of the roots", U, total(s[x], x))
    line = d.summed("a square is not negative", ge(U**2 - 2 * V * U * s[x] + V**2 * s[x] ** 2, 0), by="smt")
    square = d.summed("nor another", ge(V**2 * p[x] ** 2 - 2 * V * p[x] + 1, 0), by="smt")
    root = d.sum("squares", r.root, x)
    line = d.smt("so", le(V * U**2, V**2 * total(s[x] ** 2, x)), line, all_)
    line = d.smt("over V", le(U**2, V * total(s[x] ** 2, x)), line)
    square = d.smt("Σ p² is at least 1/V", ge(V * total(p[x] ** 2, x), 1), square, r.mass_p)
    line = d.smt("U² ≤ t²", le(U**2, t**2), line, square, root, size, r.mass_p)
    return d.smt("the sum of the roots is at most t", le(total(s[x], x), t), line, all_)


def bind_output(p: Array, q: Array, delta: Any) -> dict[str, Any]:
    out = cactus_law(p, q, delta)
    extra_bindings = {"z": flags(p == 0), "t": ball(2 * delta * (len(p) - 1)).sqrt(), "n_o": flags(v == 0 for v in out)}
    return {**SOME, **bind(p, q, delta), **extra_bindings}


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of tokens and every δ that the family allows."""
    m = sp.Symbol("m", integer=True, positive=True)
    delta = d.number("delta", positive=True)
    s = d.number("s", 0)
    enough, second = d.domain(FAMILY, ge(m, 1), ge(delta * m**2, 2))
    a, h, k = sp.symbols("a h k", real=True)
    mass_definition = d.define("the target's mass of each", a, 1 / (delta * m**2))
    product = d.smt("that is", eq(a * delta * m**2, 1), mass_definition)
    root = d.domain("s is the root of 2δa(1 − a)", eq(s**2, 2 * delta * a * (1 - a)))
    raised = d.define("raised", h, sp.Min(1, a + sign * s))
    half = d.smt("at most a half", le(2 * a, 1), product, second)
    positive = d.smt("and positive", gt(a, 0), product)
    square = d.smt("s is at least 1/m", ge(s**2 * m**2, 1), root, product, half)
    large = d.smt("that is", ge(s * m, 1), square)
    inverse = sp.Symbol("i_m", real=True)
    inverse_definition = d.define("1/m", inverse, 1 / m)
    accepted_definition = d.define("kept", k, sp.Min(inverse, h))
    unit = d.smt("that is", eq(inverse * m, 1), inverse_definition)
    bound = d.smt("at most 1", le(inverse, 1), unit, enough)
    reach = d.smt("at most s", le(inverse, s), unit, large)
    all_ = d.smt("so every draft is kept", eq(sp.Min(inverse, h), inverse), raised, bound, reach, positive)
    all_ = d.smt("so k is 1/m", eq(k, inverse), accepted_definition, all_)
    some = d.smt("and positive", gt(k, 0), all_, unit)
    goal = eq(m * k * (sp.log(k) - sp.log(a)), sp.log(constant * delta * m))
    d.qed(d.derive("log of the quotient", goal, all_, inverse_definition, mass_definition, some, positive))


FAMILY = "the tokens are many enough"


def _output_sizes() -> Iterator[Instance]:
    return ({**i, "delta": delta} for i in pairs((1, 2), 2) for delta in (F(1, 4), F(1, 2), F(1), F(2)))


PROOFS = (
    Refutation(
        STEP,
        tokens,
        scope="the first law by vocabulary and denominator, of four δ the first: a likely token is raised to certainty",
        repaired={"log(1 + 2δ)": STEP_CORRECTED},
    ),
    Proof(STEP_CORRECTED, prove_step, drop=LIFTED, bind=bind_step),
    Proof(STEP_ATTAINED, prove_attained, drop=LIKELY, bind=bind_attained),
    Refutation(
        OUTPUT,
        _output_sizes,
        scope="the first pair by vocabulary and denominator, of four δ the first",
        repaired={"log(1 + s + s²)": OUTPUT_CORRECTED},
    ),
    Proof(OUTPUT_CORRECTED, prove_output, drop=AGAIN, bind=bind_output),
    Proof(
        OUTPUT_SHARP,
        prove_sharp,
        drop=FAMILY,
        bind=lambda m, delta: {
            "m": m,
            "delta": delta,
            "s": ball(2 * delta * (1 / (delta * m * m)) * (1 - 1 / (delta * m * m))).sqrt(),
        },
    ),
)
