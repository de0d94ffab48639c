"""process.mask-law: each mask divides by what it leaves, and the divisors differ from text to text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from proofs_check.language import Derivation, Proof, Refutation, eq, laws, total, x, y
from simspec.claims.claim import Instance
from simspec.claims.process.mask_law import MASK_LAW, MASK_LAW_CORRECTED, allowed_mass
from simspec.laws import Array, restrict

RESTRICTED = "a masked law is the target's on the allowed tokens over its mass there"
BEGINS = "a token is allowed first if and only if a text of the grammar begins with it"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every grammar of texts of two tokens.

    Where a mask leaves nothing of the target both sides are 0, whatever is drawn from there.
    """
    p = d.weights("p")
    after = d.weights("after", x, y)
    first = d.weights("first")
    second = d.weights("second", x, y)
    begins = d.weights("begins")
    text = d.weights("text", x, y)
    allowed = total(begins[x] * p[x], x)
    allowed_after = total(text[x, y] * after[x, y], y)
    of_first, of_second = d.domain(
        RESTRICTED,
        eq(first[x] * allowed, begins[x] * p[x]),
        eq(text[x, y] * second[x, y] * allowed_after, text[x, y] * after[x, y]),
    )
    prefix, only = d.domain(
        BEGINS, eq(begins[x] * text[x, y], text[x, y]), eq((1 - text[x, y]) * first[x] * second[x, y], 0)
    )
    grammar_only = d.derive(
        "only texts of the grammar are written", eq(first[x] * second[x, y], text[x, y] * first[x] * second[x, y]), only
    )
    weighed = d.derive(
        "each mask is paid for",
        eq(
            text[x, y] * first[x] * second[x, y] * allowed * allowed_after,
            sign * begins[x] * p[x] * text[x, y] * after[x, y],
        ),
        of_first,
        of_second,
        by="smt",
    )
    d.qed(
        d.derive(
            "the target's mass on the grammar",
            eq(first[x] * second[x, y] * allowed * allowed_after, constant * text[x, y] * p[x] * after[x, y]),
            grammar_only,
            weighed,
            prefix,
            by="smt",
        )
    )


def _values(p: Array, grammar: Array) -> dict[str, Any]:
    rows = [restrict(p[k + 1], row) if row.any() else p[k + 1] for k, row in enumerate(grammar)]
    return {
        "p": p[0],
        "after": p[1:],
        "first": restrict(p[0], np.array(grammar.any(axis=1))),
        "second": np.stack(rows),
        "begins": grammar.any(axis=1).astype(int),
        "text": grammar.astype(int),
        "V": len(grammar),
    }


def _grammars() -> Iterator[Instance]:
    """Two tokens; tables whose rows are certain, then in halves; every grammar that allows a text."""
    for size in (1, 2):
        for rows, flags in product(product(list(laws(2, size)), repeat=3), product((False, True), repeat=4)):
            if any(flags):
                yield {"p": np.stack(rows), "grammar": np.array(flags).reshape(2, 2)}


PROOFS = (
    Refutation(
        MASK_LAW,
        _grammars,
        scope="the first by the denominator of its masses, with two tokens",
        repaired={
            "the masks leave as much on the way of every text": lambda: (
                i for i in _grammars() if len(set(allowed_mass(i["p"], i["grammar"]).tolist())) == 1
            ),
            "each text weighed by what its masks left": MASK_LAW_CORRECTED,
        },
    ),
    Proof(MASK_LAW_CORRECTED, prove, drop=RESTRICTED, bind=_values),
)
