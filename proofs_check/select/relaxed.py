"""select.relaxed: a mean of rates changes by no more than the masses that move, times the range of the rates."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, ge, laws, le, total, x
from simspec.claims.claim import Instance
from simspec.claims.select.relaxed import RELAXED, RELAXED_CORRECTED, after_first, emitted
from simspec.laws import Array, Scalar

BETWEEN = "every rate is between the least and the largest"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws that are emitted, all rates.

    Attained where all mass that moves goes from a token of the least rate to one of the largest.
    """
    p, mass = d.law("p")
    o, mass_o = d.law("o")
    a = d.weights("a")
    lowest = d.number("least", 0)
    highest = d.number("most", 0)
    above, below = d.domain(BETWEEN, ge(a[x], lowest), le(a[x], highest))
    difference = o[x] - p[x]
    tv = total(sp.Abs(difference), x) / 2
    middle = (lowest + highest) / 2
    half = (highest - lowest) / 2
    up = d.derive(
        "from the middle", le(difference * (a[x] - middle), half * sp.Abs(difference)), above, below, by="smt"
    )
    down = d.derive(
        "and the other way", le(-difference * (a[x] - middle), half * sp.Abs(difference)), above, below, by="smt"
    )
    up = d.sum("over the vocabulary", up, x)
    down = d.sum("over the vocabulary", down, x)
    change = total(difference * a[x], x)
    over = d.derive("more", le(change, tv * (highest - lowest)), up, mass, mass_o)
    under = d.derive("less", le(-change, tv * (highest - lowest)), down, mass, mass_o)
    d.qed(d.derive("either", le(constant * sp.Abs(change), sign * tv * (highest - lowest)), over, under, by="smt"))


def _values(p: Array, q: Array, rival: Array, c: Scalar) -> dict[str, Any]:
    rates = after_first(p, rival)
    return {"p": p[0], "o": emitted(p, q, c), "a": rates, "least": rates.min(), "most": rates.max(), "V": len(rates)}


def _models() -> Iterator[Instance]:
    """Two tokens, laws that are certain and then in halves, drafts that are sure; rules that accept c = 1, 2 times the target."""
    for size in (1, 2):
        rows = list(laws(2, size))
        for first, after, other_row, c in product(rows, rows, rows, (1, 2)):
            for q in laws(2, 1):
                p = np.stack([first, after, after])
                yield {"p": p, "q": q, "rival": np.stack([first, after, other_row]), "c": c}


PROOFS = (
    Refutation(
        RELAXED,
        _models,
        scope="the first by the denominator of its masses, with two tokens",
        repaired={
            "a rule that accepts no more than the target": lambda: (i for i in _models() if i["c"] == 1),
            "at most the total variation": RELAXED_CORRECTED,
        },
    ),
    Proof(RELAXED_CORRECTED, prove, drop=BETWEEN, bind=_values),
)
