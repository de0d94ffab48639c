"""loss.kl-orders: no draft is accepted more often than always, and Pinsker's inequality bounds what this one lacks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, ge, laws, le, total, x
from simspec.claims.claim import Instance
from simspec.claims.loss.kl_orders import KL_ORDERS, KL_ORDERS_CORRECTED
from simspec.claims.relaxed.parts import divergence
from simspec.laws import Array

PINSKER = "Pinsker's inequality (see stop.entropy-bound-corrected)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws that are nowhere zero in the drafts.

    ½ is the largest constant: with the rival p it is Pinsker's inequality.
    """
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    rival = d.weights("rival")
    far = d.number("K", 0)
    pinsker = d.domain(PINSKER, ge(far, 2 * (total(sp.Abs(p[x] - q[x]), x) / 2) ** 2))
    overlap = total(sp.Min(p[x], q[x]), x)
    rival_overlap = total(sp.Min(p[x], rival[x]), x)
    split = d.derive(
        "the smaller of two masses", ge(sp.Min(p[x], q[x]), (p[x] + sign * q[x] - sp.Abs(p[x] - q[x])) / 2)
    )
    split = d.sum("over the vocabulary", split, x)
    rival_bound = d.sum("over the vocabulary", d.derive("at most the target's", le(sp.Min(p[x], rival[x]), p[x])), x)
    lack = total(sp.Abs(p[x] - q[x]), x) / 2
    overlap_gap = sp.Max(rival_overlap - overlap, 0)
    sums = [split, rival_bound, mass_p, mass_q]
    lost = d.smt("what the draft lacks", le(overlap_gap, lack), *sums, *_positive(d, p, q))
    goal = le(constant * 2 * overlap_gap**2, far)
    squares = d.smt("its square", le(overlap_gap**2, lack**2), lost)
    d.qed(d.smt("at most Pinsker's", goal, squares, pinsker))


def _positive(d: Derivation, p: Any, q: Any) -> list[Any]:
    """A distance is not negative."""
    return [d.sum("over the vocabulary", d.derive("a distance", ge(sp.Abs(p[x] - q[x]), 0)), x)]


def _values(p: Array, q: Array, rival: Array) -> dict[str, Any]:
    return {"p": p, "q": q, "rival": rival, "K": divergence(p, q), "V": len(p)}


def _pairs(certain: bool) -> Iterator[Instance]:
    """Two tokens, masses of one denominator, nowhere zero in the drafts."""
    for size in range(2, 17):
        for p, q, rival in product(laws(2, size), laws(2, size), laws(2, size)):
            if (q > 0).all() and (rival > 0).all() and (not certain or (p == 1).any()):
                yield {"p": p, "q": q, "rival": rival}


PROOFS = (
    Refutation(
        KL_ORDERS,
        lambda: _pairs(False),
        scope="the first by a common denominator, with two tokens",
        repaired={
            "a target that is sure of its token": lambda: _pairs(True),
            "no more than Pinsker's": KL_ORDERS_CORRECTED,
        },
    ),
    Proof(KL_ORDERS_CORRECTED, prove, drop=PINSKER, bind=_values),
)
