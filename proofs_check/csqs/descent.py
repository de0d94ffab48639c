"""csqs.descent: F is convex with the slope of Eq. 8, and a step of gradient descent telescopes in squares."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.csqs._dropped_sum import at_end
from proofs_check.csqs._recursion import bind, n, text, threshold
from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from simspec.claims.csqs.descent import DESCENT


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every text, T, start, step size, target in [0, 1] and fixed threshold; read literally.

    Equality as long as no probability lies between the fixed threshold and those of Eq. 8.
    """
    w = text(d)
    t = threshold(d, w, False, sign)
    u = d.number("u")
    q = w.q[n, x]
    k = t.keep[n, x]
    beta = t.beta[n]
    plus = [q * sp.Max(at - q, 0) for at in (beta, u)]
    per_token = d.summed(
        "each token's part is convex",
        ge(plus[1], plus[0] + (1 - k) * q * (u - beta)),
        *(t.bit, t.below, t.reach, w.positive),
        by="smt",
    )
    F = [total(summand, x) - w.alpha * at for summand, at in zip(plus, (beta, u), strict=True)]
    slope = d.derive(
        "so is F, with the slope of Eq. 8", le(F[0] - F[1], (t.drop[n] - w.alpha) * (beta - u)), per_token, t.dropped
    )
    square = eq((t.beta[n + 1] - u) ** 2, (beta - u) ** 2 - 2 * w.eta * (t.drop[n] - w.alpha) * (beta - u)
                + w.eta**2 * (t.drop[n] - w.alpha) ** 2)  # fmt: skip
    square = d.derive("the distance after a step", square, t.update)
    R = sp.IndexedBase("R", real=True)
    Q = sp.IndexedBase("Q", real=True)
    none, regret_step = d.recursion("the regret so far", eq(R[0], 0), eq(R[n + 1], R[n] + F[0] - F[1]))
    empty, empty_more = d.recursion(
        "squares of the slopes", eq(Q[0], 0), eq(Q[n + 1], Q[n] + (t.drop[n] - w.alpha) ** 2)
    )
    statement = le(2 * w.eta * R[n], (w.start - u) ** 2 - (beta - u) ** 2 + constant * w.eta**2 * Q[n])
    scaled = d.smt("times 2η", le(2 * w.eta * (F[0] - F[1]), 2 * w.eta * (t.drop[n] - w.alpha) * (beta - u)), slope)
    regret_step = d.derive(
        "the regret, times 2η", eq(2 * w.eta * R[n + 1], 2 * w.eta * R[n] + 2 * w.eta * (F[0] - F[1])), regret_step
    )
    next_ = eq(w.eta**2 * Q[n + 1], w.eta**2 * Q[n] + w.eta**2 * (t.drop[n] - w.alpha) ** 2)
    next_ = d.derive("the squares, times η²", next_, empty_more)
    for_every_n = d.inductive(
        "for every n", statement, n, [none, empty, t.at_start], [regret_step, next_, square, scaled]
    )
    at_the_end = at_end(d, for_every_n)
    T = sp.Symbol("T", integer=True, positive=True)
    distance = ((w.start - u) ** 2 - (t.beta[T] - u) ** 2) / w.eta
    d.qed(d.derive("divided by 2η", le(R[T], (distance + w.eta * Q[T]) / 2), at_the_end))


def _bind(threshold: Fraction, **run: Any) -> dict[str, Any]:
    return {**bind(**run), "u": threshold}


PROOF = Proof(DESCENT, prove, drop="draft laws are nowhere negative", change={"constant": sp.S.Half}, bind=_bind)
