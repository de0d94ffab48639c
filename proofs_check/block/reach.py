"""block.reach: given the first drafts they are kept, or more, with probability r; averaged over what comes before."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.block._tree import TEST, Kept, Tree, c, kept, n, root, tree, values
from proofs_check.language import Derivation, Fact, Proof, eq, total, x
from simspec.claims.block.reach import REACH
from simspec.laws import Array

__all__ = ["at", "at_values", "averaged", "left", "means"]

m, at, left = sp.symbols("m at left", integer=True, nonnegative=True)


Means = tuple[Any, Fact, Fact]
"""E, its beginning, and how it goes on."""


def means(d: Derivation, t: Tree) -> Means:
    """E[m, c], the mean of r after m drafts."""
    E = sp.IndexedBase("E", real=True)
    now, later = d.recursion(
        "mean of r after m drafts",
        eq(E[0, c], t.r[c]),
        eq(E[m + 1, c], total(t.q[c, x] * E[m, t.child[c, x]], x)),
    )
    return E, now, later


def averaged(d: Derivation, t: Tree, k: Kept, mean: Means, tag: str = "") -> Fact:
    """D[m, n, c]: after m more drafts, with n to follow, what was drafted is kept at least; it is a mean of r."""
    D = sp.IndexedBase(f"D{tag}", real=True)
    (E, now, later) = mean
    here, on = d.recursion(
        "probability that c's continuation by m drafts is kept",
        eq(D[0, n, c], k.A[n, c]),
        eq(D[m + 1, n, c], total(t.q[c, x] * D[m, n, t.child[c, x]], x)),
    )
    statement = eq(D[m, n, c], E[m, c])
    before = d.suppose(f"after m drafts{tag}", statement)
    there = d.instantiate("after a token", before, {c: t.child[c, x]})
    per_draft = d.derive("each", eq(t.q[c, x] * D[m, n, t.child[c, x]], t.q[c, x] * E[m, t.child[c, x]]), there)
    per_draft = d.sum("over the drafts", per_draft, x)
    for_every_n = d.inductive("for every number", statement, m, [here, now, k.reach], [on, later, per_draft, before])
    return d.instantiate("from the beginning", for_every_n, {c: root, m: at, n: left})


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws in every context, every number of drafts."""
    t = tree(d, constant)
    d.qed(averaged(d, t, kept(d, t, sign), means(d, t)))


def at_values(p: Array, q: Array, gamma: int, at: int) -> dict[str, Any]:
    bindings = values(p, q, gamma)
    return {**bindings, "at": at, "left": gamma - at, "ranges": {**bindings["ranges"], "m": range(gamma + 1)}}


PROOF = Proof(REACH, prove, drop=TEST, bind=at_values)
