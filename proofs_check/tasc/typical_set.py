"""tasc.typical-set: the smallest set of mass 1 − δ has e^H outcomes, up to the deviation of the surprisal."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from fractions import Fraction as F
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, x
from proofs_check.tasc._markov_source import c, e, n, source, states
from proofs_check.tasc._surprisal_deviation import deviation
from proofs_check.tasc._text_surprisal import marks, text_moments
from proofs_check.tasc._typical_counts import ENOUGH, above, below, named, outcomes
from simspec.claims.balls import ball, log
from simspec.claims.tasc.parts import shannon
from simspec.claims.tasc.typical_set import (
    ERGODIC_SOURCES,
    MARKOV,
    STATIONARY,
    TYPICAL_SET,
    TYPICAL_SET_SHARP,
    _Constants,
    levels,
    smallest_set,
    text_law,
)
from simspec.laws import Array


def prove_sharp(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every law, also with outcomes of mass zero, and every δ between 0 and 1; that taking outcomes in order of
    probability gives the smallest set is shown on the way.

    Below: attained by every law of two probabilities whose likelier outcomes have mass 1 − δ, for every V and δ. Above:
    attained by uniform laws with δ below 1/N; and no smaller multiple of √V will do, as laws of two probabilities show
    whose rarer outcomes have a mass a little over δ, with ever more of them.
    """
    o = outcomes(d)
    up = d.number("up", 0)
    down = d.number("down", 0)
    wide = d.domain("up is √(V (1 − δ)/δ)", eq(up**2 * o.delta, o.variance * (1 - o.delta)))
    deep = d.domain("down is √(V δ/(1 − δ))", eq(down**2 * (1 - o.delta), o.variance * o.delta))
    d.qed(above(d, o, up, wide, sign), below(d, o, down, deep, constant))


def bind(p: Array, missed: Fraction) -> dict[str, Any]:
    """Values, and the two roots."""
    symbols = named(p, missed)
    H = shannon(p)
    away = [(m, log + H) for m, log in zip(p, symbols["l"], strict=True) if m]
    variance = sum((ball(m) * a * a for m, a in away), ball(0))  # a power of a ball around 0 has no value
    roots = {"up": (1 - missed) / missed, "down": missed / (1 - missed)}
    return {**symbols, **{name: (variance * ball(r)).nonnegative_part().sqrt() for name, r in roots.items()}}


def prove_markov(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """All Markov sources on any states, every n and δ. That φ exists is what one recurrent class means here (the equation
    is regular). Moments of a text's surprisal are taken token by token.

    Attained by uniform sources; σ√n is the deviation's exact growth, as the ends add a bounded amount.
    """
    N = sp.Symbol("N", integer=True, nonnegative=True)
    s = source(d)
    ends, begin, sigma, rho = (d.number(name, 0) for name in ("ends", "begin", "sigma", "rho"))
    size = [
        d.assume(
            STATIONARY, eq(states(s.chain.start[c] * s.chain.phi[c] ** 2, c), ends**2)
        ),  # so that σ_φ² is the variance of φ
        d.domain(
            "σ₁² is that of the first token's surprisal",
            eq(states(s.chain.start[c] * (s.chain.first[c] - s.chain.entry) ** 2, c), begin**2),
        ),
        d.domain(
            "σ² is the mean square of a step",
            eq(states(s.chain.start[c] * s.chain.M[c, e] * s.D[c, e] ** 2, c, e), sigma**2),
        ),
        d.domain("ρ is √((σ₁ + σ_φ)² + N σ²)", eq(rho**2, (begin + sign * ends) ** 2 + N * sigma**2)),
    ]
    varies = deviation(d, s=s, ends=ends, begin=begin, sigma=sigma, rho=rho, N=N, size=size)
    o = outcomes(d)
    first_moment, two = text_moments(d, s, o, N)
    mean = d.instantiate("of all tokens", s.moments.means, {n: N})
    mean = d.derive("entropy of a text", eq(o.H, s.chain.entry + N * s.chain.rate), o.entropy, first_moment, mean)
    away = d.derive(
        "the square of a distance",
        eq(o.p[x] * o.away[x] ** 2, o.p[x] * o.log[x] ** 2 + 2 * o.H * o.p[x] * o.log[x] + o.H**2 * o.p[x]),
        o.distance,
    )
    away = d.sum("over texts", away, x)
    away = d.smt(
        "variance of a text's surprisal",
        le(o.variance, (ends + rho) ** 2),
        *(away, o.spread, o.entropy, o.mass, two, mean, varies),
    )
    up = d.number("up", 0)
    down = d.number("down", 0)
    wide = d.domain("up is √((1 − δ)/δ)", eq(up**2 * o.delta, 1 - o.delta))
    deep = d.domain("down is √(δ/(1 − δ))", eq(down**2 * (1 - o.delta), o.delta))
    s_n = ends + rho
    wide = d.derive("wide enough", ge((s_n * up) ** 2 * o.delta, o.variance * (1 - o.delta)), wide, away, o.share)
    deep = d.derive("deep enough", ge((s_n * down) ** 2 * (1 - o.delta), o.variance * o.delta), deep, away, o.share)
    high = above(d, o, s_n * up, wide)
    low = below(d, o, s_n * down, deep, constant)
    level = s.chain.entry + N * s.chain.rate
    d.qed(
        d.derive("per token", le(sp.log(o.size) / (N + 1), (level + s_n * up) / (N + 1)), high, mean),
        d.derive(
            "per token",
            le(-sp.log(o.size) / (N + 1), (s_n * down - sp.log(1 - o.delta) - level) / (N + 1)),
            *(low, mean),
        ),
    )


BOUNDS = "the bounds for texts of n tokens (see tasc.typical-set)"


def prove_limit(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every n and δ, from the bounds of tasc.typical-set: with their constants before the root of n.

    The order of n is that of the deviation; the constants are not the least.
    """
    N = sp.Symbol("N", integer=True, nonnegative=True)
    ends, begin, sigma, rho, up, down = (d.number(n, 0) for n in ("ends", "begin", "sigma", "rho", "up", "down"))
    entry, rate, log_size, loss = (sp.Symbol(n, real=True) for n in ("entry", "rate", "log_size", "loss"))
    n_root = d.number("n_root", positive=True)
    spread = 2 * ends + sign * begin + sigma
    of_rho = d.domain("ρ is √((σ₁ + σ_φ)² + N σ²)", eq(rho**2, (begin + ends) ** 2 + N * sigma**2))
    high, low, cost = d.domain(
        BOUNDS,
        le(log_size, entry + N * rate + (ends + rho) * up),
        le(-log_size, (ends + rho) * down + loss - entry - N * rate),
        ge(loss, 0),
    )
    square = d.domain("n_root is √n", eq(n_root**2, N + 1))
    root_at_least_one = d.smt("a root of one at least", ge(n_root, 1), square, d.derive("a number", ge(N, 0)))
    within = le(rho**2, ((begin + ends + sigma) * n_root) ** 2)
    within = d.smt("ρ² in the root", within, of_rho, square, root_at_least_one)
    within = d.smt("ρ grows no faster", le(rho, (begin + ends + sigma) * n_root), within, root_at_least_one)
    within = d.smt("nor does s_n", le(ends + rho, spread * n_root), within, root_at_least_one)
    start = constant * sp.Abs(entry - rate)
    conclusions = []
    for size, fact, root, end, extra in ((log_size, high, up, rate, 0), (-log_size, low, down, -rate, loss)):
        root_fits = d.smt("room for the root", ge(spread * n_root * root, (ends + rho) * root), within)
        goal = le(size, end * n_root**2 + (start + spread * root + extra) * n_root)
        times = d.smt("in all", goal, fact, cost, root_fits, square, root_at_least_one)
        inverse = d.derive("over n", eq(n_root / (N + 1), 1 / n_root), square, root_at_least_one)
        per = le(size / (N + 1), end + (start + spread * root + extra) / n_root)
        conclusions.append(d.derive("per token", per, times, square, root_at_least_one, inverse))
    d.qed(*conclusions)


def prove_ergodic(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """The bounds at each n, for every source and every law of texts. That H(Tⁿ)/n falls to h and that the surprisal
    concentrates, so that they close on h, is the theorem of Shannon, McMillan and Breiman and not proved here.
    """
    size = sp.Symbol("n_tokens", integer=True, positive=True)
    o = outcomes(d)
    up = d.number("up", 0)
    down = d.number("down", 0)
    wide = d.domain("up is √(V (1 − δ)/δ)", eq(up**2 * o.delta, o.variance * (1 - o.delta)))
    deep = d.domain("down is √(V δ/(1 − δ))", eq(down**2 * (1 - o.delta), o.variance * o.delta))
    high = above(d, o, up, wide, sign)
    low = below(d, o, down, deep, constant)
    d.qed(
        d.derive("per token", le(high.relation.lhs / size, high.relation.rhs / size), high),
        d.derive("per token", le(low.relation.lhs / size, low.relation.rhs / size), low),
    )


def bind_ergodic(M: Array, start: Array, letters: Sequence[int], n: int, missed: Fraction) -> dict[str, Any]:
    """The law of texts."""
    return {**bind(text_law(M, start, letters, n), missed), "n_tokens": n}


def bind_limit(M: Array, start: Array, n: int, missed: Fraction) -> dict[str, Any]:
    """The constants of the source, the logarithm of the smallest set's size, and the root of n."""
    constants = _Constants(M, start)
    size = smallest_set(levels(start, M, n), missed)
    roots = {"up": ball((1 - missed) / missed), "down": ball(missed / (1 - missed)), "n_root": ball(n)}
    roots["rho"] = (constants.begin + constants.ends) ** 2 + constants.step**2 * ball(n - 1)
    return {
        **{
            "ends": constants.ends,
            "begin": constants.begin,
            "sigma": constants.step,
            "entry": constants.first,
            "rate": constants.rate,
        },
        **{name: square.nonnegative_part().sqrt() for name, square in roots.items()},
        **{"N": n - 1, "log_size": log(F(size)), "loss": log(F(1) / (1 - missed))},
    }


def bind_markov(M: Array, start: Array, n: int, missed: Fraction) -> dict[str, Any]:
    """Every text of positive probability, and the constants of the source."""
    texts: list[tuple[tuple[int, ...], Any]] = [((s,), w) for s, w in enumerate(start) if w]
    for _ in range(n - 1):
        texts = [((*t, s), w * m) for t, w in texts for s, m in enumerate(M[t[-1]]) if m]
        if len(texts) > 2**12:
            raise OverflowError(f"n: {n}; expected texts few enough to be listed")
    constants = _Constants(M, start)
    root = (constants.begin + constants.ends) ** 2 + constants.step**2 * ball(n - 1)
    roots = {"up": ball((1 - missed) / missed), "down": ball(missed / (1 - missed)), "rho": root}
    return {
        **named(np.array([w for _, w in texts], dtype=object), missed),
        **{"M": M, "start": start, "S": len(start), "N": n - 1, "f": constants.surprisal, "phi": constants.phi},
        **{"first": [-ball(w).log() if w else 0 for w in start]},
        **marks([t for t, _ in texts], start, constants.surprisal),
        **{"ends": constants.ends, "begin": constants.begin, "sigma": constants.step},
        **{name: square.nonnegative_part().sqrt() for name, square in roots.items()},
        "ranges": {**{name: range(1, len(start) + 1) for name in "ceg"}, "n": range(n)},
    }


PROOFS = (
    Proof(TYPICAL_SET_SHARP, prove_sharp, drop=ENOUGH, bind=bind),
    Proof(TYPICAL_SET, prove_markov, drop="rows of M sum to one", bind=bind_markov),
    Proof(MARKOV, prove_limit, drop=BOUNDS, change={"constant": 0}, bind=bind_limit),
    Proof(ERGODIC_SOURCES, prove_ergodic, drop=ENOUGH, bind=bind_ergodic, whole=False),
)
