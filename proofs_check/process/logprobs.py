"""process.logprobs: only tokens that are drawn after a rejection are reported, and these have the law p − min(p, q)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, total, x
from proofs_check.process._step import NORMED, emitted, residual
from simspec.claims.claim import Instance
from simspec.claims.process.logprobs import LOGPROBS, LOGPROBS_CORRECTED, logs
from simspec.laws import Array, overlap


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, whatever is reported of a token that is no accepted draft."""
    step = emitted(d, sign=sign, constant=constant)
    L = sp.IndexedBase("L", real=True)
    redrawn = (1 - total(step.accepted, x)) * step.r[x]
    reported = d.derive("of a token", eq(redrawn * L[x], (step.p[x] - step.accepted) * L[x]), step.lossless)
    d.qed(d.sum("over the vocabulary", reported, x))


def _values(p: Array, q: Array) -> dict[str, Any]:
    return {**residual(p, q), "L": logs(p)}


def _disjoint() -> Iterator[Instance]:
    """Nothing that is drafted is accepted."""
    return (instance for instance in by_size() if overlap(instance["p"], instance["q"]) == 0)


PROOFS = (
    Refutation(
        LOGPROBS,
        by_size,
        scope="the first pair by vocabulary and denominator",
        repaired={"no draft is accepted": _disjoint, "the rejected ones alone": LOGPROBS_CORRECTED},
    ),
    Proof(LOGPROBS_CORRECTED, prove, drop=NORMED, bind=_values),
)
