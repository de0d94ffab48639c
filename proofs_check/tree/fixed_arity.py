"""tree.fixed-arity: a tree accepts at most A times one and what smaller trees do, never more than the fixed point A/(1 − A)."""

from __future__ import annotations

from typing import Any

from proofs_check.language import Derivation, Proof, ge, le, lt, total
from proofs_check.tree._shapes import K, N, m, n, numbered, s, start, values, worth
from simspec.claims.tree.fixed_arity import FIXED_ARITY
from simspec.methods.tree.shapes import Shape, height

PART = "a child is there or not"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every arity, all rates of sum below one, all trees; by induction on their height.

    Sharp: the full tree of D levels has A(1 − A^D)/(1 − A).
    """
    t = worth(d, PART)
    A = total(t.a[m], m, upto=K)
    rate_below_one = d.assume("A is below one", lt(A, 1))
    some = d.domain("rates are not negative", ge(t.a[m], 0))
    law = le(t.W[n, s] * (1 - sign * A), constant * A)
    hypothesis = d.suppose("a smaller tree", law)
    below = d.instantiate("of a child", hypothesis, {s: t.kid[s, m]})
    sum_ = d.sum("rates", some, m, upto=K)
    per_child = d.smt(
        "child by child",
        le(t.has[s, m] * t.a[m] * (1 + t.W[n, t.kid[s, m]]) * (1 - A), t.a[m]),
        *(below, some, t.marks, t.part, rate_below_one),
    )
    per_child = d.sum("over the children", per_child, m, upto=K)
    for_every_tree = d.inductive("for every tree", law, n, [t.none, sum_], [t.more, per_child], by="smt")
    at = d.instantiate("of this one", for_every_tree, {n: N, s: start})
    d.qed(d.smt("divided", le(t.W[N, start], A / (1 - A)), at, rate_below_one))


def _values(rates: Any, shape: Shape) -> dict[str, Any]:
    return values(list(numbered(shape, {})), rates) | {"start": 1, "N": height(shape)}


PROOF = Proof(FIXED_ARITY, prove, drop=PART, bind=_values, change={"constant": 0})
