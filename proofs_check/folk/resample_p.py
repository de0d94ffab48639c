"""folk.resample-p: a fresh draw adds (1 − α) p to what is kept; that is p only where min(p, q) is α p."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, total, x
from simspec.claims.folk.resample_p import EVERY, EVERY_CORRECTED, FRESH, SOME
from simspec.laws import overlap
from simspec.methods import output_law

AGAIN = "what is not kept is drawn from p again"
THESE = "the two laws that are named"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size and all laws."""
    p = d.weights("p")
    q = d.weights("q")
    o = d.weights("o")
    overlap = sp.Min(p[x], q[x])
    alpha = total(sp.Min(p[x], q[x]), x)
    again = d.domain(AGAIN, eq(o[x], overlap + (constant - alpha) * p[x]))
    per_token = d.derive("of each token", eq(sp.Abs(o[x] - p[x]), sp.Abs(overlap - sign * alpha * p[x])), again)
    half = sp.S.Half
    apart = d.sum("over the vocabulary", per_token, x)
    d.qed(d.derive("half of it", eq(half * total(sp.Abs(o[x] - p[x]), x), half * apart.relation.rhs), apart))


def prove_some(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """The two laws that are named."""
    p, q, o = (sp.IndexedBase(name, real=True) for name in "pqo")
    first = sp.Integer(1)
    second = sp.Integer(2)
    laws = d.domain(
        THESE,
        *(eq(p[first], sp.S.Half), eq(p[second], sp.S.Half), eq(q[first], 1), eq(q[second], 0)),
    )
    alpha = sp.Min(p[first], q[first]) + sp.Min(p[second], q[second])
    again = d.domain(
        AGAIN,
        *(eq(o[k], sp.Min(p[k], q[k]) + (constant - sign * alpha) * p[k]) for k in (first, second)),
    )
    apart = (sp.Abs(o[first] - p[first]) + sp.Abs(o[second] - p[second])) / 2
    d.qed(d.smt("a quarter", eq(apart, sp.Rational(1, 4)), *laws, *again))


def _values(p: Any, q: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "o": output_law(FRESH, p, q), "V": len(p)}


PROOFS = (
    Proof(SOME, prove_some, drop=AGAIN, bind=_values),
    Refutation(
        EVERY,
        by_size,
        scope="the first pair by vocabulary and denominator: the draft never says what the target says",
        repaired={
            "both say the same tokens": lambda: (
                i for i in by_size() if ((i["p"] > 0) == (i["q"] > 0)).all() and overlap(i["p"], i["q"]) < 1
            ),
            "by ½ Σ |min(p, q) − α p|": EVERY_CORRECTED,
        },
    ),
    Proof(EVERY_CORRECTED, prove, drop=AGAIN, bind=_values),
)
