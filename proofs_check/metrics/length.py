"""metrics.length: a complete step emits its accepted drafts and one more; a request has one token more and lacks what was cut."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq
from proofs_check.metrics._runs import N, numbers, s, summed
from simspec.claims.authoring import exact
from simspec.claims.claim import Instance
from simspec.claims.metrics.length import INTERIOR, REQUEST, REQUEST_CORRECTED

EMITTED = "a step emits its accepted drafts and one token more"


def _emitted(d: Derivation, constant: int) -> tuple[sp.Expr, sp.Expr, Fact]:
    a = d.weights("a", s)
    t = d.weights("t", s)
    per_step = d.domain(EMITTED, eq(t[s], a[s] + constant))
    return summed(a), summed(t), d.sum("over the steps", per_step, s, upto=N)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every run, whatever its steps draft."""
    accepted, emitted, together = _emitted(d, constant)
    d.qed(d.derive("over the number of steps", eq(sign * 1 + accepted / N, emitted / N), together))


def prove_request(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every run, whatever its steps draft and however much is cut."""
    accepted, emitted, together = _emitted(d, constant)
    cut = d.number("cut", 0)
    counted = (1 + emitted - cut) / N
    d.qed(d.derive("over the number of steps", eq(counted, 1 + accepted / N + (1 - sign * cut) / N), together))


def by_size() -> Iterator[Instance]:
    """Runs of one and of two steps with one draft each, whole and cut."""
    for steps in (1, 2):
        for accepted in product((0, 1), repeat=steps):
            for cut in range(accepted[-1] + 1):
                yield {"drafted": exact([1] * steps), "accepted": exact(list(accepted)), "cut": cut}


PROOFS = (
    Proof(
        INTERIOR,
        prove,
        drop=EMITTED,
        bind=lambda drafted, accepted: numbers(accepted, drafted, t=accepted + 1),
    ),
    Refutation(
        REQUEST,
        by_size,
        scope="the first by the number of steps: one step that accepts nothing emits the second token of two",
        repaired={
            "plus 1 less the cut, over the steps": REQUEST_CORRECTED,
            "one token is cut": lambda: (i for i in by_size() if i["cut"] == 1),
        },
    ),
    Proof(
        REQUEST_CORRECTED,
        prove_request,
        drop=EMITTED,
        bind=lambda drafted, accepted, cut: numbers(accepted, drafted, t=accepted + 1, cut=cut),
    ),
)
