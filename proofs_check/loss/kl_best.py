"""loss.kl-best: three tokens, of which the draft family gives one too much.

loss.kl-best.gap: what a token can gain is at most p r/(4 q), by a square, and these quotients sum to one at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, gt, laws, le, total, x
from simspec.claims.claim import Instance
from simspec.claims.loss.kl_best import KL_BEST, KL_BEST_GAP, MINIMUM
from simspec.claims.relaxed.parts import divergence
from simspec.laws import Array

PINSKER = "Pinsker's inequality (see stop.entropy-bound-corrected)"
QUOTIENTS = "f is p r/q, and q is positive"


def _segments(vocab: int) -> Iterator[Instance]:
    """Laws by a common denominator; those that are no minimum of their segment are left out by the claim's assumption."""
    for size in range(vocab, 13):
        for p, q, rival in product(laws(vocab, size), laws(vocab, size), laws(vocab, size)):
            if (q > 0).all() and (p * (rival - q) / q).sum() == 0:
                yield {"p": p, "q": q, "rival": rival}


def _held(vocab: int) -> Iterator[Instance]:
    """The family holds the target: it is the minimum."""
    for size in range(vocab, 7):
        for p, rival in product(laws(vocab, size), laws(vocab, size)):
            if (p > 0).all():
                yield {"p": p, "q": p, "rival": rival}


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws of which q has every token, and all rivals towards which the divergence does not fall.

    ¼ is approached where the divergence grows without end, ½ under the root is the largest constant for small ones.
    """
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    r = d.weights("r")
    f = d.weights("f")
    far = d.number("K", 0)
    pinsker = d.domain(PINSKER, ge(far, 2 * (total(sp.Abs(p[x] - q[x]), x) / 2) ** 2))
    quotient, positive = d.domain(QUOTIENTS, eq(f[x] * q[x], p[x] * r[x]), gt(q[x], 0))
    minimum = d.assume(MINIMUM, le(total(f[x], x), 1))
    low = [d.derive("not negative", ge(w[x], 0)) for w in (p, q, r, f)]
    minimiser = sp.Min(p[x], q[x])
    rival = sp.Min(p[x], r[x])
    product = d.smt("the square of the smaller", ge(f[x] * q[x], rival**2), quotient, *low)
    square = d.smt("a square", ge((rival - 2 * q[x]) ** 2, 0))
    token = d.smt("divided", le(4 * (rival - q[x]), f[x]), product, square, positive, *low)
    token = d.smt("what a token gains", le(4 * (rival - sign * minimiser), f[x]), token, *low)
    token = d.sum("over the vocabulary", token, x)
    gap = total(rival, x) - total(minimiser, x)
    quarter = d.derive("a quarter", le(constant * gap, sp.Rational(1, 4)), token, minimum, by="smt")
    split = d.derive("the smaller of two masses", ge(minimiser, (p[x] + q[x] - sp.Abs(p[x] - q[x])) / 2))
    split = d.sum("over the vocabulary", split, x)
    at_most_p = d.sum("over the vocabulary", d.smt("at most the target's", le(rival, p[x])), x)
    distance = d.sum("over the vocabulary", d.derive("a distance", ge(sp.Abs(p[x] - q[x]), 0)), x)
    lack = total(sp.Abs(p[x] - q[x]), x) / 2
    lost = d.smt("what q lacks", le(sp.Max(gap, 0), lack), split, at_most_p, distance, mass_p, mass_q)
    squares = d.smt("its square", le(sp.Max(gap, 0) ** 2, lack**2), lost)
    root = d.smt("at most Pinsker's", le(2 * sp.Max(gap, 0) ** 2, far), squares, pinsker)
    d.qed(root, quarter)


def _values(p: Array, q: Array, rival: Array) -> dict[str, Any]:
    return {"p": p, "q": q, "r": rival, "f": p * rival / q, "K": divergence(p, q), "V": len(p)}


PROOFS = (
    Refutation(
        KL_BEST,
        lambda: _segments(3),
        scope="the first by a common denominator, with three tokens; a segment of two tokens' laws has its minimum at p or at "
        "an end",
        repaired={"the family holds the target": lambda: _held(3)},
    ),
    Proof(KL_BEST_GAP, prove, drop=MINIMUM, bind=_values),
)
