"""relaxed.tolerance: min(q, p + t q) lies below its tangents in t."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, index, laws, le, total, x
from simspec.claims.authoring import F, law
from simspec.claims.claim import Instance
from simspec.claims.relaxed.tolerance import CONSTANT, TOLERANCE, UNCERTAIN

SLOPE = "g is 1 where a draft is rejected at times, 0 where it never is, between at the limit"
c = index("c")
C = sp.Symbol("C", integer=True, positive=True)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of contexts, every vocabulary, all laws and weights, every two allocations.

    With equality as long as no draft comes to its limit, and none comes off it.
    """
    w, t, rival = (d.weights(name, c) for name in ("w", "t", "other"))
    p, q, g = (d.weights(name, c, x) for name in ("p", "q", "g"))
    slope_bound, low, high = d.domain(
        SLOPE,
        le(g[c, x], 1),
        eq((1 - g[c, x]) * sp.Max(q[c, x] - p[c, x] - t[c] * q[c, x], 0), 0),
        eq(g[c, x] * sp.Max(p[c, x] + t[c] * q[c, x] - q[c, x], 0), 0),
    )
    accepted, rival_accepted = (sp.Min(q[c, x], p[c, x] + s[c] * q[c, x]) for s in (t, rival))
    line = le(rival_accepted, accepted + sign * g[c, x] * q[c, x] * (rival[c] - t[c]))
    line = d.summed("below the tangent", line, slope_bound, low, high, by="smt")
    line = d.derive("by weight", le(w[c] * line.relation.lhs, w[c] * line.relation.rhs), line)
    line = d.sum("over the contexts", line, c, upto=C)
    gain = total(w[c] * total(q[c, x] * g[c, x], x) * (rival[c] - t[c]), c, upto=C)
    goal = le(
        total(w[c] * total(rival_accepted, x), c, upto=C), constant * total(w[c] * total(accepted, x), c, upto=C) + gain
    )
    d.qed(d.derive("in all", goal, line))


def _bind(w: Any, p: Any, q: Any, t: Any, other: Any, tie: Any) -> dict[str, Any]:
    limit = q - p - t[:, None] * q
    g = np.where(limit > 0, 1, np.where(limit < 0, 0, tie)) + 0 * p
    bindings = {"w": w, "p": p, "q": q, "t": t, "other": other, "g": g}
    return {**bindings, "V": p.shape[1], "C": len(w), "ranges": {"c": range(1, len(w) + 1)}}


def by_size(number: int, most: int = 2, vocabularies: tuple[int, ...] = (1, 2)) -> Iterator[Instance]:
    """Contexts of equal weight by vocabulary and denominator; the last has all the tolerance; β = 1."""
    for vocab, denominator in product(vocabularies, range(1, most + 1)):
        all_laws = list(laws(vocab, denominator))
        for p, q in product(product(all_laws, repeat=number), repeat=2):
            instance = {"p": np.stack(p), "q": np.stack(q), "other": law(*[0] * (number - 1), 1), "beta": F(1)}
            yield {"w": law(*[F(1, number)] * number), **instance}


PROOFS = (
    Proof(TOLERANCE, prove, drop=SLOPE, change={"constant": 0}, bind=_bind),
    Refutation(
        CONSTANT,
        lambda: by_size(2),
        scope="the first of two contexts of equal weight by vocabulary and denominator, all tolerance in one of them",
        repaired={"one context": lambda: by_size(1, 3)},
    ),
    Refutation(
        UNCERTAIN,
        lambda: by_size(2),
        scope="the first of two contexts of equal weight by vocabulary and denominator, β = 1",
        repaired={"one context": lambda: by_size(1, 3)},
    ),
)
