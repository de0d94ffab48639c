"""relaxed.fsd-js: of two laws at total variation t the nearest in Jensen–Shannon divergence have two tokens."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME, logs
from proofs_check.ears._truth_values import flags, truth, zeros
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x
from simspec.claims.relaxed.fsd_js import FSD_JS, FSD_JS_ATTAINED, FSD_JS_SHARP, keeps
from simspec.laws import Array

KEEPS = "o is q where the divergence J is at most T, else p"


def _score(d: Derivation, sign: int = 1) -> tuple[Fact, Any, Any, list[Fact]]:
    """φ(t) ≤ T with t = TV(o, p): the fact, t, and f, which is 1 where t is 1."""
    lg = logs(d)
    p, mass_p = d.law("p")
    o, mass_o = d.law("o")
    T = d.number("T", 0)
    z, is_z = zeros(d, "z_p", p)
    w, is_w = zeros(d, "z_o", o)
    t = sp.Symbol("t", real=True)
    J = sp.Symbol("J", real=True)
    m = sp.IndexedBase("m", real=True)
    far = d.define("total variation", t, total(sp.Abs(o[x] - p[x]), x) / 2)
    middle = d.define("the middle of both, 1 where it is 0", m[x], (p[x] + o[x]) / 2 + z[x] * w[x])
    some = d.smt("positive", gt(m[x], 0), middle, *is_z, *is_w)
    divergence_term = sp.IndexedBase("D", real=True)
    terms = p[x] * (sp.log(p[x] + z[x]) - sp.log(m[x])) + o[x] * (sp.log(o[x] + w[x]) - sp.log(m[x]))
    adds = d.define("what a token adds to 2J", divergence_term[x], terms, is_z[2], is_w[2], some)
    score = d.define("the divergence", J, total(divergence_term[x], x) / 2)
    keeps_ = d.domain(KEEPS, le(J, T))
    shared = d.summed("shared", eq(sp.Abs(o[x] - p[x]), o[x] + p[x] - 2 * sp.Min(o[x], p[x])))
    size = d.summed("not negative", ge(sp.Min(o[x], p[x]), 0))
    low = d.summed("a distance is not negative", ge(sp.Abs(o[x] - p[x]), 0))
    t_at_most_one = d.smt("t is at most 1", le(t, 1), far, shared, size, mass_p, mass_o)
    zero = d.smt("and not negative", ge(t, 0), far, low)
    gap = sp.Symbol("gap", real=True)
    rest = d.define("1 − t", gap, 1 - t)
    gap_nonnegative = d.smt("not negative", ge(gap, 0), rest, t_at_most_one)
    f, is_f = _flag(d, gap, gap_nonnegative)
    up = 1 + t
    down = gap + f
    high = d.smt("positive", gt(up, 0), zero)
    masses = [mass_p, mass_o]
    distance_facts = [rest, far, shared]
    none = d.smt(
        "where t is 1 nothing is shared",
        le(f * total(sp.Min(o[x], p[x]), x), 0),
        *is_f,
        *distance_facts,
        *masses,
    )
    term = d.derive("masses are not negative", ge(sp.Min(o[x], p[x]), 0))
    term = d.term("one is at most all", term, x)
    none = d.smt(
        "of no token", eq(f * sp.Min(o[x], p[x]), 0), none, term, *is_f, d.derive("sizes", ge(sp.Min(o[x], p[x]), 0))
    )
    premises = (lg, some, adds, middle, is_z, is_w, is_f, none, high, rest, gap_nonnegative, zero)
    first = d.case("o is at least p", ge(o[x], p[x]))
    case_above = _token(d, (o, w, is_w), (p, z, is_z), (up, down, m, f, divergence_term), first, premises)
    second = d.case("o is at most p", le(o[x], p[x]))
    two_ = _token(d, (p, z, is_z), (o, w, is_w), (up, down, m, f, divergence_term), second, premises)
    per_token = d.sum("over the vocabulary", d.cases("which is more", case_above, two_), x)
    larger_masses = d.summed("the larger masses", eq(sp.Max(o[x], p[x]), o[x] + p[x] - sp.Min(o[x], p[x])))
    value = (up * sp.log(up) + gap * sp.log(down)) / 2
    token_facts = [per_token, larger_masses, shared, far, rest, score]
    below = d.smt("J from below", ge(J, value), *token_facts, *masses, high, is_f[2])
    return (
        d.smt("so φ(t) ≤ T", le(sign * value, T), below, keeps_, high, is_f[2]),
        t,
        gap,
        [rest, zero, gap_nonnegative, f, *is_f],
    )


def _flag(d: Derivation, gap: Any, gap_nonnegative: Fact) -> tuple[Any, list[Fact]]:
    return truth(d, "f", gap)


def _token(d: Derivation, larger: Any, smaller: Any, names: Any, order: Fact, premises: Any) -> Fact:
    """What a token adds where one of both laws is the larger there."""
    (a, z, is_z) = larger
    (b, w, is_w) = smaller
    up, down, m, f, divergence_term = names
    lg, some, adds, middle, _, _, is_f, none, high, rest, gap_nonnegative, zero = premises
    ordered_masses = sp.Max(*sorted((a[x], b[x]), key=str)), sp.Min(*sorted((a[x], b[x]), key=str))
    goal = ge(divergence_term[x], ordered_masses[0] * sp.log(up) + ordered_masses[1] * sp.log(down))
    facts: list[Fact] = []
    for base, nil, is_nil, factor, positive in ((a, z, is_z, up, high), (b, w, is_w, down, is_f[2])):
        mass = base[x] + nil[x]
        scaled = d.smt("positive", gt(m[x] * factor, 0), some, positive)
        line = d.instantiate("the tangent", lg.tangent, {lg.v: mass, lg.w: m[x] * factor}, is_nil[2], scaled)
        split = d.instantiate("log of the product", lg.product, {lg.v: m[x], lg.w: factor}, some, positive)
        goal_ = ge(base[x] * (sp.log(mass) - sp.log(m[x]) - sp.log(factor)), base[x] - m[x] * factor * (1 - nil[x]))
        facts.append(d.smt("of one law", goal_, line, split, *is_nil, some, positive))
    out = (
        d.smt("as large as that", eq(ordered_masses[0], a[x]), order),
        d.smt("as small", eq(ordered_masses[1], b[x]), order),
    )
    never = d.smt("where t is 1 it is 0", eq(f * (1 - w[x]), 0), none, out[1], *is_w, *is_f)
    goal_ = ge(a[x] + b[x] - m[x] * up * (1 - z[x]) - m[x] * down * (1 - w[x]), 0)
    gap_facts = [never, rest, gap_nonnegative, zero, some]
    spare = d.smt("nothing is lost", goal_, middle, order, *is_z, *is_w, *gap_facts)
    low = ge(divergence_term[x], a[x] * sp.log(up) + b[x] * sp.log(down))
    terms = [adds, spare]
    positive_facts = [is_z[2], is_w[2], some, high, is_f[2]]
    low = d.smt("both laws", low, *facts, *terms, *positive_facts)
    same = d.derive("named", eq(low.relation.rhs, goal.rhs), *_turned(d, out), high, is_f[2])
    return d.smt("together", goal, low, same, high, is_f[2])


def _turned(d: Derivation, facts: Any) -> list[Fact]:
    """The same equations from right to left."""
    return [d.smt("that is", eq(fact.relation.rhs, fact.relation.lhs), fact) for fact in facts]


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and every T.

    Attained for every t: relaxed.fsd-js-sharp.attained.
    """
    score_bound, *_ = _score(d, sign)
    if constant != 1:
        score_bound = d.smt("more", le(constant * score_bound.relation.lhs, score_bound.relation.rhs), score_bound)
    d.qed(score_bound)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and every T.

    No smaller constant than 2 holds: φ(t) is t²/2 but for terms of fourth order (relaxed.fsd-js-sharp).
    """
    score_bound, t, gap, (rest, zero, gap_nonnegative, f, *is_f) = _score(d, sign)
    half = sp.S.Half
    value = score_bound.relation.lhs
    square = t**2 * half
    full = d.case("t is 1", le(gap, 0))
    t_is_one = d.smt("t is 1", eq(t, 1), full, rest, gap_nonnegative)
    two = d.smt("f is 1", eq(f, 1), is_f[2], is_f[1], full)
    flat = d.smt("no gap", eq(gap, 0), full, gap_nonnegative)
    last = d.derive("φ(1) is log 2", eq(value, sign * sp.log(2)), flat, t_is_one, two, is_f[2])
    log = d.numeric("log 2 is above a half", ge(sp.log(2), half))
    first = d.smt("at 1", le(square, value), last, log, t_is_one, is_f[2])
    open_ = d.case("t is below 1", gt(gap, 0))
    none = d.smt("f is 0", eq(f, 0), is_f[0], open_)
    above = _above(d)
    low = _low(d)
    at = d.instantiate("at t", above[0], {above[1]: t}, zero)
    small = d.smt("1 − t is at most 1", le(gap, 1), rest, zero)
    down = d.instantiate("at 1 − t", low[0], {low[1]: gap}, open_, small)
    same = d.derive("1 − t", eq(sp.log(gap + f), sp.log(gap)), none, open_, is_f[2])
    premises = [at, down, same, rest, open_, zero, is_f[2]]
    second = d.smt("below 1", le(square, value), *premises)
    square_below = d.cases("whether t is 1", second, first)
    T = sp.Symbol("T", nonnegative=True)
    bound = d.smt("so t² is at most 2T", le(t**2, 2 * T / constant), square_below, score_bound, is_f[2])
    root = sp.Symbol("r", real=True)
    means = d.define("a root", root, sp.sqrt(2 * T))
    square = d.derive("squared", eq(root**2, 2 * T), means)
    sizes = d.derive("is not negative", ge(root, 0), means)
    d.qed(d.smt("and t at most the root", le(t, root), bound, square, sizes, zero))


def _above(d: Derivation) -> tuple[Fact, Any]:
    """(1 + v) log(1 + v) ≥ v + v²/2 − v³/6 for v ≥ 0."""
    v = d.number("c_4", 0)
    beyond = d.derive("from 0 on", ge(v, 0))
    bent = d.derive("the slope of the slope", ge(1 / (1 + v) - 1 + v, 0), by="smt")
    slope = d.increasing("the slope grows", sp.log(1 + v) - v + v**2 / 2, v, sp.S.Zero, bent, beyond)
    slope = d.derive("and is not negative", ge(sp.log(1 + v) - v + v**2 / 2, 0), slope)
    f = (1 + v) * sp.log(1 + v) - v - v**2 / 2 + v**3 / 6
    grown = d.increasing("so it grows", f, v, sp.S.Zero, slope, beyond)
    return d.derive("from 0", ge(f, 0), grown), v


def _low(d: Derivation) -> tuple[Fact, Any]:
    """a log a ≥ −(1 − a) + (1 − a)²/2 + (1 − a)³/6 for 0 < a ≤ 1."""
    a = d.number("c_1", high=1, positive=True)
    b = d.number("c_2", positive=True)
    e = d.number("c_3", high=1, positive=True)
    case_b_above = d.case("b is at least a", ge(b, a))
    slope = d.derive("the slope", ge(1 / b - 1 - (1 - b), 0), by="smt")
    grown = d.increasing("grows", sp.log(b) + (1 - b) + (1 - b) ** 2 / 2, b, a, slope, case_b_above)
    at_most_one = d.derive("a is at most 1", ge(1, a), by="smt")
    unit_positive = d.derive("1 is positive", gt(sp.Integer(1), 0))
    at = d.instantiate("at 1", grown, {b: sp.Integer(1)}, at_most_one, unit_positive)
    at = d.smt("so", ge(-sp.log(a) - (1 - a) - (1 - a) ** 2 / 2, 0), at)
    positive = d.derive("sizes", gt(e, 0))
    under = d.derive("sizes", le(e, 1), by="smt")
    slope = d.instantiate("of e", at, {a: e}, positive, under)
    k = -(e * sp.log(e) + (1 - e) - (1 - e) ** 2 / 2 - (1 - e) ** 3 / 6)
    beyond = d.case("e is at least a", ge(e, a))
    grown = d.increasing("grows too", k, e, a, slope, beyond)
    at = d.instantiate("at 1", grown, {e: sp.Integer(1)}, at_most_one, unit_positive)
    return d.smt("from 1 down", ge(a * sp.log(a) + (1 - a) - (1 - a) ** 2 / 2 - (1 - a) ** 3 / 6, 0), at), a


def bind(p: Array, q: Array, threshold: Any) -> dict[str, Any]:
    out = q if keeps(p, q, threshold) else p
    far = abs(out - p).sum() / 2
    return {
        **{**SOME, "p": p, "o": out, "T": threshold, "z_p": flags(p == 0), "z_o": flags(out == 0)},
        **{"f": int(far == 1), "c_1": 1, "c_2": 1, "c_3": 1, "c_4": 0, "V": len(p)},
    }


def prove_attained(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every t from 0 to 1."""
    t = d.number("t", 0, 1)
    half = sp.S.Half
    f, is_f = truth(d, "f", 1 - t)
    high = (1 + t) / 2
    low = (1 - t) / 2
    log_high = sp.log(high) - sp.log(half)
    log_low = sp.log(low + f / 2) - sp.log(half)
    score = 2 * (high * log_high + low * log_low) / 2
    value = half * ((1 + t) * sp.log(1 + t) + sign * (1 - t) * sp.log(constant * (1 - t + f)))
    lg = logs(d)
    positive = d.derive("a logarithm", gt(1 + t, 0))
    half_positive = d.derive("half", gt(half, 0))
    split_high = d.instantiate("log of a half", lg.product, {lg.v: 1 + t, lg.w: half}, positive, half_positive)
    split_low = d.instantiate("log of a half", lg.product, {lg.v: 1 - t + f, lg.w: half}, is_f[2], half_positive)
    near = d.smt("logarithms of quotients", eq(score, value), split_high, split_low, is_f[2], positive)
    far = d.derive("half of the distance", eq((sp.Abs(high - low) + sp.Abs(low - high)) / 2, t))
    d.qed(near, far)


PROOFS = (
    Proof(FSD_JS, prove, drop=KEEPS, bind=bind),
    Proof(FSD_JS_SHARP, prove_sharp, drop=KEEPS, bind=bind),
    Proof(
        FSD_JS_ATTAINED,
        prove_attained,
        drop="t is in its range",
        bind=lambda t: {**SOME, "t": t, "f": int(t == 1), "V": 2},
    ),
)
