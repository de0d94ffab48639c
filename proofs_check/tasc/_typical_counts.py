"""How many outcomes hold most of the mass: Cantelli's inequality above; Jensen's, with Cauchy and Schwarz, below."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, le, lt, total, x, y
from proofs_check.tasc._exponential_tangent import tangent
from simspec.claims.balls import log
from simspec.laws import Array

__all__ = ["ENOUGH", "Outcomes", "above", "below", "named", "outcomes"]

ENOUGH = "the set holds 1 − δ"


class Outcomes(NamedTuple):
    """A law p, its entropy H and surprisal; outcomes taken in order of probability until 1 − δ is held."""

    p: Any
    log: Any
    """log p where p > 0."""
    away: Any
    """log p + H."""
    H: Any
    variance: Any
    delta: Any
    rest: Any
    last: Any
    """1 for the last outcome taken, and for those before it."""
    least: Any
    """log p of the last."""
    size: Any
    mass: Fact
    share: Fact
    """δ < 1."""
    logs: Fact
    entropy: Fact
    distance: Fact
    spread: Fact
    """What log, H, away and variance mean."""
    zero: Fact
    """Σ p away = 0."""
    marks: list[Fact]
    order: list[Fact]
    one: Fact
    short: Fact
    """Without the last they hold less than 1 − δ."""
    enough: Fact
    curve: tuple[Fact, Any, Any]
    """The tangent of exp, and the symbols of its two places."""


def outcomes(d: Derivation) -> Outcomes:
    """Outcomes are taken in order of probability until their mass is 1 − δ; no smaller set has that mass."""
    p, mass = d.law("p")
    log_mass, away, rest, last = (sp.IndexedBase(name, real=True) for name in ("l", "away", "rest", "last"))
    H = sp.Symbol("H", real=True)
    variance = sp.Symbol("variance", real=True)
    delta = d.number("delta", positive=True)
    last_log_mass = d.number("least")
    share = d.domain("something is not missed", lt(delta, 1))
    logs = d.domain("l is the logarithm of a positive mass", eq(p[x] * sp.exp(log_mass[x]), p[x] ** 2))
    entropy = d.define("entropy", H, -total(p[x] * log_mass[x], x))
    distance = d.define("what an outcome's surprisal lacks of it", away[x], log_mass[x] + H)
    spread = d.define("variance of the surprisal", variance, total(p[x] * away[x] ** 2, x))
    zero = d.derive("weighted with its mass", eq(p[x] * away[x], p[x] * log_mass[x] + p[x] * H), distance)
    zero = d.sum("over outcomes", zero, x)
    zero = d.derive("nothing on average", eq(total(p[x] * away[x], x), 0), zero, entropy, mass)
    marks = d.domain(
        "an outcome is taken before the last (rest), last, or not at all",
        eq(rest[x] ** 2, rest[x]),
        eq(last[x] ** 2, last[x]),
        eq(rest[x] * last[x], 0),
    )
    single_last = d.domain("one outcome is the last", eq(total(last[x], x), 1))
    order = d.domain(
        "outcomes are taken in order of probability (least: log-mass of the last)",
        ge(rest[x] * (p[x] - sp.exp(last_log_mass)), 0),
        eq(last[x] * p[x], last[x] * sp.exp(last_log_mass)),
        ge((1 - rest[x] - last[x]) * (sp.exp(last_log_mass) - p[x]), 0),
    )
    short = d.domain("without the last one they hold less than 1 − δ", lt(total(rest[x] * p[x], x), 1 - delta))
    enough = d.domain(ENOUGH, ge(total((rest[x] + last[x]) * p[x], x), 1 - delta))
    selected = rest[x] + last[x]
    _no_fewer(d, (p[x], selected, last_log_mass, delta), marks, order, single_last, short)
    return Outcomes(
        p=p,
        log=log_mass,
        away=away,
        H=H,
        variance=variance,
        delta=delta,
        rest=rest,
        last=last,
        least=last_log_mass,
        size=total(selected, x),
        mass=mass,
        share=share,
        logs=logs,
        entropy=entropy,
        distance=distance,
        spread=spread,
        zero=zero,
        marks=marks,
        order=order,
        one=single_last,
        short=short,
        enough=enough,
        curve=tangent(d),
    )


def _no_fewer(
    d: Derivation,
    names: tuple[Any, Any, Any, Any],
    marks: list[Fact],
    order: list[Fact],
    single_last: Fact,
    short: Fact,
) -> None:
    """No set with a mass of 1 − δ has fewer outcomes; `names`: p, whether an outcome is taken, log p of the last, δ."""
    p, selected, last_log_mass, delta = names
    rival_mark = sp.IndexedBase("other", real=True)[x]
    mark, holds = d.domain(
        "another set that holds as much", eq(rival_mark**2, rival_mark), ge(total(rival_mark * p, x), 1 - delta)
    )
    instead = rival_mark - selected
    swap = le(instead * p, instead * sp.exp(last_log_mass))
    swap = d.derive("what another set has instead is less likely", swap, *(*marks, *order, mark))
    swap = d.sum("over outcomes", swap, x)
    final = d.sum("the last one", order[1], x)
    text = "so no set that holds 1 − δ has fewer outcomes (they are whole numbers)"
    d.derive(text, gt(total(rival_mark, x), total(selected, x) - 1), *(swap, final, single_last, short, holds))


def above(d: Derivation, o: Outcomes, bound: sp.Symbol, radius: Fact, sign: int = 1) -> Fact:
    """log |A| ≤ H + c, for c ≥ 0 with c² δ ≥ (1 − δ)·variance (`radius`)."""
    p = o.p[x]
    w = 1 - o.delta
    early_mark = o.rest[x]
    curve, a, b = o.curve
    u = sp.Symbol("u", real=True)
    v = sp.IndexedBase("shift", real=True)
    excess = -o.least - o.H  # of the last one's surprisal over the entropy
    shift = d.define("Cantelli's shift of the last one", u, w * excess + o.delta * bound)
    shifts = d.define("and of every outcome", v[x], -sign * w * o.away[x] + o.delta * bound)
    far = d.case("the last one's surprisal is farther than c", gt(excess, bound))
    near = d.instantiate("tangent at the last one", curve, {a: o.log[x], b: o.least})
    later = d.derive(
        "what is not taken early has at least the last one's surprisal",
        le((1 - early_mark) * p * (o.log[x] - o.least), 0),
        *(near, o.logs, *o.marks, *o.order),
    )
    beyond = d.derive(
        "so its shift is larger", ge((1 - early_mark) * p * (v[x] - u), 0), later, shift, shifts, o.distance, o.share
    )
    positive = d.derive("the last one's shift exceeds c", gt(u, bound), shift, far, o.share)
    per_outcome = d.derive(
        "and the squares compare", le((1 - early_mark) * p * u**2, p * v[x] ** 2), beyond, positive, o.marks[0]
    )
    per_outcome = d.sum("over outcomes", per_outcome, x)
    mean = d.derive(
        "the square of a shift",
        eq(
            p * v[x] ** 2,
            w**2 * p * o.away[x] ** 2 - 2 * w * o.delta * bound * p * o.away[x] + o.delta**2 * bound**2 * p,
        ),
        shifts,
    )
    mean = d.sum("over outcomes", mean, x)
    mean = d.smt(
        "on average",
        eq(total(p * v[x] ** 2, x), w**2 * o.variance + o.delta**2 * bound**2),
        *(mean, o.zero, o.spread, o.mass),
    )
    within = d.derive("by the choice of c", le(total(p * v[x] ** 2, x), o.delta * bound**2), mean, radius, o.share)
    tail = d.derive(
        "the tail's square", le((1 - total(early_mark * p, x)) * u**2, o.delta * bound**2), per_outcome, within, o.mass
    )
    never = d.derive("but its mass is more than δ", le(excess, bound), tail, positive, o.short)
    close = d.case("the last one's surprisal is no farther", le(excess, bound))
    close = d.derive("nothing is left to show", le(excess, bound), close)
    close = d.cases("Cantelli's inequality", never, close)
    per_outcome = d.derive(
        "whatever is taken is as likely as the last one",
        le((early_mark + o.last[x]) * sp.exp(o.least), p),
        *(*o.marks, *o.order),
    )
    fits = d.sum("over outcomes", per_outcome, x)
    some = d.summed("an outcome is taken or not", ge(early_mark, 0), o.marks[0], then="over outcomes")
    count = d.instantiate("tangent at zero", curve, {a: sp.log(o.size) + o.least, b: 0}, some, o.one)
    return d.derive("so there are few of them", le(sp.log(o.size), o.H + bound), count, fits, o.mass, close)


def below(d: Derivation, o: Outcomes, bound: Any, radius: Fact, constant: sp.Expr | int = 1) -> Fact:
    """log |A| ≥ H − c + log(1 − δ), for c ≥ 0 with c² (1 − δ) ≥ δ·variance (`radius`)."""
    p = o.p[x]
    w = constant * (1 - o.delta)
    selected = o.rest[x] + o.last[x]
    curve, a, b = o.curve
    set_mass, lacking, scale = (sp.Symbol(name, real=True) for name in ("held", "lacking", "scale"))
    t = sp.IndexedBase("t", real=True)
    mass = d.define("the set's mass", set_mass, total(selected * p, x))
    lack_meaning = d.define("what surprisal lacks on it", lacking, total(selected * p * o.away[x], x))
    centred_mark = d.define("a mark less that mass", t[x], selected - set_mass)
    m = o.away
    pair = d.derive("a square", ge(p * o.p[y] * (m[x] * t[y] - m[y] * t[x]) ** 2, 0))
    pair = d.sum("Lagrange's identity, over pairs of outcomes", pair, x, y)
    mark_square = d.smt(
        "a mark is its own square",
        eq(p * t[x] ** 2, selected * p - 2 * set_mass * selected * p + set_mass**2 * p),
        *(centred_mark, *o.marks),
    )
    mark_square = d.sum("over outcomes", mark_square, x)
    cross = d.derive(
        "beside the surprisal", eq(p * m[x] * t[x], selected * p * m[x] - set_mass * p * m[x]), centred_mark
    )
    cross = d.sum("over outcomes", cross, x)
    schwarz = d.smt(
        "Cauchy and Schwarz",
        le(lacking**2, o.variance * set_mass * (1 - set_mass)),
        *(pair, mark_square, cross, lack_meaning, mass, o.zero, o.spread, o.mass),
    )
    set_at_most_one = d.derive("a set's mass", le(selected * p, p), *o.marks)
    set_at_most_one = d.derive(
        "is at most one", le(set_mass, 1), d.sum("over outcomes", set_at_most_one, x), o.mass, mass
    )
    enough = d.derive("and 1 − δ at least", ge(set_mass, 1 - o.delta), o.enough, mass)
    some = d.derive("a variance is not negative", ge(p * m[x] ** 2, 0))
    some = d.derive("so on average", ge(o.variance, 0), d.sum("over outcomes", some, x), o.spread)
    share = d.derive(
        "the mass missed is less than δ for 1 − δ held",
        le((1 - o.delta) * o.variance * set_mass * (1 - set_mass), o.delta * o.variance * set_mass**2),
        *(enough, set_at_most_one, some, o.share),
    )
    lacks = d.derive(
        "so in squares",
        le((1 - o.delta) * lacking**2, (1 - o.delta) * (bound * set_mass) ** 2),
        *(schwarz, share, radius, o.share),
    )
    lacks = d.derive("surprisal lacks little on the set", le(lacking, bound * set_mass), lacks, enough, o.share)
    line = d.instantiate("tangent at one", curve, {a: 0, b: o.log[x] + o.H - bound})
    unit = d.define("the scale", scale, sp.exp(o.H - bound))
    positive = d.derive("an exponential is positive", gt(sp.exp(o.H - bound), 0))
    positive = d.derive("so the scale is positive", gt(scale, 0), unit, positive)
    line = d.derive(
        "tangent at one, to scale", ge(1, scale * sp.exp(o.log[x]) * (1 - o.log[x] - o.H + bound)), *(line, unit)
    )
    per_outcome = d.derive(
        "Jensen's inequality, outcome by outcome",
        ge(selected, selected * p * scale * (1 - o.away[x] + bound)),
        *(line, o.logs, o.distance, *o.marks, *o.order),
    )
    per_outcome = d.sum("over outcomes", per_outcome, x)
    premises = [per_outcome, mass, lack_meaning, lacks, positive, enough, o.share]
    size_bound = d.derive(
        "so there are many of them",
        ge(o.size, w * scale),
        *premises,
    )
    some = d.derive("one at least", ge(o.rest[x], 0), o.marks[0])
    some = d.derive("one at least", gt(o.size, 0), d.sum("over outcomes", some, x), o.one)
    values = {a: sp.log(1 - o.delta) + o.H - bound, b: sp.log(o.size)}
    last = d.instantiate("tangent at their number", curve, values, some, o.share)
    size_bound = d.derive("without the name of the scale", ge(o.size, w * sp.exp(o.H - bound)), size_bound, unit)
    return d.derive("in logarithms", le(-sp.log(o.size), bound - sp.log(1 - o.delta) - o.H), last, size_bound, some)


def named(p: Array, missed: Fraction) -> dict[str, Any]:
    """Values of the symbols: outcomes are taken in order of probability."""
    order = sorted(range(len(p)), key=lambda at: -p[at])
    number = next(k for k in range(1, len(p) + 1) if sum(p[at] for at in order[:k]) >= 1 - missed)
    rest, last = (
        [int(at in indices) for at in range(len(p))] for indices in (order[: number - 1], order[number - 1 : number])
    )
    logs = [log(mass) if mass else 0 for mass in p]
    values = {"p": p, "l": logs, "rest": rest, "last": last, "other": [1] * len(p), "least": logs[order[number - 1]]}
    return {**values, "delta": missed, "V": len(p)}
