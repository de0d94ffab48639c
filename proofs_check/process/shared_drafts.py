"""process.shared-drafts: each sample is a step of its own; that both accept is the mean of a square."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, total, x
from proofs_check.process._step import NORMED, emitted, residual
from simspec.claims.process.shared_drafts import BATCH, BATCH_CORRECTED, TEXT
from simspec.laws import Array, ratio

RATIO = "a draft is accepted with probability min(p, q)/q"


def prove_texts(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws: of a sample that tests with its own uniforms it is nothing who shares its draft."""
    step = emitted(d, sign=sign, constant=constant)
    d.qed(step.lossless, step.lossless)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    Equality exactly where every draft is accepted with one probability.
    """
    p = d.weights("p")
    q, mass = d.law("q")
    a = d.weights("a")
    accepted = sp.Min(p[x], q[x])
    rate = d.domain(RATIO, eq(a[x] * q[x], accepted))
    alpha = sp.Symbol("alpha", real=True)
    is_alpha = d.define("the acceptance rate", alpha, total(accepted, x))
    spread = d.derive("a square", ge(q[x] * (a[x] - alpha) ** 2, 0), by="smt")
    spread = d.derive(
        "multiplied out", ge(q[x] * a[x] ** 2, 2 * alpha * accepted - alpha**2 * q[x]), spread, rate, by="smt"
    )
    spread = d.sum("over the drafts", spread, x)
    both_accept = total(q[x] * a[x] * a[x], x)
    square = d.derive("of the mean", ge(both_accept, alpha**2), spread, mass, is_alpha)
    d.qed(
        d.derive(
            "by its name", ge(sign * constant * both_accept, constant**2 * total(accepted, x) ** 2), square, is_alpha
        )
    )


def _values(p: Array, q: Array) -> dict[str, Any]:
    return {"p": p, "q": q, "a": np.minimum(ratio(p, q), 1), "V": len(p)}


PROOFS = (
    Proof(TEXT, prove_texts, drop=NORMED, bind=residual),
    Refutation(
        BATCH,
        by_size,
        scope="the first pair by vocabulary and denominator",
        repaired={
            "a target that is sure": lambda: (i for i in by_size() if i["p"].max() == 1),
            "both accept no less often": BATCH_CORRECTED,
        },
    ),
    Proof(BATCH_CORRECTED, prove, drop=RATIO, bind=_values),
)
