"""rdk.mean-probability: probabilities sum to one, so their mean is 1/V, of the uniform law too."""

from __future__ import annotations

from typing import Any

from proofs_check.language import Derivation, Proof, Refutation, V, eq, laws, total, x
from simspec.claims.rdk.mean_probability import CONCENTRATED, MEAN


def prove(d: Derivation, sign: int = 1, constant: Any = 1) -> None:
    """Every vocabulary and law."""
    p, mass = d.law("p")
    d.qed(d.derive("divided by V", eq(total(p[x], x) / V, sign * constant / V), mass))


PROOFS = (
    Proof(MEAN, prove, drop="p sums to one", change={"constant": 2}, bind=lambda p: {"p": p, "V": len(p)}),
    Refutation(
        CONCENTRATED,
        lambda: ({"p": p} for p in laws(2, 2)),
        scope="two tokens, masses in halves",
        repaired={
            "the mean is 1/V, of every law": MEAN,
            "no uniform law over an even number of tokens": lambda: (
                {"p": p} for v in (2, 4) for p in laws(v, v) if len({*p.tolist()}) > 1
            ),
        },
    ),
)
