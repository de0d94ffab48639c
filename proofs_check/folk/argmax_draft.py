"""folk.argmax-draft: a mean of p under any law is at most its maximum."""

from __future__ import annotations

from typing import Any

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, ge, total, x
from simspec.claims.folk.argmax_draft import ANY, ANY_CORRECTED, SAME_LAW


def _largest(d: Derivation, p: Any, q: Any, mass: Any, sign: int, constant: Any) -> None:
    top, top_bound, _ = d.extremum("the largest mass", "top", p[x], x)
    per_token = d.derive("no mass exceeds it", ge(sign * top * q[x], constant * p[x] * q[x]), top_bound)
    d.qed(
        d.derive(
            "q has mass one",
            ge(top, total(constant * p[x] * q[x], x)),
            d.sum("over the vocabulary", per_token, x),
            mass,
        )
    )


def prove(d: Derivation, sign: int = 1, constant: Any = 1) -> None:
    """Every vocabulary size and all laws.

    Equality exactly where q has all its mass on tokens of largest p.
    """
    p, _ = d.law("p")
    q, mass = d.law("q")
    _largest(d, p, q, mass, sign, constant)


def prove_same(d: Derivation, sign: int = 1, constant: Any = 1) -> None:
    """Every vocabulary size and all laws.

    Equality exactly for laws that are uniform on their support.
    """
    p, mass = d.law("p")
    _largest(d, p, p, mass, sign, constant)


PROOFS = (
    Refutation(
        ANY,
        by_size,
        scope="the first pair by vocabulary and denominator: the draft is torn, and the target says the second token",
        repaired={
            "q = p": lambda: (i for i in by_size() if (i["p"] == i["q"]).all()),
            "the largest mass of p": ANY_CORRECTED,
        },
    ),
    Proof(ANY_CORRECTED, prove, drop="q sums to one", bind=lambda p, q: {"p": p, "q": q, "V": len(p)}),
    Proof(SAME_LAW, prove_same, drop="p sums to one", bind=lambda p: {"p": p, "V": len(p)}),
)
