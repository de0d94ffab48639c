"""rdk.any-drafter: no draft loses exactly when the target is stationary; a draft that is the target shows that it must be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, j, laws, le
from proofs_check.rdk._stochastic_maps import (
    Stochastic,
    acceptance,
    apart,
    image,
    minus,
    moved_law,
    non_expansive,
    stochastic,
)
from simspec.claims.claim import Instance
from simspec.claims.rdk.any_drafter import ANY_DRAFTER, ANY_DRAFTER_CORRECTED, ANY_DRAFTER_SHARP, FIXED, own_weights
from simspec.claims.rdk.parts import ROWS, normal_rows
from simspec.laws import Array, restrict


def by_size(denominators: int = 3) -> Iterator[Instance]:
    """Two tokens: targets and drafts in multiples of 1, ½, ⅓; a unit of the target's covariance is worth 2, 3 or 4."""
    for base, denominator in product(range(2, 5), range(1, denominators + 1)):
        for p, q in product(laws(2, denominator), repeat=2):
            W = own_weights(p, base)
            yield {"p": p, "q": q, "shared": np.ones(2, dtype=bool), "W": W, "M": normal_rows(W)}


def one_token() -> Iterator[Instance]:
    """One token: M is the identity."""
    (law,) = laws(1, 1)
    yield {"p": law, "q": law, "shared": np.ones(1, dtype=bool), "W": own_weights(law, 2)}


def prove_corrected(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, target, draft and row-stochastic matrix with a stationary target; which target that is for M of
    Eq. 2, p ∝ Σ_j e^(Ω_ij/τ), is rdk.stationary-target.

    No constant to improve: the exchange of two tokens with a uniform target keeps every acceptance rate, and by
    rdk.any-drafter-sharp no other targets will do.
    """
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    M = sp.IndexedBase("M", real=True)
    signs, rows = d.assume(ROWS, *stochastic(M))
    still = d.assume(FIXED, eq(image(p, M)(j), constant * p[j]))
    r = image(q, M)
    with_m = acceptance(d, p, r, mass_p, moved_law(d, "Mᵀq'", q, mass_q, M, rows), "RDK")
    without = acceptance(d, p, lambda k: q[k], mass_p, mass_q, "TLI")
    shrunk = non_expansive(d, minus(q, p), Stochastic(M, signs, rows), sign)
    difference = image(q, M)(j) - image(p, M)(j)
    same = d.summed("Mᵀq' − p is Mᵀ(q' − p)", eq(sp.Abs(r(j) - p[j]), sp.Abs(difference)), still, over=j)
    nearer = d.derive("RDK drafts no farther from p", le(apart(p, r), apart(p, lambda k: q[k])), same, shrunk)
    d.qed(
        d.derive("so it is accepted as often", ge(with_m.relation.lhs, without.relation.lhs), with_m, without, nearer)
    )


def prove_sharp(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """Every vocabulary, target and matrix; whether α is 1 is read off its integer part."""
    p, mass = d.law("p")
    M = sp.IndexedBase("M", real=True)
    _, rows = d.domain("M is row-stochastic", *stochastic(M))
    r = image(p, M)
    rate = acceptance(d, p, r, mass, moved_law(d, "Mᵀp", p, mass, M, rows), "RDK", sign * half)
    drift = apart(p, r)
    certain = eq(sp.floor(rate.relation.lhs), sp.floor(1 - half * drift))
    d.qed(rate, d.derive("it is 1, ⌊α⌋ = 1, exactly when nothing moves, ⌊1 − ½‖Mᵀp − p‖₁⌋ = 1", certain, rate))


def _values(p: Array, M: Array, q: Array | None = None, shared: Any = None) -> dict[str, Any]:
    draft = {} if q is None else {"q": restrict(q, shared)}
    return {"p": p, "M": M, "V": len(p), **draft}


PROOFS = (
    Refutation(
        ANY_DRAFTER,
        by_size,
        scope="the first with two tokens, by the factor that a unit of the covariance is worth, an integer, and the "
        "denominator of the laws; with one token M is the identity",
        repaired={FIXED: ANY_DRAFTER_CORRECTED, "V = 1": one_token},
    ),
    Proof(ANY_DRAFTER_CORRECTED, prove_corrected, drop=FIXED, bind=_values),
    Proof(ANY_DRAFTER_SHARP, prove_sharp, drop="M is row-stochastic", change={"half": sp.Rational(1, 3)}, bind=_values),
)
