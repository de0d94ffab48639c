"""Steps that the proofs about the gain of RDK over TLI share: what leaves a token, what arrives, and what is made of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, i, j, le
from proofs_check.rdk._stochastic_maps import image, stochastic
from simspec.claims.rdk.moves import SURPLUS
from simspec.claims.rdk.parts import ROWS
from simspec.laws import Array, restrict

__all__ = ["Moves", "arrives", "arriving", "change", "gained", "leaving", "moves_surplus", "values"]


def arriving(q: sp.IndexedBase, M: sp.IndexedBase) -> sp.Expr:
    """What reaches token j from others."""
    return image(q, M)(j) - q[j] * M[j, j]


def leaving(q: sp.IndexedBase, M: sp.IndexedBase) -> sp.Expr:
    """What leaves token j."""
    return q[j] * (1 - M[j, j])


def change(p: sp.IndexedBase, q: sp.IndexedBase, M: sp.IndexedBase) -> sp.Expr:
    """What token j adds to the difference of the two acceptance rates."""
    return sp.Min(p[j], image(q, M)(j)) - sp.Min(p[j], q[j])


def arrives(d: Derivation, q: sp.IndexedBase, M: sp.IndexedBase, signs: Fact) -> Fact:
    """What arrives at a token is not negative."""
    sent_nonnegative = d.derive("what a token sends is not negative", ge(q[i] * M[i, j], 0), signs)
    staying_bounded = d.term("what a token keeps is a part of what it has", sent_nonnegative, i, j)
    return d.derive("so what arrives is not negative", ge(arriving(q, M), 0), staying_bounded)


class Moves(NamedTuple):
    """A target, a draft, and a row-stochastic matrix that moves only surplus."""

    p: Any
    q: Any
    M: Any
    signs: Fact
    rows: Fact
    surplus: Fact


def moves_surplus(d: Derivation) -> Moves:
    """What the claims about such matrices assume."""
    p = d.weights("p")
    q = d.weights("q")
    M = sp.IndexedBase("M", real=True)
    signs, rows = d.assume(ROWS, *stochastic(M))
    return Moves(p, q, M, signs, rows, d.assume(SURPLUS, le(leaving(q, M), sp.Max(q[j] - p[j], 0))))


def gained(d: Derivation, m: Moves, sign: int = 1, constant: int = 1) -> Fact:
    """Token by token, RDK gains what arrives, up to what is wanted."""
    p, q, M, signs, rows, surplus = m
    some = arrives(d, q, M, signs)
    diagonal = d.term("an entry of a row is at most its sum", signs, j, i)
    entry_at_most_one = d.derive("an entry is at most one", le(M[i, i], 1), diagonal, rows)
    entry_at_most_one = d.instantiate("at this token", entry_at_most_one, {i: j})
    goal = eq(change(p, q, M), constant * sp.Min(sp.Max(p[j] - q[j], 0), sign * arriving(q, M)))
    not_less = d.derive("nothing flows back", ge(leaving(q, M), 0), entry_at_most_one)
    return d.derive(
        "a token in want keeps its draft mass and gains what arrives; any other was, and is, fully accepted",
        goal,
        *(some, not_less, surplus),
    )


def values(p: Array, q: Array, shared: Array, M: Array, guess: Array) -> dict[str, Any]:
    """What the symbols stand for in an instance."""
    return {"p": p, "q": restrict(q, shared), "M": M, "g": guess, "V": len(p)}
