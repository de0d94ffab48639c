"""tasc.suffix-suppression: the new token takes its share of the old one's mass, which keeps the rest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, laws, total, x
from simspec.claims.authoring import law
from simspec.claims.claim import Instance
from simspec.claims.tasc.suffix_suppression import SUPPRESSION, SUPPRESSION_CORRECTED, merged
from simspec.laws import Array

MERGED = "what begins with the pair is written with the new token"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, law of first tokens and law after them."""
    first, mass = d.law("first")
    is_zero, rest = (sp.IndexedBase(name, real=True) for name in ("own", "rest"))
    a, f, new, alone = sp.symbols("a f new alone", real=True)
    here = d.domain(
        "token 0, and the others as they were",
        eq(total(is_zero[x] * first[x], x), f),
        eq(rest[x], (1 - is_zero[x]) * first[x]),
    )
    split = d.domain(MERGED, eq(new, a * f), eq(alone, f - sign * new))
    others = d.sum("over the vocabulary", here[1], x)
    d.qed(
        d.derive("the difference", eq(new - alone, f * (2 * constant * a - 1)), *split),
        d.derive("the others keep theirs", eq(total(rest[x], x), 1 - f), others, here[0], mass),
    )


def bind(first: Array, after: Array) -> dict[str, Any]:
    """The merged law by its parts."""
    merged_law = merged(first, after)
    at_zero = [int(t == 0) for t in range(len(first))]
    others = {"rest": [0, *merged_law[2:].tolist()], "own": at_zero, "V": len(first)}
    return {**others, "first": first, "a": after[0], "f": first[0], "new": merged_law[0], "alone": merged_law[1]}


def followers(half: bool = False) -> Iterator[Instance]:
    """One first token; two, then three followers in fifths, the likeliest first (with half of the mass, or any)."""
    for vocab in (2, 3):
        for after in laws(vocab, 5):
            falling = all(a >= b for a, b in pairwise(after))
            if falling and after[-1] and (2 * after[0] >= 1 or not half):
                yield {"first": law(1), "after": after}


PROOFS = (
    Refutation(
        SUPPRESSION,
        followers,
        scope="one first token, two or three followers in fifths, each with mass, the likeliest first",
        repaired={
            "the follower has half of the mass": lambda: followers(half=True),
            "as a difference": SUPPRESSION_CORRECTED,
        },
    ),
    Proof(SUPPRESSION_CORRECTED, prove, drop=MERGED, bind=bind),
)
