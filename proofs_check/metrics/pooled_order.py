"""metrics.pooled-order: the pooled length is a mean weighted by steps; a run may be quick where they are many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, ge, gt, index, total
from simspec.claims.authoring import exact
from simspec.claims.claim import Instance
from simspec.claims.metrics.pooled_order import NOWHERE, POOLED_ORDER, POOLED_ORDER_CORRECTED

R = sp.Symbol("R", integer=True, positive=True)
r = index("r")


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every two runs over the same requests.

    Equality where the steps are the same.
    """
    t, a, b = (sp.IndexedBase(name, positive=True) for name in ("t", "a", "b"))
    b_at_least_a = d.assume(NOWHERE, ge(sign * b[r], sign * a[r]))
    per_request = d.derive("per request", ge(t[r] / a[r], t[r] / b[r]), b_at_least_a)
    tokens, of_a, of_b = (total(v[r], r, upto=R) for v in (t, a, b))
    some = d.sum("steps of A", d.derive("a step", gt(a[r], 0)), r, upto=R)
    text = d.sum("tokens", d.derive("a token", gt(t[r], 0)), r, upto=R)
    steps = d.sum("over the requests", b_at_least_a, r, upto=R)
    T, A, B = sp.symbols("T A B", real=True)
    names = [d.define("in short", name, value) for name, value in ((T, tokens), (A, of_a), (B, of_b))]
    short = d.derive("A has steps", gt(A, 0), names[1], some)
    tokens_ = d.derive("there are tokens", gt(T, 0), names[0], text)
    fewer = d.derive("no more than B", ge(B, A), names[1], names[2], steps)
    pooled = d.smt("pooled", ge(T / A, T / B), short, tokens_, fewer)
    all_ = d.sum("over the requests", per_request, r, upto=R)
    premises = [pooled, *names, some, steps, short, fewer]
    d.qed(
        d.derive("in full", ge(tokens / of_a, constant * tokens / of_b), *premises),
        d.derive("mean", ge(total(t[r] / a[r], r, upto=R) / R, total(t[r] / b[r], r, upto=R) / R), all_),
    )


def by_size() -> Iterator[Instance]:
    """Two texts of one length, by that length."""
    for length in range(1, 5):
        steps = list(product(range(1, length + 1), repeat=2))
        yield from (
            {"tokens": exact([length] * 2), "a": exact(list(a)), "b": exact(list(b))}
            for a, b in product(steps, repeat=2)
        )


def _values(tokens: Any, a: Any, b: Any) -> dict[str, Any]:
    return {"t": tokens, "a": a, "b": b, "R": len(a), "V": 1, "ranges": {"r": range(1, len(a) + 1)}}


PROOFS = (
    Refutation(
        POOLED_ORDER,
        by_size,
        scope="the first of two requests of one length, by that length; over one request the two lengths are the same",
        repaired={"no request takes more steps": POOLED_ORDER_CORRECTED},
    ),
    Proof(POOLED_ORDER_CORRECTED, prove, drop=NOWHERE, bind=_values),
)
