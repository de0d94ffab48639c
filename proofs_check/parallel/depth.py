"""parallel.depth: who knows the token before last can draft for each last token what one who knows it would at best."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, i, j, laws, le, total, y, z
from simspec.claims.claim import Instance
from simspec.claims.parallel.depth import DEPTH, DEPTH_CORRECTED, STATIONARY, ahead
from simspec.laws import Array
from simspec.methods.parallel import best_draft

BEST = "no law is accepted more often than the best one (see parallel.marginal-best-corrected)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all sources whose next token depends on the last one, every position, all draft laws.

    Equality for independent tokens.
    """
    T = d.weights("T", i, j)
    W = d.weights("W", i, j)
    r = d.weights("r", z, y)
    pi = d.weights("pi", z)
    B = d.weights("B", i)
    stationary = d.assume(STATIONARY, eq(total(pi[z] * T[z, i], z), pi[i]))
    accepted = total(sp.Min(T[j, y], r[z, y]), y)
    best = d.domain(BEST, ge(B[i], total(W[i, j] * accepted, j)))
    low = [d.derive("not negative", ge(w, 0)) for w in (pi[z], T[z, i])]
    path = d.smt("a path to a last token", ge(pi[z] * T[z, i], 0), *low)
    weight = pi[z] * T[z, i]
    best = d.smt("weighed", ge(weight * B[i], weight * total(W[i, j] * accepted, j)), best, path)
    best = d.sum("over the tokens before it", d.sum("over the last token", best, i), z)
    last_law = d.derive("the last token's law", eq(total(pi[z] * T[z, i], z) * B[i], sign * pi[i] * B[i]), stationary)
    last_law = d.sum("over the last token", last_law, i)
    deeper = total(pi[z] * total(total(T[z, i] * W[i, j], i) * accepted, j), z)
    d.qed(d.derive("together", le(constant * deeper, total(pi[i] * B[i], i)), best, last_law, by="smt"))


def _values(T: Array, pi: Array, rival: Array, position: int) -> dict[str, Any]:
    before = ahead(T, position - 1)
    return {"T": T, "W": before, "r": rival, "pi": pi, "B": [best_draft(a, T).acceptance for a in before], "V": len(T)}


def _sources(independent: bool) -> Iterator[Instance]:
    """Two tokens, masses of one denominator, and the stationary law of each source that has one of its own."""
    for size in range(1, 6):
        for first, second in product(laws(2, size), laws(2, size)):
            leaves = first[1] + second[0]
            if leaves and (not independent or (first == second).all()):
                pi = np.array([second[0] / leaves, first[1] / leaves], dtype=object)
                yield {"T": np.stack([first, second]), "pi": pi, "depth": 4}


def _rivals() -> Iterator[Instance]:
    for instance in _sources(False):
        for position in (1, 2):
            yield {"T": instance["T"], "pi": instance["pi"], "rival": instance["T"], "position": position}


PROOFS = (
    Refutation(
        DEPTH,
        lambda: _sources(False),
        scope="the first by a common denominator, with two tokens and four positions",
        repaired={
            "a next token that does not depend on the last": lambda: _sources(True),
            "the best laws along the target's text": (DEPTH_CORRECTED, _rivals),
        },
    ),
    Proof(DEPTH_CORRECTED, prove, drop=BEST, bind=_values),
)
