"""One step on two laws: what every proof about it starts from, and pairs of laws in order of size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, laws, total, x
from simspec.claims.claim import Instance
from simspec.claims.folk.parts import rest_of_p

__all__ = ["MARK", "NORMED", "Mark", "Step", "by_size", "mark", "marked", "residual", "step", "unlike"]

NORMED = "the residual is (p − d)₊ over its sum"
MARK = "a is one token"


class Step(NamedTuple):
    """Speculative decoding of d against p: what it emits, that p has mass one, and that what is emitted has law p."""

    p: Any
    d: Any
    emitted: Any
    mass: Fact
    lossless: Fact


def step(d: Derivation, name: str = "q", sign: int = 1, constant: int = 1) -> Step:
    """Both laws, the residual, and the step's losslessness."""
    p, mass = d.law("p")
    draft = d.weights(name)
    accepted = sp.Min(p[x], draft[x])
    over = sp.Max(p[x] - draft[x], 0)
    residual_mass = total(over, x)
    r = d.weights("r")
    normed = d.domain(NORMED, eq(r[x] * residual_mass, constant * over))
    parts = d.derive("kept, and beyond the draft", eq(accepted + sign * over, p[x]))
    parts_sum = d.sum("over the vocabulary", parts, x)
    refused = d.derive("what is refused is what is left", eq(1 - total(accepted, x), residual_mass), parts_sum, mass)
    drawn_again = d.derive("drawn after a refusal", eq((1 - total(accepted, x)) * r[x], over), refused, normed)
    emitted = accepted + (1 - total(accepted, x)) * r[x]
    lossless = d.derive("kept and drawn again", eq(emitted, p[x]), drawn_again, parts)
    return Step(p, draft, emitted, mass, lossless)


def residual(p: Any, drawn: Any, name: str = "q") -> dict[str, Any]:
    """What `step` binds."""
    return {"p": p, name: drawn, "r": rest_of_p(p, drawn), "V": len(p)}


class Mark(NamedTuple):
    """b is 1 at a and 0 elsewhere; A = p(a), B = q(a)."""

    b: Any
    A: Any
    B: Any
    bit: Fact
    one: Fact
    of_p: Fact
    of_q: Fact


def mark(d: Derivation, p: Any, q: Any) -> Mark:
    """A token a, and the masses that the two laws give it."""
    b = d.weights("b")
    A = d.number("A", 0)
    B = d.number("B", 0)
    facts = d.domain(
        MARK,
        eq(b[x] * (1 - b[x]), 0),
        eq(total(b[x], x), 1),
        eq(b[x] * p[x], b[x] * A),
        eq(b[x] * q[x], b[x] * B),
    )
    return Mark(b, A, B, *facts)


def marked(p: Any, q: Any, hot: Any) -> dict[str, Any]:
    """What `mark` binds, with the laws."""
    return {"p": p, "q": q, "b": hot, "A": (p * hot).sum(), "B": (q * hot).sum(), "V": len(p)}


def by_size(vocabs: Sequence[int] = (1, 2, 3), finest: int = 3) -> Iterator[Instance]:
    """All pairs of laws, by vocabulary and then by the denominator of their masses."""
    for vocab in vocabs:
        for denominator in range(1, finest + 1):
            for p, q in product(list(laws(vocab, denominator)), repeat=2):
                yield {"p": p, "q": q}


def unlike() -> Iterator[Instance]:
    """Pairs of different laws over two tokens, neither without a token."""
    return (i for i in by_size((2,)) if (i["p"] != i["q"]).any() and min(*i["p"], *i["q"]) > 0)
