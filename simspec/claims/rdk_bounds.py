"""Claims that compare RDK's acceptance with that of TLI: how much worse it can be, and when it never is.

The algebra of the map is in `simspec.claims.rdk`, statements about random logits in `simspec.claims.rdk_chance`.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, at_most, equal
from simspec.claims.draw import Draw
from simspec.claims.rdk_parts import (
    close,
    contraction,
    exp_of_covariance,
    eye,
    mask,
    matrix,
    norm1,
    normal_rows,
    proposed,
    stochastic,
    weights,
)
from simspec.claims.sd import law
from simspec.laws import Array, is_exact, overlap, restrict

__all__ = ["CLAIMS", "circulation", "drift"]

ROWS = "M is row-stochastic"
EPSILON = "ε is at least the ℓ1 distance between Mᵀp and p"
DELTA = "δ is at least the ℓ1 distance between p and π"
STATIONARY = "π is stationary: Nᵀπ = π"


def circulation(draw: Draw, vocab: int) -> tuple[Array, Array]:
    """A row-stochastic matrix with its stationary law, reversible or not: flows whose row and column sums agree."""
    flow = draw.matrix(vocab)
    flow = flow + flow.T + draw.number(0, 1) * np.roll(eye(vocab, draw.exact), 1, axis=1)
    out = flow.sum(axis=-1)
    return flow / out[:, None], out / out.sum()


def drift(M: Array, p: Array) -> Any:
    """‖Mᵀp − p‖₁: how far p is from stationary.

    >>> drift(matrix("0 1", "1 0"), law(1, 0))
    Fraction(2, 1)
    """
    return norm1(p @ M - p)


def _at_least_drift(M: Array, p: Array, epsilon: Any) -> bool:
    return bool((epsilon >= drift(M, p)).all() if np.ndim(epsilon) else epsilon >= drift(M, p))


def _is_stationary(N: Array, pi: Array) -> bool:
    return close(pi @ N, pi)


def _step(draw: Draw) -> dict[str, Any]:
    n = draw.vocab(matrix=True)
    p, q = draw.pair(n)
    return {"p": p, "q": q, "shared": draw.mask(n), "M": draw.matrix(n)}


def _priced(draw: Draw) -> dict[str, Any]:
    step = _step(draw)
    return {**step, "epsilon": drift(step["M"], step["p"]) + draw.integer(0, 1) * draw.number(0, 1)}


def _both_readings(draw: Draw) -> Instance:
    first = _priced(draw)
    N, pi = circulation(draw, len(first["M"]))
    return {**first, "N": N, "pi": pi, "delta": norm1(first["p"] - pi) + draw.integer(0, 1) * draw.number(0, 1)}


def _near(p: Array, pi: Array, delta: Any) -> bool:
    return bool(np.all(norm1(p - pi) <= delta))


HALF = law("1/2", "1/2")
SWAP, STAY = matrix("0 1", "1 0"), matrix("1 0", "0 1")
_AT_P: dict[str, Any] = {"p": law(1, 0), "q": law(1, 0), "shared": mask("11")}
_FREE: dict[str, Any] = {"M": STAY, "epsilon": F(0), "N": STAY, "pi": law(1, 0), "delta": F(0)}
_GROWING: dict[str, Any] = {**_AT_P, "p": law(0, 1), "M": matrix("2 0", "0 1"), "epsilon": F(0)}

WORST_CASE = Claim(
    name="rdk.worst-case",
    kind="bound",
    statement=r"$\lVert M^\top q' - p\rVert_1 \le \lVert q' - p\rVert_1 + \varepsilon$ for row-stochastic $M$ whenever "
    r"$\varepsilon \ge \lVert M^\top p - p\rVert_1$; likewise for $N$ with $\varepsilon = 2\delta$ whenever "
    r"$\lVert p - \pi\rVert_1 \le \delta$ for some $\pi = N^\top \pi$",
    reference="RDK, Theorem 5.1 (restored; both readings of its assumption)",
    instances=_both_readings,
    assumes={
        ROWS: lambda M, N: stochastic(M) and stochastic(N),
        EPSILON: _at_least_drift,
        DELTA: _near,
        STATIONARY: _is_stationary,
    },
    lhs=lambda p, q, shared, M, N: np.stack([norm1(proposed(q, shared, K) - p) for K in (M, N)]),
    rhs=lambda p, q, shared, epsilon, delta: np.stack(
        [norm1(restrict(q, shared) - p) + e for e in (epsilon, 2 * delta)]
    ),
    relation=at_most,
    tight=(
        {**_AT_P, **_FREE, "M": SWAP, "epsilon": F(2)},
        {**_AT_P, **_FREE, "N": SWAP, "pi": HALF, "delta": F(1)},
    ),
    outside={
        ROWS: {**_GROWING, "N": STAY, "pi": law(0, 1), "delta": F(0)},
        EPSILON: {**_AT_P, **_FREE, "M": SWAP},
        DELTA: {**_AT_P, **_FREE, "N": SWAP, "pi": HALF, "delta": F(1, 2)},
        STATIONARY: {**_AT_P, **_FREE, "N": SWAP},
    },
    corrected_by=("rdk.worst-case-sharp",),
    note="Mᵀq' − p = Mᵀ(q' − p) + (Mᵀp − p), and M is non-expansive; with a stationary π, Mᵀp − p = Mᵀ(p − π) + (π − p). "
    "Both constants are attained at q' = p. The theorem bounds a loss; it promises no gain (rdk.never-worse).",
)

WORST_CASE_SHARP = Claim(
    name="rdk.worst-case-sharp",
    kind="bound",
    statement=r"$\lVert M^\top q' - p\rVert_1 \le c(M)\,\lVert q' - p\rVert_1 + \lVert M^\top p - p\rVert_1$, and "
    r"$\lVert N^\top p - p\rVert_1 \le (1 + c(N))\,\lVert p - \pi\rVert_1$ for $\pi = N^\top\pi$, with Dobrushin's $c \le 1$; "
    r"over all matrices the constants 1 and 2 of the theorem are attained",
    reference="own statement, sharpening RDK Theorem 5.1",
    instances=_both_readings,
    assumes={STATIONARY: _is_stationary},
    lhs=lambda p, q, shared, M, N: np.stack([norm1(proposed(q, shared, M) - p), drift(N, p)]),
    rhs=lambda p, q, shared, M, N, pi: np.stack(
        [
            contraction(M) * norm1(restrict(q, shared) - p) + drift(M, p),
            (1 + contraction(N)) * norm1(p - pi),
        ]
    ),
    relation=at_most,
    tight=({**_AT_P, **_FREE, "N": SWAP, "pi": HALF},),
    outside={STATIONARY: {**_AT_P, **_FREE, "N": SWAP}},
    note="RDK is certain to beat TLI where (1 − c)‖q' − p‖₁ exceeds ‖Mᵀp − p‖₁: a bad draft and a nearly stationary target.",
)


def _alpha_rdk(p: Array, q: Array, shared: Array, M: Array) -> Any:
    return overlap(p, proposed(q, shared, M))


def _alpha_tli(p: Array, q: Array, shared: Array) -> Any:
    return overlap(p, restrict(q, shared))


_WITHOUT_ROWS: dict[str, Any] = {"p": HALF, "q": HALF, "shared": mask("11"), "M": matrix("1/2 0", "0 1/2")}

WORST_CASE_ACCEPTANCE = Claim(
    name="rdk.worst-case-acceptance",
    kind="bound",
    statement=r"$\alpha_{\mathrm{RDK}} \ge \alpha_{\mathrm{TLI}} - \varepsilon/2$ whenever "
    r"$\varepsilon \ge \lVert M^\top p - p\rVert_1$, $M$ row-stochastic",
    reference="RDK §5.1, “by Lemma 2.3”",
    instances=_priced,
    assumes={ROWS: stochastic, EPSILON: _at_least_drift},
    lhs=_alpha_rdk,
    rhs=lambda p, q, shared, epsilon: _alpha_tli(p, q, shared) - epsilon / 2,
    relation=at_least,
    tight=({**_AT_P, "p": law("1/2", "1/2"), "q": HALF, "M": matrix("1 0", "1 0"), "epsilon": F(1)},),
    outside={
        ROWS: {"p": HALF, "q": law(1, 0), "shared": mask("10"), "M": matrix("2 -1", "-1 2"), "epsilon": F(0)},
        EPSILON: {**_AT_P, "M": SWAP, "epsilon": F(0)},
    },
    corrected_by=("rdk.worst-case-acceptance-sharp",),
    note="rdk.worst-case halved, as α = 1 − ½‖p − d‖₁.",
)

WORST_CASE_ACCEPTANCE_SHARP = Claim(
    name="rdk.worst-case-acceptance-sharp",
    kind="bound",
    statement=r"$1 - \alpha_{\mathrm{RDK}} \le c(M)\,(1 - \alpha_{\mathrm{TLI}}) + \tfrac12 \lVert M^\top p - p\rVert_1$",
    reference="own statement, sharpening RDK §5.1",
    instances=_step,
    lhs=lambda p, q, shared, M: 1 - _alpha_rdk(p, q, shared, M),
    rhs=lambda p, q, shared, M: contraction(M) * (1 - _alpha_tli(p, q, shared)) + drift(M, p) / 2,
    relation=at_most,
    tight=({**_AT_P, "M": SWAP}, {**_AT_P, "q": law(0, 1), "M": matrix("1 0", "1/2 1/2")}),
    note="rdk.worst-case-sharp halved.",
)

# --- never worse ----------------------------------------------------------------------------------------------------

NEVER_WORSE = Claim(
    name="rdk.never-worse",
    kind="bound",
    statement=r"For any row-stochastic $M$ the RDK drafter is at least as close to the target as the TLI drafter: "
    r"$\alpha(p, M^\top q') \ge \alpha(p, q')$",
    reference="RDK, end of Theorem 5.1",
    instances=_step,
    assumes={ROWS: stochastic},
    lhs=_alpha_rdk,
    rhs=_alpha_tli,
    relation=at_least,
    outside={ROWS: _WITHOUT_ROWS},
    corrected_by=("rdk.never-worse-corrected", "rdk.never-worse-sharp", "rdk.any-drafter-corrected"),
    note="M moves mass that would have been accepted as readily as mass of the drafter kernel; with q' = p every move loses.",
)


def _surplus_only(draw: Draw) -> Instance:
    """A matrix that moves no more of a token's mass than its drafter kernel holds."""
    n = draw.vocab(matrix=True)
    p, q = draw.pair(n)
    p, q = (p, q) if p.ndim == 1 else (p[0], q[0])
    shared, onto, share = draw.mask(n), draw.matrix(n), draw.number(0, 1)
    d = restrict(q, shared)
    kernel = np.maximum(d - p, 0)
    moved = share * np.where(d > 0, kernel / np.where(d > 0, d, 1), 1)[:, None]
    return {"p": p, "q": q, "shared": shared, "M": (1 - moved) * eye(n, draw.exact) + moved * onto}


def _within_kernel(p: Array, q: Array, shared: Array, M: Array) -> bool:
    d = restrict(q, shared)
    rounding = 0 if is_exact(d) else 1e-12
    return bool((d * (1 - np.diagonal(M)) <= np.maximum(d - p, 0) + rounding).all())


NEVER_WORSE_CORRECTED = Claim(
    name="rdk.never-worse-corrected",
    kind="bound",
    statement=r"$\alpha(p, M^\top q') \ge \alpha(p, q')$ when $M$ is row-stochastic and moves no more of any token than its "
    r"drafter kernel: $q'_i (1 - M_{ii}) \le (q'_i - p_i)_+$",
    reference="correction of the end of RDK Theorem 5.1",
    instances=_surplus_only,
    assumes={ROWS: stochastic, "M moves drafter-kernel mass only": _within_kernel},
    lhs=_alpha_rdk,
    rhs=_alpha_tli,
    relation=at_least,
    tight=(
        {"p": law(1, 0, 0), "q": law("1/2", "1/2", 0), "shared": mask("110"), "M": matrix("1 0 0", "0 0 1", "0 0 1")},
    ),
    outside={
        ROWS: {"p": HALF, "q": law(1, 0), "shared": mask("11"), "M": matrix("1 -1", "0 1")},
        "M moves drafter-kernel mass only": {"p": HALF, "q": HALF, "shared": mask("11"), "M": matrix("0 1", "0 1")},
    },
    note="Then Mᵀq' ≥ min(p, q') token by token, and the overlap is kept; what is gained is in rdk.gain. It takes p, which no "
    "drafter knows: only M = I meets the condition for every p and q'; rdk.gain-guessed does with a guess of p.",
)


def _gain_and_loss(p: Array, q: Array, shared: Array, M: Array) -> Any:
    d, r = restrict(q, shared), proposed(q, shared, M)
    gain = np.minimum(np.maximum(p - d, 0), np.maximum(r - d, 0))
    loss = np.maximum(np.maximum(d - r, 0) - np.maximum(d - p, 0), 0)
    return (gain - loss).sum(axis=-1)


NEVER_WORSE_SHARP = Claim(
    name="rdk.never-worse-sharp",
    kind="identity",
    statement=r"$\alpha(p, r) - \alpha(p, q') = \sum_j \min\{(p_j - q'_j)_+, (r_j - q'_j)_+\} - "
    r"\sum_j \big((q'_j - r_j)_+ - (q'_j - p_j)_+\big)_+$ with $r = M^\top q'$: RDK is no worse than TLI exactly when the mass "
    r"that reaches tokens in want is at least the mass taken beyond the drafter kernel",
    reference="own statement, in place of the end of RDK Theorem 5.1",
    instances=_step,
    lhs=lambda p, q, shared, M: _alpha_rdk(p, q, shared, M) - _alpha_tli(p, q, shared),
    rhs=_gain_and_loss,
    relation=equal,
    note="Token by token: where r exceeds q' the overlap grows by what p still wants, where it falls short it shrinks by what "
    "was not surplus.",
)


def _covariance_step(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    p, q = draw.pair(n)
    return {"p": p, "q": q, "shared": draw.mask(n), "W": weights(draw, n)}


ANY_DRAFTER = Claim(
    name="rdk.any-drafter",
    kind="bound",
    statement=r"With $M$ from Eq. 2, RDK “provably increases the acceptance rate over TLI for any drafter”: "
    r"$\alpha(p, M^\top q') \ge \alpha(p, q')$",
    reference="RDK §4, first sentence",
    instances=_covariance_step,
    assumes={"log W = Ω/τ is a covariance matrix": exp_of_covariance},
    lhs=lambda p, q, shared, W: _alpha_rdk(p, q, shared, normal_rows(W)),
    rhs=_alpha_tli,
    relation=at_least,
    outside={
        "log W = Ω/τ is a covariance matrix": {
            **{"p": law(1, 0), "q": law(1, 0), "shared": mask("11"), "W": matrix("1 3", "3 1")},
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

ANY_DRAFTER_CORRECTED = Claim(
    name="rdk.any-drafter-corrected",
    kind="bound",
    statement=r"$\alpha(p, M^\top q') \ge \alpha(p, q')$ for every drafter $q'$ when $M^\top p = p$; for $M$ of Eq. 2 "
    r"that is $p_i \propto \sum_k e^{\Omega_{ik}/\tau}$",
    reference="correction of RDK §4, first sentence",
    instances=_stationary_target,
    assumes={ROWS: stochastic, FIXED: lambda p, M: close(p @ M, p)},
    lhs=_alpha_rdk,
    rhs=_alpha_tli,
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

ANY_DRAFTER_SHARP = Claim(
    name="rdk.any-drafter-sharp",
    kind="identity",
    statement=r"A drafter that already is the target falls to $\alpha(p, M^\top p) = 1 - \tfrac12 \lVert M^\top p - p\rVert_1$, "
    r"which is below $\alpha(p, p) = 1$ unless $M^\top p = p$",
    reference="own statement: the condition of rdk.any-drafter-corrected is necessary",
    instances=lambda draw: {"p": draw.pair(n := draw.vocab(matrix=True))[0], "M": draw.matrix(n)},
    lhs=lambda p, M: np.stack([overlap(p, p @ M), (overlap(p, p @ M) == 1) * 1 if is_exact(p) else 1 + 0 * norm1(p)]),
    rhs=lambda p, M: np.stack([1 - drift(M, p) / 2, (drift(M, p) == 0) * 1 if is_exact(p) else 1 + 0 * norm1(p)]),
    relation=equal,
    note="α = 1 − ½‖p − d‖₁ with d = Mᵀp.",
)

CLAIMS = (
    WORST_CASE,
    WORST_CASE_SHARP,
    WORST_CASE_ACCEPTANCE,
    WORST_CASE_ACCEPTANCE_SHARP,
    NEVER_WORSE,
    NEVER_WORSE_CORRECTED,
    NEVER_WORSE_SHARP,
    ANY_DRAFTER,
    ANY_DRAFTER_CORRECTED,
    ANY_DRAFTER_SHARP,
)
