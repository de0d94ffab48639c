"""select.accepted-share: a share of what was drafted weighs contexts by use, and a covariance is what that changes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from typing import Any

from proofs_check.language import Derivation, Proof, Refutation, eq, gt, total, x
from simspec.claims.authoring import exact
from simspec.claims.claim import Instance
from simspec.claims.select.accepted_share import ACCEPTED_SHARE, ACCEPTED_SHARE_CORRECTED
from simspec.laws import Array

USED = "it is used somewhere"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of contexts, all weights, rates and uses; contexts are the tokens of the sums.

    Zero exactly where use and acceptance are uncorrelated.
    """
    w, mass = d.law("w")
    used = d.weights("used")
    a = d.weights("a")
    U = total(w[x] * used[x], x)
    A = total(w[x] * a[x], x)
    some = d.domain(USED, gt(U, 0))
    use = d.number("use", positive=True)
    mean = d.number("mean", 0)
    is_use, is_mean = d.domain("their means", eq(U, use), eq(A, mean))
    products = total(w[x] * used[x] * a[x], x)
    covariance = total(w[x] * (used[x] - use) * (a[x] - mean), x)
    multiplied = d.derive("multiplied out", eq(covariance, products - use * mean), mass, is_use, is_mean)
    d.qed(
        d.derive(
            "over the mean use",
            eq(constant * (products / use - mean), sign * covariance / use),
            multiplied,
            some,
        )
    )


def _values(w: Array, rates: Array, used: Array) -> dict[str, Any]:
    return {"w": w, "used": used, "a": rates, "use": (w * used).sum(), "mean": (w * rates).sum(), "V": len(w)}


def _contexts(even: bool) -> Iterator[Instance]:
    """Two contexts of equal weight, rates and uses 0, 1/2 and 1; the same use in both where `even`."""
    halves = (F(1), F(0), F(1, 2))
    pairs = [exact(list(pair)) for pair in product(halves, repeat=2)]
    for rates, used, other_rates, other_used in product(pairs, repeat=4):
        if used.any() and other_used.any() and (not even or (used[0] == used[1] and other_used[0] == other_used[1])):
            yield {
                "w": exact([F(1, 2), F(1, 2)]),
                "rates": rates,
                "used": used,
                "other_rates": other_rates,
                "other_used": other_used,
            }


PROOFS = (
    Refutation(
        ACCEPTED_SHARE,
        lambda: _contexts(False),
        scope="the first of two contexts with rates and uses in halves",
        repaired={
            "each is used alike in all contexts": lambda: _contexts(True),
            "less the covariance over the mean use": ACCEPTED_SHARE_CORRECTED,
        },
    ),
    Proof(ACCEPTED_SHARE_CORRECTED, prove, drop="w sums to one", bind=_values),
)
