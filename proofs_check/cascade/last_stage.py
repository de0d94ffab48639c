"""cascade.last-stage: a step of the middle model emits its law, of which the target keeps the smaller mass of each token."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.folk._one_step import NORMED, residual, step
from proofs_check.language import Derivation, Proof, eq, total, x
from simspec.claims.cascade.last_stage import LAST_STAGE
from simspec.laws import Array

KEEP = "c is the chance that the target keeps a token, min(1, p/m)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all targets, middle models and drafts."""
    it = step(d, sign=sign, constant=constant)
    target = d.weights("target")
    c = d.weights("c")
    keep = d.domain(KEEP, eq(c[x] * it.p[x], sp.Min(target[x], it.p[x])))
    token = d.derive("of a token", eq(it.emitted * c[x], sp.Min(target[x], it.p[x])), it.lossless, keep)
    token = d.sum("over the vocabulary", token, x)
    d.qed(d.derive("in all", eq(total(it.emitted * c[x], x), total(sp.Min(target[x], it.p[x]), x)), token))


def _values(p: Array, m: Array, q: Array) -> dict[str, Any]:
    chance = [min(a / b, 1) if b else 0 for a, b in zip(p, m, strict=True)]
    return {**residual(m, q), "target": p, "c": chance}


PROOF = Proof(LAST_STAGE, prove, drop=NORMED, bind=_values)
