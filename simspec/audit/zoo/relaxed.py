"""Rules of the zoo that are lossy by declaration: (p rows, q rows, drafts x, chance) -> (tokens emitted, drafts accepted)."""

from __future__ import annotations

from fractions import Fraction
from math import exp, isqrt, log, sqrt
from typing import Any

import numpy as np

from simspec.audit.zoo.member import residual
from simspec.audit.zoo.rules import Ending, Rows, tested
from simspec.methods.block import Prefix
from simspec.methods.verifier.chance import Chance

__all__ = ["cactus", "ears", "ensemble", "fly", "raised", "typical"]

HALF = Fraction(1, 2)


def ensemble(p: Rows, q: Rows, x: Prefix, chance: Chance, *, w: Fraction = HALF) -> Ending:
    """Keep with probability min(1, 1 - w + w p/q); the residual of speculative decoding."""
    return tested(
        lambda i, t: chance.keep((1 - w) * q[i][t] + w * p[i][t], q[i][t]),
        lambda i, t: chance.draw(residual(p[i], q[i])),
        p,
        x,
        chance,
    )


def ears(p: Rows, q: Rows, x: Prefix, chance: Chance, *, beta: Fraction = HALF) -> Ending:
    """Keep where u - beta (1 - max p) < p/q; the residual of speculative decoding."""
    return tested(
        lambda i, t: chance.keep(p[i][t] + beta * (1 - max(p[i])) * q[i][t], q[i][t]),
        lambda i, t: chance.draw(residual(p[i], q[i])),
        p,
        x,
        chance,
    )


def typical(p: Rows, q: Rows, x: Prefix, chance: Chance, *, eps: float = 0.09, alpha: float = 0.3) -> Ending:
    """Keep iff p(x) > min(eps, alpha exp(-entropy)), without a uniform; after a refusal the most likely token."""

    def keep(i: int, t: int) -> bool:
        entropy = -sum(float(mass) * log(mass + 1e-5) for mass in p[i])
        return bool(p[i][t] > min(eps, alpha * exp(-entropy)))

    return tested(keep, lambda i, t: int(np.argmax(p[i])), p, x, chance)


def fly(p: Rows, q: Rows, x: Prefix, chance: Chance, *, window: int = 1, theta: float = 0.5, k: int = 3) -> Ending:
    """A refusal is overruled where p is uncertain and the next `window` drafts pass their own tests.

    The entropy of the k largest masses of p must be at least theta, and p must be able to say the token.
    """
    passes = [chance.keep(p[i][t], q[i][t]) for i, t in enumerate(x)]

    def overruled(i: int, t: int) -> bool:
        uncertain = -sum(float(m) * log(m) for m in sorted(p[i])[-k:] if m > 0) >= theta
        return p[i][t] > 0 and uncertain and i + window < len(x) and all(passes[i + 1 : i + 1 + window])

    return tested(
        lambda i, t: passes[i] or overruled(i, t), lambda i, t: chance.draw(residual(p[i], q[i])), p, x, chance
    )


def raised(p: Any, t: int, delta: Fraction) -> list[Any]:
    """p with token t raised to min(1, p + sqrt(2 delta p (1 - p))), the others scaled down; exact where the root is.

    >>> print(*raised([Fraction(1, 2), Fraction(1, 2)], 0, Fraction(1, 8)))
    3/4 1/4
    """
    if p[t] == 1:
        return list(p)
    high = min(1, p[t] + _root(2 * delta * p[t] * (1 - p[t])))
    scale = (1 - high) / (1 - p[t])
    return [high if y == t else mass * scale for y, mass in enumerate(p)]


def _root(x: Any) -> Any:
    if isinstance(x, Fraction):
        top = isqrt(x.numerator)
        bottom = isqrt(x.denominator)
        if (top * top, bottom * bottom) == (x.numerator, x.denominator):
            return Fraction(top, bottom)
    return sqrt(x)


def cactus(p: Rows, q: Rows, x: Prefix, chance: Chance, *, delta: Fraction = Fraction(1, 8)) -> Ending:
    """Speculative decoding against p with the drafted token raised; the residual depends on that token."""
    return tested(
        lambda i, t: chance.keep(raised(p[i], t, delta)[t], q[i][t]),
        lambda i, t: chance.draw(residual(raised(p[i], t, delta), q[i])),
        p,
        x,
        chance,
    )
