"""metrics.min-variance: no whole number lies strictly between k and k + 1, so the mean of (a − k)(a − k − 1) is not negative."""

from __future__ import annotations

from math import floor
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, ge, total, x
from proofs_check.metrics._whole_numbers import none_between
from simspec.claims.metrics.min_variance import MIN_VARIANCE
from simspec.claims.metrics.parts import mean_length


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every law on {0, …, γ}.

    Equality exactly for laws on two neighbouring numbers: of a given mean there is one.
    """
    w, mass = d.law("w")
    k = sp.Symbol("k", integer=True, nonnegative=True)
    a = sp.IndexedBase("a", integer=True, nonnegative=True)
    between = none_between(d, a[x] - k)
    product = sp.expand((a[x] - k) * (a[x] - k - constant))
    per_outcome = d.derive("of each outcome", ge(sign * w[x] * product, 0), between)
    mean = total(w[x] * a[x], x)
    square = total(w[x] * a[x] ** 2, x)
    all_ = d.sum("over the outcomes", per_outcome, x)
    mu = sp.Symbol("mu", real=True)
    named = d.define("the mean", mu, mean)
    second = d.derive("the mean square", ge(square, (2 * k + 1) * mu - k * (k + 1)), all_, mass, named)
    d.qed(
        d.derive(
            "less the square of the mean",
            ge(square - mean**2, (mean - k) * (1 - mean + k)),
            *(second, named),
        )
    )


def _values(w: Any) -> dict[str, Any]:
    return {"w": w, "a": list(range(len(w))), "V": len(w), "k": floor(mean_length(w) - 1)}


PROOF = Proof(MIN_VARIANCE, prove, drop="w is nowhere negative", bind=_values)
