"""rdk.tli-is-transport: what is not shared moves by TLI's law, which has 1 − q(I) to add to q and so divides by q(I)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, i, j, laws, total, x
from proofs_check.rdk._shared_vocabulary import nothing, shared, tli
from simspec.claims.claim import Instance
from simspec.claims.rdk.tli_is_transport import FIXED, SOME
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, draft law and shared vocabulary, drafts without mass there included."""
    q, mass = d.law("q")
    s = shared(d)
    t = tli(d, s, q)
    E = sp.IndexedBase("E", real=True)
    off, on, row_sums = d.domain(
        "E is the identity",
        eq(E[i, j] * (s.mask[i] * q[i] - s.mask[j] * q[j]), 0),
        eq(total(E[i, j], i), 1),
        eq(total(E[i, j] * s.mask[i], j), s.mask[i]),
    )
    M = sp.IndexedBase("M", real=True)
    entry_definition = d.define(
        "a shared token stays, any other moves by TLI's law", M[i, j], s.mask[i] * E[i, j] + (1 - s.mask[i]) * t.law[j]
    )
    own_mass = d.derive(
        "a shared token that arrives at j is j", eq(E[i, j] * s.mask[i] * q[i], E[i, j] * s.mask[j] * q[j]), off
    )
    own_mass = d.sum("over what arrives", own_mass, i)
    own_mass = d.derive(
        "so j keeps its own mass", eq(total(E[i, j] * s.mask[i] * q[i], i), s.mask[j] * q[j]), own_mass, on
    )
    arriving_mass = d.sum(
        "what arrives at j",
        d.derive(
            "from i",
            eq(q[i] * M[i, j], E[i, j] * s.mask[i] * q[i] + (1 - s.mask[i]) * q[i] * t.law[j]),
            entry_definition,
        ),
        i,
    )
    part_bound = d.derive("no part of q is negative", ge(s.mask[x] * q[x], 0))
    part_bound = d.term("one of them is at most q(I)", part_bound, x)
    lost = d.smt(
        "where q(I) = 0 no shared token has mass",
        eq(sp.Symbol("none_t", real=True) * s.mask[x] * q[x], 0),
        part_bound,
        *t.empty,
        s.flag,
    )
    shared_mass = total(s.mask[x] * q[x], x)
    times = eq(t.law[x] * shared_mass, s.mask[x] * q[x])
    times = d.smt("so TLI's law times q(I) is q on I", times, t.meaning, *t.empty, lost, s.some)
    at_j = d.instantiate("at token j", times, {x: j})
    split = eq((1 - s.mask[i]) * q[i] * t.law[j], q[i] * t.law[j] - s.mask[i] * q[i] * t.law[j])
    rest = d.sum("over the vocabulary", d.derive("what is not shared is all but q(I)", split), i)
    arrives = d.derive(
        "own mass, and TLI's share of the rest",
        eq(total(q[i] * M[i, j], i), sign * constant * t.law[j]),
        *(arriving_mass, own_mass, rest, at_j, mass),
    )
    row = d.sum("the row of token i", entry_definition, j)
    row = d.derive("sums to one", eq(total(M[i, j], j), 1), row, row_sums, t.mass)
    d.qed(d.instantiate("at every token", arrives, {j: x}), d.instantiate("of every token", row, {i: x}))


def bind(q: Array, shared: Array, **unused: Any) -> dict[str, Any]:
    return {"q": q, "I": shared, "E": np.eye(len(q), dtype=int), "none_t": nothing(q, shared), "V": len(q)}


def by_size() -> Iterator[Instance]:
    """Two drafts over three tokens in halves, half of each, the first two tokens shared."""
    for q, q2 in product(laws(3, 2), laws(3, 2)):
        yield {"q": q, "q2": q2, "weight": F(1, 2), "shared": np.array([True, True, False])}


PROOFS = (
    Proof(SOME, prove, drop="q sums to one", bind=bind),
    Refutation(
        FIXED,
        by_size,
        scope="two drafts over three tokens in halves, mixed in equal parts, the first two tokens shared",
        repaired={
            "drafts on shared tokens only": lambda: (c for c in by_size() if not c["q"][2] and not c["q2"][2]),
            "a map for each draft": SOME,
        },
    ),
)
