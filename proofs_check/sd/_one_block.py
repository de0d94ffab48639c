"""One block of drafts as the algorithm runs it, over every text that the drafts may make.

After n kept drafts the block stands at a context c of C; w[n, c] is the probability that it gets there.  A draft x is kept
with mass k[c, x], and the block goes on at context e with probability go[c, x, e] (of a text: one context, for certain).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, index, total, x

__all__ = ["Block", "C", "block", "c", "lengths", "n", "over"]

C = sp.Symbol("C", integer=True, positive=True)
c = index("c")
e = index("e")
n = sp.Symbol("n", integer=True, nonnegative=True)


class Block(NamedTuple):
    """Kept mass k[c, x], and what is known of w: its value at the start, its shrinking, Σ_c w[n, c] as a number."""

    k: Any
    w: Any
    alive: Any
    start: Fact
    shrinks: Fact


def block(d: Derivation) -> Block:
    """How probable it is that the first n drafts are kept: Σ_c w[n + 1, c] = Σ_c w[n, c] Σ_x k[c, x]."""
    k = d.weights("k", c, x)
    start = sp.IndexedBase("start", real=True)
    go = sp.IndexedBase("go", real=True)
    somewhere = d.domain("a block starts at one context", eq(total(start[c], c, upto=C), 1))
    onward = d.domain("a kept draft leads to one context", eq(total(go[c, x, e], e, upto=C), 1))
    w = sp.IndexedBase("w", real=True)
    next_weight = total(total(w[n, c] * k[c, x] * go[c, x, e], x), c, upto=C)
    first, then = d.recursion(
        "how probable it is that n drafts are kept and the text so far is c",
        eq(w[0, c], start[c]),
        eq(w[n + 1, e], next_weight),
    )
    first = d.derive(
        "before any draft", eq(total(w[0, c], c, upto=C), 1), d.sum("over the contexts", first, c, upto=C), somewhere
    )
    then = d.sum("over the contexts that a draft leads to", then, e, upto=C)
    per_context = d.derive(
        "each draft leads to one", eq(w[n, c] * k[c, x] * total(go[c, x, e], e, upto=C), w[n, c] * k[c, x]), onward
    )
    per_context = d.sum("over the contexts before it", d.sum("over the drafts", per_context, x), c, upto=C)
    alive = total(w[n, c], c, upto=C)
    after = total(w[n, c] * total(k[c, x], x), c, upto=C)
    shrinks = d.derive("together", eq(total(w[n + 1, c], c, upto=C), after), then, per_context)
    return Block(k, w, alive, first, shrinks)


def lengths(d: Derivation, b: Block, name: str, extra: int) -> tuple[Any, Fact, Fact]:
    """R[n]: mean of (kept drafts + `extra`) over the blocks that end by a rejection after fewer than n kept drafts."""
    R = sp.IndexedBase(name, real=True)
    ends = total(b.w[n, c] * (1 - total(b.k[c, x], x)), c, upto=C)
    none, recursion_step = d.recursion(
        "blocks that end by a rejection, each by what it counts", eq(R[0], 0), eq(R[n + 1], R[n] + (n + extra) * ends)
    )
    return R, none, recursion_step


def over(d: Derivation, fact: Fact) -> Fact:
    """The sum of a statement about every context."""
    return d.sum("over the contexts", fact, c, upto=C)
