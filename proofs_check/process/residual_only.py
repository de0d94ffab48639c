"""process.residual-only: outside the truncation nothing is drawn after a rejection, and what is accepted there stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, total, x
from simspec.claims.claim import Instance
from simspec.claims.process.residual_only import RESIDUAL_ONLY, RESIDUAL_ONLY_CORRECTED, first_token, likeliest
from simspec.laws import Array, top_k

INSIDE = "what is drawn after a rejection, and the truncated target, are within the truncation"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every truncation and every law drawn within it after a rejection.

    Equality where no token of the truncation has more than the truncated target gives it.
    """
    p = d.weights("p")
    q = d.weights("q")
    redrawn, mass = d.law("redrawn")
    cut, mass_cut = d.law("cut")
    out = d.weights("out")
    inside_redrawn, inside_cut, bit = d.domain(
        INSIDE, eq(out[x] * redrawn[x], 0), eq(out[x] * cut[x], 0), eq(out[x] * (1 - out[x]), 0)
    )
    accepted = sp.Min(p[x], q[x])
    emitted = accepted + (1 - total(accepted, x)) * redrawn[x]
    outside = d.derive(
        "outside the truncation",
        eq(out[x] * (emitted - cut[x]), out[x] * accepted),
        inside_redrawn,
        inside_cut,
    )
    half = d.derive(
        "a distance and its difference",
        ge(sp.Abs(emitted - cut[x]), 2 * out[x] * (emitted - cut[x]) - (emitted - cut[x])),
        bit,
        by="smt",
    )
    half = d.derive(
        "of accepted mass", ge(half.relation.lhs, 2 * out[x] * accepted - (emitted - cut[x])), half, outside
    )
    half = d.sum("over the vocabulary", half, x)
    equal_mass = d.derive("both are laws", eq(total(emitted, x), total(cut[x], x)), mass, mass_cut)
    distance = total(sp.Abs(emitted - cut[x]), x) / 2
    d.qed(
        d.derive(
            "half of it", ge(sign * constant * distance, constant**2 * total(out[x] * accepted, x)), half, equal_mass
        )
    )


def _values(p: Array, q: Array, k: int) -> dict[str, Any]:
    """What is drawn after a rejection, from what is emitted; where nothing is rejected, the truncated target."""
    accepted = [min(a, b) for a, b in zip(p, q, strict=True)]
    rejected = 1 - sum(accepted)
    cut = top_k(p, k)
    redrawn = (first_token(p, q, k) - accepted) / rejected if rejected else cut
    return {"p": p, "q": q, "redrawn": redrawn, "cut": cut, "out": (~likeliest(p, k)).astype(int), "V": len(p)}


def _cuts() -> Iterator[Instance]:
    """Pairs of laws by vocabulary and denominator, and every number of tokens that are left."""
    for pair in by_size():
        yield from ({**pair, "k": k} for k in range(1, len(pair["p"]) + 1))


PROOFS = (
    Refutation(
        RESIDUAL_ONLY,
        _cuts,
        scope="the first by vocabulary and denominator",
        repaired={
            "nothing is cut": lambda: (i for i in _cuts() if i["k"] == len(i["p"])),
            "at least what both have outside": RESIDUAL_ONLY_CORRECTED,
        },
    ),
    Proof(RESIDUAL_ONLY_CORRECTED, prove, drop=INSIDE, bind=_values),
)
