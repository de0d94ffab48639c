"""RDK with the affinity matrix of Eq. 2 accepts at least as often as TLI, for any drafter.

`rdk.any-drafter`, with its correction and its sharper form: RDK 4, first sentence.
"""

from __future__ import annotations

import math

import numpy as np

from simspec.claims.authoring import Array, Draw, F, broken, circulation, close, is_exact, law, mask, matrix, norm1
from simspec.claims.claim import Instance, Printed, at_least, bound, identity
from simspec.claims.rdk.parts import (
    HALF,
    ROWS,
    SWAP,
    alpha_rdk,
    alpha_tli,
    drift,
    normal_rows,
    stochastic,
    weights,
)
from simspec.claims.rdk.softmax import jacobian
from simspec.laws import Scalar, restrict
from simspec.laws.unchecked import overlap

__all__ = ["OWN", "own_covariance", "own_weights"]

OWN = "log W = Ω/τ with Ω = diag(p) − ppᵀ, the covariance of the target's own token, and τ > 0"


def _exponents(p: Array) -> Array:
    """Ω = diag(p) − ppᵀ in units of the greatest number of which every entry is a multiple: whole numbers.

    >>> _exponents(law("1/2", "1/2")).tolist()
    [[1, -1], [-1, 1]]
    """
    omega = jacobian(p)
    integer_matrix = omega * math.lcm(*(F(v).denominator for v in omega.ravel()))
    return np.vectorize(int, otypes=[object])(
        integer_matrix // max(1, math.gcd(*(int(v) for v in integer_matrix.ravel())))
    )


def own_weights(p: Array, base: Scalar) -> Array:
    """W = exp(Ω/τ) for Ω = diag(p) − ppᵀ: rational, at the temperature at which the unit of Ω is worth the factor `base`.

    >>> own_weights(law("1/2", "1/2"), F(2)).tolist()
    [[Fraction(2, 1), Fraction(1, 2)], [Fraction(1, 2), Fraction(2, 1)]]
    """
    weights = np.empty((len(p), len(p)), dtype=object)
    weights[:] = [[F(base) ** e for e in row] for row in _exponents(p).tolist()]
    return weights


def own_covariance(p: Array, W: Array) -> bool:
    """Whether W = exp(Ω/τ) for Ω = diag(p) − ppᵀ and some τ > 0, or for τ → ∞.

    >>> own_covariance(law("1/2", "1/2"), matrix("2 1/2", "1/2 2")), own_covariance(law("1/2", "1/2"), matrix("2 1", "1 2"))
    (True, False)
    """
    if not (W > 0).all():
        return False
    if not is_exact(W):
        logs = np.log(W)
        omega = jacobian(p)
        scale = (logs * omega).sum() / max((omega**2).sum(), 1e-300)
        return bool(scale >= 0 and np.allclose(logs, scale * omega, atol=1e-9))
    units = _exponents(p)
    at = np.argmax(p)
    if units[at, at] == 0:  # the target is sure of one token: Ω = 0
        return bool((W == 1).all())
    # every entry is the same power of its own whole number of units; a variance weighs at least 1
    unit = W[at, at]
    root = int(units[at, at])
    same = all(w**root == unit ** int(e) for w, e in zip(W.ravel(), units.ravel(), strict=True))
    return same and unit >= 1


def _covariance_step(draw: Draw) -> Instance:
    if draw.exact:
        n = draw.integer(1, 3)
        p, q = draw.pair(n)
        W = own_weights(p, 1 + F(1, draw.integer(1, 4)))
    else:
        n = draw.vocab(matrix=True)
        p, q = (side[0] for side in draw.pair(n))
        W = np.exp(jacobian(p) * draw.number(1, 8))
    return {"p": p, "q": q, "shared": draw.mask(n), "W": W}


ANY_DRAFTER = bound(
    name="rdk.any-drafter",
    statement=r"With $M$ from Eq. 2, RDK “provably increases the acceptance rate over TLI for any drafter”: "
    r"$\alpha(p, M^\top q') \ge \alpha(p, q')$, $\Omega$ the covariance of the target's own token",
    reference="RDK 4, first sentence",
    instances=_covariance_step,
    assumes={OWN: own_covariance},
    lhs=lambda p, q, shared, W: alpha_rdk(p, q, shared, normal_rows(W)),
    rhs=alpha_tli,
    relation=at_least,
    outside={OWN: {"p": law(1, 0), "q": law(1, 0), "shared": mask("11"), "W": matrix("1 3", "3 1")}},
    within=({"p": law("2/3", "1/3"), "q": law("2/3", "1/3"), "shared": mask("11"), "W": matrix("2 1/2", "1/2 2")},),
    corrected_by=("rdk.any-drafter-corrected", "rdk.any-drafter-sharp", "rdk.never-worse-sharp"),
    note="Here M is W = exp(Ω/τ) with its rows normalised, Ω = diag(p) − ppᵀ the covariance of a token drawn from the "
    "target; W is rational, at "
    "temperatures where a unit of Ω is worth a rational factor. A drafter that already equals the target loses under every "
    "M of Eq. 2 except at one target, the stationary law of M.",
    printed=Printed(
        place="RDK 4, first sentence",
        text="a new algorithm that provably increases the acceptance rate over TLI for any drafter",
        read="With the matrix of Eq. 2, whatever the drafter.",
    ),
)


def _stationary_target(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    if draw.integer(0, 1):
        W = weights(draw, n)
        M = normal_rows(W)
        p = W.sum(axis=-1) / W.sum()
    else:
        M, p = circulation(draw, n)
    return {"p": p, "q": draw.pair(n)[1], "shared": draw.mask(n), "M": M}


FIXED = "p is stationary: Mᵀp = p"

ANY_DRAFTER_CORRECTED = bound(
    name="rdk.any-drafter-corrected",
    statement=r"$\alpha(p, M^\top q') \ge \alpha(p, q')$ for every drafter $q'$ when $M^\top p = p$; for $M$ of Eq. 2 "
    r"that is $p_i \propto \sum_k e^{\Omega_{ik}/\tau}$",
    reference="correction of RDK 4, first sentence",
    instances=_stationary_target,
    assumes={ROWS: stochastic, FIXED: lambda p, M: close(p @ M, p)},
    lhs=alpha_rdk,
    rhs=alpha_tli,
    relation=at_least,
    tight=({"p": HALF, "q": law(1, 0), "shared": mask("11"), "M": SWAP},),
    outside={
        ROWS: {"p": HALF, "q": law(1, 0), "shared": mask("11"), "M": matrix("2 -1", "-1 2")},
        FIXED: {"p": law(1, 0), "q": law(1, 0), "shared": mask("11"), "M": matrix("2/3 1/3", "1/3 2/3")},
    },
    corrected_by=("rdk.any-drafter-sharp",),
    note="‖Mᵀ(q' − p)‖₁ ≤ ‖q' − p‖₁. The condition is also necessary: rdk.any-drafter-sharp. Ω is symmetric, so "
    "M of Eq. 2 is reversible and its only stationary law is proportional to the row sums of exp(Ω/τ): rdk.stationary-target. A "
    "fixed M that serves every target is the identity.",
    broken=[
        broken(
            "the map and its transpose, halved",
            lhs=lambda p, q, shared, M: overlap(p, restrict(q, shared) @ M.T @ M) / 2,
        ),
        broken("the overlap of the target with itself", rhs=lambda p: overlap(p, p)),
    ],
)

ANY_DRAFTER_SHARP = identity(
    name="rdk.any-drafter-sharp",
    statement=r"A drafter that already is the target falls to $\alpha(p, M^\top p) = 1 - \tfrac12 \lVert M^\top p - p\rVert_1$, "
    r"which is below $\alpha(p, p) = 1$ unless $M^\top p = p$",
    reference="own statement: the condition of rdk.any-drafter-corrected is necessary",
    instances=lambda draw: {"p": draw.pair(n := draw.vocab(matrix=True))[0], "M": draw.matrix(n)},
    lhs=lambda p, M: np.stack([overlap(p, p @ M), (overlap(p, p @ M) == 1) * 1 if is_exact(p) else 1 + 0 * norm1(p)]),
    rhs=lambda p, M: np.stack([1 - drift(M, p) / 2, (drift(M, p) == 0) * 1 if is_exact(p) else 1 + 0 * norm1(p)]),
    note="α = 1 − ½‖p − d‖₁ with d = Mᵀp.",
    broken=[broken("one minus the drift", rhs=lambda p, M: np.stack([1 - drift(M, p), (drift(M, p) == 0) * 1]))],
)
