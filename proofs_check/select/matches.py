"""select.matches: a product of two masses is the smaller of them times the larger."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, laws, le, total, x
from simspec.claims.claim import Instance
from simspec.claims.folk.drop_probs import DROP_PROBS_CORRECTED
from simspec.claims.select.matches import GREEDY, SAMPLED, SAMPLED_CORRECTED, largest
from simspec.laws import Array

LARGEST = "no token has more than M in either law"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    Equality where every token that both laws have has the mass M in one of them.
    """
    p = d.weights("p")
    q = d.weights("q")
    M = d.number("M", 0)
    of_p, of_q = d.domain(LARGEST, le(p[x], M), le(q[x], M))
    smaller = sp.Min(p[x], q[x])
    token = d.derive("the smaller times the larger", le(p[x] * q[x], M * smaller), of_p, of_q, by="smt")
    texts = d.sum("over the vocabulary", token, x)
    d.qed(d.derive("in all", le(constant * total(p[x] * q[x], x), sign * M * total(smaller, x)), texts))


def _values(p: Array, q: Array) -> dict[str, Any]:
    return {"p": p, "q": q, "M": largest(p, q), "V": len(p)}


def _drafters() -> Iterator[Instance]:
    """A target and two drafters over two tokens, by the denominator of their masses."""
    for size in range(1, 9):
        for p, q, rival in product(list(laws(2, size)), repeat=3):
            yield {"p": p, "q": q, "rival": rival}


def _certain() -> Iterator[Instance]:
    """Drafters that are sure of a token."""
    return (i for i in _drafters() if i["q"].max() == i["rival"].max() == 1)


PROOFS = (
    Refutation(
        GREEDY,
        _drafters,
        scope="the first by denominator, with two tokens",
        repaired={"drafters that are sure of a token": _certain, "p(a) and what exceeds it": DROP_PROBS_CORRECTED},
    ),
    Refutation(
        SAMPLED,
        _drafters,
        scope="the first by denominator, with two tokens",
        repaired={"drafters that are sure of a token": _certain, "at most M α": SAMPLED_CORRECTED},
    ),
    Proof(SAMPLED_CORRECTED, prove, drop=LARGEST, bind=_values),
)
