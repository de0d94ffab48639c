"""What relaxed claims share: pairs and rules, Cactus on certified roots, divergences, laws whose mode is another."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, exact, law
from simspec.claims.balls import ball, enclose, log
from simspec.claims.claim import call
from simspec.laws import Scalar

__all__ = [
    "FAR",
    "HALF",
    "at_cap",
    "cactus_law",
    "certified",
    "divergence",
    "fsd_score",
    "highest",
    "kept",
    "left",
    "lifted",
    "lower_bound_scaled",
    "pair",
    "rank",
    "refused",
    "scale",
    "shares",
    "with_delta",
    "xlogx",
]

HALF = law("1/2", "1/2")
FAR = law(1, 0)


def pair(draw: Draw) -> Instance:
    """A target and a draft law."""
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def with_delta(draw: Draw) -> Instance:
    """A pair of laws, and a δ from 0 to 2."""
    return {**pair(draw), "delta": draw.number(0, 2)}


def shares(draw: Draw, vocab: int) -> Array:
    """A number from 0 to 1 for each token."""
    return np.array([draw.number(0, 1) for _ in range(vocab)], dtype=object)


def at_cap(p: Array, delta: Scalar) -> Array:
    """Whether h = 1: √(2δp(1 − p)) ≥ 1 − p.

    >>> at_cap(law("1/2", "1/2", 0), F(1, 2)).tolist()
    [True, True, False]
    """
    return 2 * delta * p >= 1 - p


def certified(p: Array, delta: Scalar) -> Array:
    """h = min(1, p + √(2δp(1 − p))), the roots enclosed; where h = 1 that is decided on the fractions."""
    cap = at_cap(p, delta)
    root = np.sqrt(enclose(np.where(cap, 0, 2 * delta * p * (1 - p))))
    return np.where(cap, enclose(0 * p + 1), enclose(p) + root)


def lifted(p: Array, token: int, delta: Scalar) -> Array:
    """H_x: mass h(x) on x, in proportion to p elsewhere; p where p(x) = 1.

    >>> [float(v) for v in lifted(HALF, 0, F(1, 8))]
    [0.75, 0.25]
    """
    if p[token] == 1:
        return enclose(p)
    h = certified(p, delta)[token]
    rest = ball(0) if at_cap(p, delta)[token] else (1 - h) / ball(1 - p[token])
    return np.array([h if y == token else rest * ball(m) for y, m in enumerate(p)], dtype=object)


def _within(p: Array, q: Array, delta: Scalar) -> Array:
    """Whether q ≤ h, decided on the fractions."""
    return (q <= p) | ((q - p) * (q - p) <= 2 * delta * p * (1 - p)) | at_cap(p, delta)


def kept(p: Array, q: Array, delta: Scalar) -> Array:
    """min(q, h), enclosed."""
    return np.where(_within(p, q, delta), enclose(q), certified(p, delta))


def refused(p: Array, q: Array, delta: Scalar) -> Array:
    """Which tokens can be refused: q > h."""
    return np.flatnonzero(~_within(p, q, delta))


def scale(p: Array, delta: Scalar) -> Array:
    """c = (1 − h)/(1 − p), by which the other tokens shrink when one is raised; 1 where p is 1."""
    h = certified(p, delta)
    cap = at_cap(p, delta)
    parts = [ball(m == 1) if full else (1 - a) / ball(1 - m) for m, a, full in zip(p, h, cap, strict=True)]
    return np.array(parts, dtype=object)


def left(p: Array, q: Array, delta: Scalar, token: int) -> Array:
    """(c p − q)₊ of the token's c, its signs decided on the fractions; exactly zero where it is zero."""
    if p[token] == 1:
        return enclose(np.maximum(p - q, 0))
    complement = 1 - p[token]
    lack = p * complement - q * complement
    above = (lack > 0) & (lack * lack > 2 * delta * p[token] * complement * p * p) & ~at_cap(p, delta)[token]
    return np.where(above, scale(p, delta)[token] * enclose(p) - enclose(q), enclose(0 * p))


def cactus_law(p: Array, q: Array, delta: Scalar) -> Array:
    """Output law of Cactus, enclosed; what is zero is exactly zero.

    >>> [float(v) for v in cactus_law(HALF, FAR, F(1, 8))]
    [0.75, 0.25]
    """
    h = certified(p, delta)
    out = kept(p, q, delta)
    for token in refused(p, q, delta):
        rest = left(p, q, delta, token)
        out = out + (ball(q[token]) - h[token]) / rest.sum() * rest
    return out


def divergence(a: Array, p: Array) -> Any:
    """KL(a‖p) in nats, of fractions or balls; a is zero where p is.

    >>> float(divergence(FAR, HALF))
    0.6931471805599453
    """
    terms = [ball(v) * (log(ball(v)) - log(ball(w))) for v, w in zip(a, p, strict=True) if v != 0]
    return sum(terms, ball(0))


def xlogx(v: Scalar, w: Scalar) -> Any:
    """v log(v/w) of fractions, 0 where v is 0.

    >>> float(xlogx(F(1), F(1, 2)))
    0.6931471805599453
    """
    return ball(v) * log(ball(v / w)) if v else ball(0)


def fsd_score(p: Array, q: Array) -> Any:
    """Jensen–Shannon divergence of two exact laws, enclosed.

    >>> float(fsd_score(law(1, 0), law(0, 1)))
    0.6931471805599453
    """
    middle = (p + q) / 2
    return sum((xlogx(v, m) + xlogx(w, m) for v, w, m in zip(p, q, middle, strict=True)), ball(0)) / 2


def rank(p: Array) -> tuple[int, int]:
    """The first most likely token, and the first of the others that is most likely."""
    first, second = sorted(range(len(p)), key=lambda x: (-p[x], x))[:2]
    return first, second


def highest(draw: Draw) -> Instance:
    """A target law, another token than its first, and a law that is nowhere zero and has at least as much on it."""
    vocab = 2 + draw.integer(0, 2)
    p = draw.law(vocab)
    q = draw.law(vocab)
    if not (q > 0).all():
        q = (q + exact([F(1, vocab)] * vocab)) / 2
    first, _ = rank(p)
    b = [x for x in range(vocab) if x != first][draw.integer(0, vocab - 2)]
    if q[b] < q[first]:
        q[[b, first]] = q[[first, b]]
    return {"p": p, "q": q, "b": b}


def lower_bound_scaled(claim: Any, share: Any) -> dict[str, Any]:
    """A claim with the first of its right sides, which bounds from below, times a share, and a little more."""

    def rhs(**instance: Any) -> Array:
        sides = call(claim.rhs, instance)
        return np.array([share * sides[0] + enclose(F(1, 1000)), *sides[1:]], dtype=object)

    return {"rhs": rhs}
