"""relaxed.fsd-law: all is kept, or nothing and the replacement is emitted."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.folk._one_step import by_size as pairs
from proofs_check.language import Derivation, Proof, Refutation, eq, total, x
from simspec.claims.claim import Instance
from simspec.claims.relaxed.fsd_law import FSD_RESIDUAL, FSD_RESIDUAL_CORRECTED, FSD_TARGET
from simspec.laws import tv
from simspec.methods import SD

SIDE = "b is 1 where the divergence is at most T, else 0"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every divergence and threshold."""
    r = d.weights("r")
    b = sp.Symbol("b", real=True)
    q, mass = d.law("q")
    bit = d.domain(SIDE, eq(b * (1 - b), 0))
    k, o = (sp.IndexedBase(name, real=True) for name in ("k", "o"))
    accepted = d.define("kept", k[x], b * q[x])
    rate = d.sum("over the vocabulary", accepted, x)
    out = d.define("emitted", o[x], k[x] + (constant - total(k[x], x)) * r[x])
    half = d.derive("all or nothing", eq(total(k[x], x), b), rate, mass)
    d.qed(d.smt("so is what is emitted", eq(o[x], b * q[x] + (1 - sign * b) * r[x]), out, half, accepted, bit))


def by_size() -> Iterator[Instance]:
    """Pairs of laws, and thresholds."""
    return ({**i, "threshold": t} for i in pairs((1, 2), 3) for t in (F(0), F(1, 4), F(1)))


def _bind(replacement: Any) -> Any:
    def bind(p: Any, q: Any, threshold: Any) -> dict[str, Any]:
        return {"q": q, "r": replacement(p, q), "b": int(tv(p, q) <= threshold), "V": len(p)}

    return bind


PROOFS = (
    Proof(FSD_TARGET, prove, drop="q sums to one", bind=_bind(lambda p, q: p)),
    Refutation(
        FSD_RESIDUAL,
        by_size,
        scope="the first pair by vocabulary and denominator",
        repaired={
            "replacement from p": FSD_TARGET,
            "norm((p − q)₊) where it is refused": FSD_RESIDUAL_CORRECTED,
        },
    ),
    Proof(FSD_RESIDUAL_CORRECTED, prove, drop="q sums to one", bind=_bind(SD.residual)),
)
