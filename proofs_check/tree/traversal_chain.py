"""tree.traversal-chain: what is left of a node after its only child is the residual of the block, with the weight of its test."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, gt, y
from simspec.claims.tree.traversal_chain import CHAIN

n, m = sp.symbols("n m", integer=True, nonnegative=True)
DELETED = "after its child is deleted a node has a = Z/(Z + 1 − a), 1 where that is 0/0"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of drafts, every vocabulary size and path, all laws; n counts from the last draft.

    r is what a node on the path has before its child is deleted, a after that; h is the test of the block.
    """
    r, a, h, Z, zero = (sp.IndexedBase(name, real=True) for name in ("r", "a", "h", "Z", "zero"))
    remaining = sp.IndexedBase("left", real=True)
    rest = sp.IndexedBase("rest", real=True)
    leaf = d.domain("the leaf is accepted, or the whole block passes, with r", eq(a[0], r[0]), eq(h[0], r[0]))
    size = Z[n + 1] + 1 - r[n + 1] + zero[n + 1]
    some = d.domain("zero is 1 where Z + 1 − r is 0", gt(size, 0))
    weight = d.domain(DELETED, eq(a[n + 1] * size, constant * (Z[n + 1] + zero[n + 1])))
    test = d.domain(
        "the block passes with Z/(Z + 1 − r), 1 where that is 0/0", eq(h[n + 1] * size, Z[n + 1] + zero[n + 1])
    )
    same = d.domain("what is left of the target is the residual of the block", eq(remaining[m, y], rest[m, y]))
    A, B = (sp.IndexedBase(name, real=True) for name in ("A", "B"))
    none = d.recursion("the last n nodes are deleted", eq(A[0], 1), eq(A[n + 1], (1 - sign * a[n]) * A[n]))
    fails = d.recursion("the last n prefixes fail", eq(B[0], 1), eq(B[n + 1], (1 - h[n]) * B[n]))
    shorter = d.smt("a node is accepted as its prefix passes", eq(a[n + 1], h[n + 1]), weight, test, some)
    leaf_equal = d.derive("and the leaf", eq(a[0], h[0]), *leaf)
    step = d.derive("at each", eq(a[n + 1], h[n + 1]), shorter)
    equal = d.induction("on the whole path", eq(a[n], h[n]), n, leaf_equal, step)
    reached = d.inductive("as often reached", eq(A[n], B[n]), n, [none[0], fails[0]], [none[1], fails[1], equal])
    ends = eq(A[m] * a[m] * remaining[m, y], B[m] * h[m] * rest[m, y])
    premises = [d.instantiate("for every number of drafts", f, {n: m}) for f in (reached, equal)]
    d.qed(d.smt("the same number of drafts, the same token", ends, *premises, same))


def _values(target: Any, draft: Any, path: Sequence[int]) -> dict[str, Any]:
    """The values of the symbols of `prove`, along one drafted path: prefix weights, tests and residuals."""
    gamma = len(path)
    r = [F(1)]
    for i, token in enumerate(path):
        r.append(min(F(1), r[-1] * target[i][token] / draft[i][token]))
    over = [
        [max(weight * p - q, F(0)) for p, q in zip(target[i], draft[i], strict=True)] for i, weight in enumerate(r[:-1])
    ]

    def z(at: int) -> Any:
        return sum(over[gamma - at])

    def zero(at: int) -> int:
        return int(z(at) + 1 - r[gamma - at] == 0)

    def test(at: int) -> Any:
        if not at:
            return r[gamma]
        return (z(at) + zero(at)) / (z(at) + 1 - r[gamma - at] + zero(at))

    def left(at: int, token: int) -> Any:
        return over[gamma - at][token - 1] / z(at) if at and z(at) else target[gamma - at][token - 1]

    return {
        **{"r": lambda at: r[gamma - at], "a": test, "h": test, "Z": z, "zero": zero, "left": left, "rest": left},
        **{"V": target.shape[-1], "ranges": {"n": range(gamma), "m": range(gamma + 1)}},
    }


PROOF = Proof(CHAIN, prove, drop=DELETED, bind=_values)
