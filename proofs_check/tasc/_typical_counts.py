"""How many outcomes hold most of the mass: Cantelli's inequality above; Jensen's, with Cauchy and Schwarz, below."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, le, lt, total, x, y
from proofs_check.tasc._exponential_tangent import tangent
from simspec.claims.balls import log

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
    H, variance = sp.Symbol("H", real=True), sp.Symbol("variance", real=True)
    delta, least = d.number("delta", positive=True), d.number("least")
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
    one = d.domain("one outcome is the last", eq(total(last[x], x), 1))
    order = d.domain(
        "outcomes are taken in order of probability (least: log-mass of the last)",
        ge(rest[x] * (p[x] - sp.exp(least)), 0),
        eq(last[x] * p[x], last[x] * sp.exp(least)),
        ge((1 - rest[x] - last[x]) * (sp.exp(least) - p[x]), 0),
    )
    short = d.domain("without the last one they hold less than 1 − δ", lt(total(rest[x] * p[x], x), 1 - delta))
    enough = d.domain(ENOUGH, ge(total((rest[x] + last[x]) * p[x], x), 1 - delta))
    taken = rest[x] + last[x]
    _no_fewer(d, (p[x], taken, least, delta), marks, order, one, short)
    names = (p, log_mass, away, H, variance, delta, rest, last, least, total(taken, x))
    of_law = (mass, share, logs, entropy, distance, spread, zero)
    return Outcomes(*names, *of_law, marks, order, one, short, enough, tangent(d))


def _no_fewer(
    d: Derivation, names: tuple[Any, Any, Any, Any], marks: list[Fact], order: list[Fact], one: Fact, short: Fact
) -> None:
    """No set with a mass of 1 − δ has fewer outcomes; `names`: p, whether an outcome is taken, log p of the last, δ."""
    p, taken, least, delta = names
    other = sp.IndexedBase("other", real=True)[x]
    mark, holds = d.domain("another set that holds as much", eq(other**2, other), ge(total(other * p, x), 1 - delta))
    instead = other - taken
    swap = le(instead * p, instead * sp.exp(least))
    swap = d.derive("what another set has instead is less likely", swap, *(*marks, *order, mark))
    swap = d.sum("over outcomes", swap, x)
    final = d.sum("the last one", order[1], x)
    text = "so no set that holds 1 − δ has fewer outcomes (they are whole numbers)"
    d.derive(text, gt(total(other, x), total(taken, x) - 1), *(swap, final, one, short, holds))


def above(d: Derivation, o: Outcomes, bound: Any, radius: Fact, sign: int = 1) -> Fact:
    """log |A| ≤ H + c, for c ≥ 0 with c² δ ≥ (1 − δ)·variance (`radius`)."""
    p, w, taken = o.p[x], 1 - o.delta, o.rest[x]
    curve, a, b = o.curve
    u, v = sp.Symbol("u", real=True), sp.IndexedBase("shift", real=True)
    excess = -o.least - o.H  # of the last one's surprisal over the entropy
    shift = d.define("Cantelli's shift of the last one", u, w * excess + o.delta * bound)
    shifts = d.define("and of every outcome", v[x], -sign * w * o.away[x] + o.delta * bound)
    far = d.case("the last one's surprisal is farther than c", gt(excess, bound))
    near = d.instantiate("tangent at the last one", curve, {a: o.log[x], b: o.least})
    later = d.derive(
        "what is not taken early has at least the last one's surprisal",
        le((1 - taken) * p * (o.log[x] - o.least), 0),
        *(near, o.logs, *o.marks, *o.order),
    )
    beyond = d.derive(
        "so its shift is larger", ge((1 - taken) * p * (v[x] - u), 0), later, shift, shifts, o.distance, o.share
    )
    positive = d.derive("the last one's shift exceeds c", gt(u, bound), shift, far, o.share)
    each = d.derive("and the squares compare", le((1 - taken) * p * u**2, p * v[x] ** 2), beyond, positive, o.marks[0])
    each = d.sum("over outcomes", each, x)
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
    tail = d.derive("the tail's square", le((1 - total(taken * p, x)) * u**2, o.delta * bound**2), each, within, o.mass)
    never = d.derive("but its mass is more than δ", le(excess, bound), tail, positive, o.short)
    close = d.case("the last one's surprisal is no farther", le(excess, bound))
    close = d.derive("nothing is left to show", le(excess, bound), close)
    close = d.cases("Cantelli's inequality", never, close)
    each = d.derive(
        "whatever is taken is as likely as the last one",
        le((taken + o.last[x]) * sp.exp(o.least), p),
        *(*o.marks, *o.order),
    )
    fits = d.sum("over outcomes", each, x)
    some = d.summed("an outcome is taken or not", ge(taken, 0), o.marks[0], then="over outcomes")
    count = d.instantiate("tangent at zero", curve, {a: sp.log(o.size) + o.least, b: 0}, some, o.one)
    return d.derive("so there are few of them", le(sp.log(o.size), o.H + bound), count, fits, o.mass, close)


def below(d: Derivation, o: Outcomes, bound: Any, radius: Fact, constant: Any = 1) -> Fact:
    """log |A| ≥ H − c + log(1 − δ), for c ≥ 0 with c² (1 − δ) ≥ δ·variance (`radius`)."""
    p, w, taken = o.p[x], constant * (1 - o.delta), o.rest[x] + o.last[x]
    curve, a, b = o.curve
    held, lacking, scale = (sp.Symbol(name, real=True) for name in ("held", "lacking", "scale"))
    t = sp.IndexedBase("t", real=True)
    mass = d.define("the set's mass", held, total(taken * p, x))
    less = d.define("what surprisal lacks on it", lacking, total(taken * p * o.away[x], x))
    part = d.define("a mark less that mass", t[x], taken - held)
    m = o.away
    pair = d.derive("a square", ge(p * o.p[y] * (m[x] * t[y] - m[y] * t[x]) ** 2, 0))
    pair = d.sum("Lagrange's identity, over pairs of outcomes", pair, x, y)
    own = d.smt(
        "a mark is its own square", eq(p * t[x] ** 2, taken * p - 2 * held * taken * p + held**2 * p), *(part, *o.marks)
    )
    own = d.sum("over outcomes", own, x)
    cross = d.derive("beside the surprisal", eq(p * m[x] * t[x], taken * p * m[x] - held * p * m[x]), part)
    cross = d.sum("over outcomes", cross, x)
    schwarz = d.smt(
        "Cauchy and Schwarz",
        le(lacking**2, o.variance * held * (1 - held)),
        *(pair, own, cross, less, mass, o.zero, o.spread, o.mass),
    )
    most = d.derive("a set's mass", le(taken * p, p), *o.marks)
    most = d.derive("is at most one", le(held, 1), d.sum("over outcomes", most, x), o.mass, mass)
    enough = d.derive("and 1 − δ at least", ge(held, 1 - o.delta), o.enough, mass)
    some = d.derive("a variance is not negative", ge(p * m[x] ** 2, 0))
    some = d.derive("so on average", ge(o.variance, 0), d.sum("over outcomes", some, x), o.spread)
    share = d.derive(
        "the mass missed is less than δ for 1 − δ held",
        le((1 - o.delta) * o.variance * held * (1 - held), o.delta * o.variance * held**2),
        *(enough, most, some, o.share),
    )
    lacks = d.derive(
        "so in squares",
        le((1 - o.delta) * lacking**2, (1 - o.delta) * (bound * held) ** 2),
        *(schwarz, share, radius, o.share),
    )
    lacks = d.derive("surprisal lacks little on the set", le(lacking, bound * held), lacks, enough, o.share)
    line = d.instantiate("tangent at one", curve, {a: 0, b: o.log[x] + o.H - bound})
    unit = d.define("the scale", scale, sp.exp(o.H - bound))
    positive = d.derive("an exponential is positive", gt(sp.exp(o.H - bound), 0))
    positive = d.derive("so the scale is positive", gt(scale, 0), unit, positive)
    line = d.derive(
        "tangent at one, to scale", ge(1, scale * sp.exp(o.log[x]) * (1 - o.log[x] - o.H + bound)), *(line, unit)
    )
    each = d.derive(
        "Jensen's inequality, outcome by outcome",
        ge(taken, taken * p * scale * (1 - o.away[x] + bound)),
        *(line, o.logs, o.distance, *o.marks, *o.order),
    )
    each = d.sum("over outcomes", each, x)
    many = d.derive(
        "so there are many of them", ge(o.size, w * scale), each, mass, less, lacks, positive, enough, o.share
    )
    some = d.derive("one at least", ge(o.rest[x], 0), o.marks[0])
    some = d.derive("one at least", gt(o.size, 0), d.sum("over outcomes", some, x), o.one)
    values = {a: sp.log(1 - o.delta) + o.H - bound, b: sp.log(o.size)}
    last = d.instantiate("tangent at their number", curve, values, some, o.share)
    many = d.derive("without the name of the scale", ge(o.size, w * sp.exp(o.H - bound)), many, unit)
    return d.derive("in logarithms", le(-sp.log(o.size), bound - sp.log(1 - o.delta) - o.H), last, many, some)


def named(p: Any, missed: Any) -> dict[str, Any]:
    """Values of the symbols: outcomes are taken in order of probability."""
    order = sorted(range(len(p)), key=lambda at: -p[at])
    number = next(k for k in range(1, len(p) + 1) if sum(p[at] for at in order[:k]) >= 1 - missed)
    rest, last = (
        [int(at in chosen) for at in range(len(p))] for chosen in (order[: number - 1], order[number - 1 : number])
    )
    logs = [log(mass) if mass else 0 for mass in p]
    values = {"p": p, "l": logs, "rest": rest, "last": last, "other": [1] * len(p), "least": logs[order[number - 1]]}
    return {**values, "delta": missed, "V": len(p)}
