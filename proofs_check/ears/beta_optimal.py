"""ears.beta-optimal: acceptance gained is bias paid, so a weighed sum of both moves one way in β."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from fractions import Fraction as F
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, ge, laws, le, total, x
from simspec.claims.claim import Instance
from simspec.claims.ears import parts
from simspec.claims.ears.beta_optimal import BETA_OPTIMAL, BETA_OPTIMAL_CORRECTED
from simspec.laws import Array
from simspec.methods import SD, acceptance_rate

PAID = "acceptance gained is bias paid (see ears.bias)"


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, pair of laws, β, share of it, and weights.

    Attained at a share of 1, and at every share where the weights are equal.
    """
    p = d.weights("p")
    q = d.weights("q")
    speed = d.number("speed", 0)
    fidelity = d.number("fidelity", 0)
    t = d.number("t", 0)
    share = d.number("share", 0, 1)
    alpha = d.number("alpha", 0)
    g = sp.IndexedBase("g", real=True)
    h = sp.IndexedBase("h", real=True)
    inside = d.define("pardoned at a share of the tolerance", g[x], sp.Min(sp.Max(q[x] - p[x], 0), share * t * q[x]))
    outer = d.define("pardoned at the whole", h[x], sp.Min(sp.Max(q[x] - p[x], 0), t * q[x]))
    some = d.summed("pardons are not negative", ge(g[x], 0), inside)
    pardons_no_more = d.smt("a smaller tolerance pardons no more", le(g[x], h[x]), inside, outer)
    pardons_no_more = d.sum("over the vocabulary", pardons_no_more, x)
    G = total(g[x], x)
    H = total(h[x], x)
    value = speed * (alpha + G) - sign * fidelity * G
    best = sp.Max(speed * alpha, speed * (alpha + H) - fidelity * H)
    d.qed(d.smt("no better than one of the ends", le(value, constant * best), some, pardons_no_more))


def bind(p: Array, q: Array, beta: Fraction, speed: Fraction, fidelity: Fraction, share: Fraction) -> dict[str, Any]:
    bindings = {"p": p, "q": q, "t": parts.tolerance(p, beta)[0], "share": share, "speed": speed, "fidelity": fidelity}
    return {**bindings, "alpha": acceptance_rate(SD, p, q), "V": len(p)}


def by_size() -> Iterator[Instance]:
    """Laws of one and two tokens in halves, β = 1, weights 0 and 1, half of β."""
    for vocab in (1, 2):
        for p, q, speed, fidelity in product(laws(vocab, 2), laws(vocab, 2), (F(0), F(1)), (F(0), F(1))):
            yield {"p": p, "q": q, "beta": F(1), "speed": speed, "fidelity": fidelity, "share": F(1, 2)}


PROOFS = (
    Refutation(
        BETA_OPTIMAL,
        by_size,
        scope="laws of one and two tokens in halves, β = 1, half of it, weights 0 and 1",
        repaired={"at most as good as an end": BETA_OPTIMAL_CORRECTED},
    ),
    Proof(BETA_OPTIMAL_CORRECTED, prove, drop={"sign": 0}, change={"constant": sp.Rational(9, 10)}, bind=bind),
)
