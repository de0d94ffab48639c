"""parallel.told-conditional: after each kept first token the second is one step with another law reported than drawn."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, laws, le, total, x, z
from simspec.claims.claim import Instance
from simspec.claims.parallel.told_conditional import TOLD_CONDITIONAL, TOLD_CONDITIONAL_CORRECTED, told_chance
from simspec.laws import Array

NOISE = (
    "a step whose draft is not drawn as reported is off by no more than the two laws differ (see numerics.draft-noise)"
)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all targets and drafts.

    Attained where the target is the draft.
    """
    a = d.weights("a")
    q = d.weights("q")
    P, Q, o = (sp.IndexedBase(name, real=True) for name in ("P", "Q", "o"))
    marginal_law = sp.IndexedBase("drawn", real=True)
    out = sp.IndexedBase("out", real=True)
    kept_mass = sp.Min(a[z], q[z])
    d.define("the second token's marginal", marginal_law[x], total(q[z] * Q[z, x], z))
    text = d.define("two tokens", out[z, x], kept_mass * o[z, x] + sp.Max(a[z] - q[z], 0) * P[z, x])
    noise = d.domain(NOISE, ge(total(sp.Abs(marginal_law[x] - Q[z, x]), x), total(sp.Abs(o[z, x] - P[z, x]), x)))
    low = [d.derive("not negative", ge(w, 0)) for w in (a[z], q[z])]
    apart = eq(sp.Abs(out[z, x] - a[z] * P[z, x]), kept_mass * sp.Abs(o[z, x] - P[z, x]))
    parts = d.smt("kept, and beyond the draft", eq(kept_mass + sign * sp.Max(a[z] - q[z], 0), a[z]))
    split = eq(out[z, x] - a[z] * P[z, x], kept_mass * (o[z, x] - P[z, x]))
    split = d.derive("what is off", split, text, parts, by="smt")
    apart = d.smt("only after a kept token", apart, split, *low)
    apart = d.sum("over the second token", apart, x)
    noise = d.smt(
        "weighed",
        ge(kept_mass * total(sp.Abs(marginal_law[x] - Q[z, x]), x), kept_mass * total(sp.Abs(o[z, x] - P[z, x]), x)),
        noise,
        *low,
    )
    first_token = le(
        total(sp.Abs(out[z, x] - a[z] * P[z, x]), x), kept_mass * total(sp.Abs(marginal_law[x] - Q[z, x]), x)
    )
    first_token = d.sum("over the first token", d.smt("of a first token", first_token, apart, noise), z)
    left = total(total(sp.Abs(out[z, x] - a[z] * P[z, x]), x), z) / 2
    right = total(kept_mass * total(sp.Abs(marginal_law[x] - Q[z, x]), x), z) / 2
    d.qed(d.smt("half of it", le(constant * left, right), first_token))


def _step(p: Array, marginal_law: Array, reported: Array) -> Array:
    """Law of the token that a step emits."""
    kept_mass = marginal_law * told_chance(p, reported)
    rest = np.maximum(p - reported, 0)
    return kept_mass + (1 - kept_mass.sum()) * (rest / rest.sum() if rest.any() else p)


def _values(a: Array, P: Array, q: Array, Q: Array) -> dict[str, Any]:
    marginal = (q[:, None] * Q).sum(axis=0)
    rows = [_step(p, marginal, reported) for p, reported in zip(P, Q, strict=True)]
    return {"a": a, "P": P, "q": q, "Q": Q, "o": rows, "V": len(a)}


def _models(independent: bool) -> Iterator[Instance]:
    """Two tokens, masses of one denominator; the draft's second token may or may not depend on its first."""
    for size in (1, 2):
        tables = [np.stack(rows) for rows in product(laws(2, size), laws(2, size))]
        for a, P, q, Q in product(laws(2, size), tables, laws(2, size), tables):
            if not independent or (Q[0] == Q[1]).all():
                yield {"a": a, "P": P, "q": q, "Q": Q}


PROOFS = (
    Refutation(
        TOLD_CONDITIONAL,
        lambda: _models(False),
        scope="the first by a common denominator, with two tokens",
        repaired={
            "a second token that does not depend on the first": lambda: _models(True),
            "no more than the laws differ": TOLD_CONDITIONAL_CORRECTED,
        },
    ),
    Proof(TOLD_CONDITIONAL_CORRECTED, prove, drop=NOISE, bind=_values),
)
