"""csqs.alpha-reduces-k: one update rises with α; the next falls by what the higher threshold drops."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.csqs._recursion import bind, n, text, threshold
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, laws
from simspec.claims.claim import Instance
from simspec.claims.csqs.alpha_reduces_k import PATH, PATH_CORRECTED


def prove(d: Derivation, sign: int = 1, constant: Any = 1, again: int = 1) -> None:
    """Every text, start and step size, two targets; both readings of an empty set."""
    w = text(d)
    larger = d.number("alpha_2", 0)
    found: list[Fact] = []
    for top in (False, True):
        h = threshold(d, w, top, sign)
        first = d.instantiate("the first update", h.update, {n: 0})
        name = "keep-top" if top else "literal"
        other = sp.Symbol("other_top" if top else "other", real=True)
        moved = d.define(
            f"the first update with the other target, {name}", other, w.start - w.eta * (h.drop[0] - again * larger)
        )
        goal = eq(other - h.beta[1], constant * sign * w.eta * (larger - w.alpha))
        found.append(d.derive("the thresholds differ by", goal, moved, first, h.at_start))
    d.qed(*found)


def bound(larger_target: Any, **instance: Any) -> dict[str, Any]:
    return {**bind(**instance), "alpha_2": larger_target}


def by_size() -> Iterator[Instance]:
    """Three positions of two tokens, laws in halves, start 0, steps 1 to 4, targets in halves."""
    pairs = list(laws(2, 2))
    for eta, low, high in product((F(1), F(2), F(4)), (F(1, 4), F(1, 2)), (F(1, 2), F(3, 4))):
        for rows in product(pairs, repeat=3):
            if high >= low:
                yield {
                    "q": np.stack(rows),
                    "start": F(0),
                    "step_size": eta,
                    "dropped_target": low,
                    "larger_target": high,
                }


PROOFS = (
    Refutation(
        PATH,
        by_size,
        scope="three positions of two tokens, laws in halves, start 0",
        repaired={
            "two positions": lambda: ({**c, "q": c["q"][:2]} for c in by_size()),
            "the corrected statement": PATH_CORRECTED,
        },
    ),
    Proof(PATH_CORRECTED, prove, drop={"again": 0}, bind=bound),
)
