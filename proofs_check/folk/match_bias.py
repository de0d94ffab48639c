"""folk.match-bias: a sample that is always emitted has the target's law; one that is emitted if it matches leans to the draft."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.folk._one_step import unlike
from proofs_check.folk._samples import proof
from proofs_check.language import Derivation, Proof, Refutation, eq, total, x
from simspec.claims.folk.match_bias import FRESH, TARGET, TARGET_CORRECTED, WITNESS

NAMED = "the law that is named"
AGAIN = "a match is emitted, or else a new sample"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size and all laws; and the total variation of the two laws named."""
    p, _ = d.law("p")
    q = d.weights("q")
    hit = d.weights("hit")
    miss = d.weights("miss")
    match_rate = total(p[x] * q[x], x)
    of_hit, of_miss = d.domain(AGAIN, eq(hit[x], q[x] * p[x]), eq(miss[x], (1 - sign * match_rate) * p[x]))
    emitted = eq(hit[x] + constant * miss[x], p[x] * (1 + q[x] - match_rate))
    a = d.number("first", 0)
    b = d.number("second", 0)
    named = d.domain(NAMED, eq(a, sp.Rational(3, 4)), eq(b, sp.Rational(1, 4)))
    same = a**2 + b**2
    total_shift = (sp.Abs(a * (1 + a - same) - a) + sp.Abs(b * (1 + b - same) - b)) / 2
    d.qed(
        d.derive("either way", emitted, of_hit, of_miss),
        d.smt("for p = q = (3/4, 1/4)", eq(total_shift, sp.Rational(3, 32)), *named),
    )


def _values(p: Any, q: Any) -> dict[str, Any]:
    return {
        "p": p,
        "q": q,
        "hit": p * q,
        "miss": (1 - (p * q).sum()) * p,
        "V": len(p),
        "first": WITNESS[0],
        "second": WITNESS[1],
    }


PROOFS = (
    Refutation(
        TARGET,
        unlike,
        scope="the first pair of different laws over two tokens without zeros; by the corrected claim every pair is one",
        repaired={"the output law is p": TARGET_CORRECTED},
    ),
    proof(TARGET_CORRECTED, lambda p, q: q),
    Proof(FRESH, prove, drop=AGAIN, bind=_values),
)
