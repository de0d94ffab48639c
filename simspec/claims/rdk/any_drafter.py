"""`rdk.any-drafter`, with its correction and its sharper form: RDK 4, first sentence."""

from __future__ import annotations

import numpy as np

from simspec.claims.claim import Instance, at_least, bound, identity
from simspec.claims.rdk.parts import (
    HALF,
    ROWS,
    SWAP,
    alpha_rdk,
    alpha_tli,
    dominant,
    drift,
    normal_rows,
    stochastic,
    weights,
)
from simspec.claims.words import Array, Draw, circulation, close, is_exact, law, mask, matrix, norm1
from simspec.laws.unchecked import overlap

__all__ = ["exp_of_covariance"]


def exp_of_covariance(W: Array) -> bool:
    """Whether log W is certainly a covariance matrix: symmetric, and diagonally dominant (floats: no eigenvalue below 0).

    >>> exp_of_covariance(matrix("2 1", "1 2")), exp_of_covariance(matrix("1 2", "2 1"))
    (True, False)
    """
    if not (W > 0).all() or not close(W, W.T):
        return False
    if is_exact(W):
        return all(W[i, i] >= dominant(W, i) for i in range(len(W)))
    return float(np.linalg.eigvalsh(np.log(W)).min()) >= -1e-8


def _covariance_step(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    p, q = draw.pair(n)
    return {"p": p, "q": q, "shared": draw.mask(n), "W": weights(draw, n)}


ANY_DRAFTER = bound(
    name="rdk.any-drafter",
    statement=r"With $M$ from Eq. 2, RDK “provably increases the acceptance rate over TLI for any drafter”: "
    r"$\alpha(p, M^\top q') \ge \alpha(p, q')$",
    reference="RDK 4, first sentence",
    instances=_covariance_step,
    assumes={"log W = Ω/τ is a covariance matrix": exp_of_covariance},
    lhs=lambda p, q, shared, W: alpha_rdk(p, q, shared, normal_rows(W)),
    rhs=alpha_tli,
    relation=at_least,
    outside={
        "log W = Ω/τ is a covariance matrix": {
            **{"p": law(1, 0), "q": law(1, 0), "shared": mask("11"), "W": matrix("1 3", "3 1")}
        }
    },
    corrected_by=("rdk.any-drafter-corrected", "rdk.any-drafter-sharp", "rdk.never-worse-sharp"),
    note="Here W = exp(Ω/τ) is rational and M its normalised rows. A drafter that already equals the target loses under every "
    "M of Eq. 2 except at one target, the stationary law of M.",
)


def _stationary_target(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    if draw.integer(0, 1):
        W = weights(draw, n)
        M, p = normal_rows(W), W.sum(axis=-1) / W.sum()
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
)
