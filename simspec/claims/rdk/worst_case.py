"""RDK's draft is at most ε farther from the target than TLI's, where the map moves the target by at most ε.

`rdk.worst-case`, its sharper form, where both are attained: RDK, Theorem 5.1 (restored; both readings of its assumption).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import (
    Array,
    Draw,
    F,
    Instance,
    bound,
    broken,
    circulation,
    close,
    exact,
    identity,
    law,
    mask,
    matrix,
    norm1,
)
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import (
    AT_P,
    EPSILON,
    HALF,
    ROWS,
    STAY,
    SWAP,
    at_least_drift,
    contraction,
    drift,
    priced_step,
    proposed,
    stochastic,
)
from simspec.laws import Scalar, restrict

DELTA = "δ is at least the ℓ1 distance between p and π"
STATIONARY = "π is stationary: Nᵀπ = π"


def _is_stationary(N: Array, pi: Array) -> bool:
    return close(pi @ N, pi)


def _both_readings(draw: Draw) -> Instance:
    first = priced_step(draw)
    N, pi = circulation(draw, len(first["M"]))
    return {**first, "N": N, "pi": pi, "delta": norm1(first["p"] - pi) + draw.integer(0, 1) * draw.number(0, 1)}


_FREE: dict[str, Any] = {"M": STAY, "epsilon": F(0), "N": STAY, "pi": law(1, 0), "delta": F(0)}
_GROWING: dict[str, Any] = {**AT_P, "p": law(0, 1), "M": matrix("2 0", "0 1"), "epsilon": F(0)}

WORST_CASE = bound(
    name="rdk.worst-case",
    statement=r"$\lVert M^\top q' - p\rVert_1 \le \lVert q' - p\rVert_1 + \varepsilon$ for row-stochastic $M$ whenever "
    r"$\varepsilon \ge \lVert M^\top p - p\rVert_1$; likewise for $N$ with $\varepsilon = 2\delta$ whenever "
    r"$\lVert p - \pi\rVert_1 \le \delta$ for some $\pi = N^\top \pi$",
    reference="RDK, Theorem 5.1 (restored; both readings of its assumption)",
    instances=_both_readings,
    assumes={
        ROWS: lambda M, N: stochastic(M) and stochastic(N),
        EPSILON: at_least_drift,
        DELTA: lambda p, pi, delta: bool(np.all(norm1(p - pi) <= delta)),
        STATIONARY: _is_stationary,
    },
    lhs=lambda p, q, shared, M, N: np.stack([norm1(proposed(q, shared, K) - p) for K in (M, N)]),
    rhs=lambda p, q, shared, epsilon, delta: np.stack(
        [norm1(restrict(q, shared) - p) + e for e in (epsilon, 2 * delta)]
    ),
    tight=({**AT_P, **_FREE, "M": SWAP, "epsilon": F(2)}, {**AT_P, **_FREE, "N": SWAP, "pi": HALF, "delta": F(1)}),
    outside={
        ROWS: {**_GROWING, "N": STAY, "pi": law(0, 1), "delta": F(0)},
        EPSILON: {**AT_P, **_FREE, "M": SWAP},
        DELTA: {**AT_P, **_FREE, "N": SWAP, "pi": HALF, "delta": F(1, 2)},
        STATIONARY: {**AT_P, **_FREE, "N": SWAP},
    },
    corrected_by=("rdk.worst-case-sharp",),
    proof_steps=("rdk.non-expansive",),
    note="Mᵀq' − p = Mᵀ(q' − p) + (Mᵀp − p), and M is non-expansive; with a stationary π, Mᵀp − p = Mᵀ(p − π) + (π − p). "
    "Both constants are the least (rdk.worst-case-sharp.attained). It bounds a loss, and promises no gain (rdk.never-worse).",
    printed=Printed(
        place="RDK 5.1, before Theorem 5.1",
        text="in the worst case, the error is at most … larger than the error of the TLI drafter",
        read=r"In the ℓ1 norm; the constant bounds $\lVert M^\top p - p \rVert_1$, or the distance of $p$ to a "
        "stationary law.",
        restored="the inequality and the assumption on its constant, from the proof in B.5; of the assumption two "
        "readings",
    ),
    broken=[
        broken(
            "half of ε in the first bound",
            rhs=lambda p, q, shared, epsilon, delta: np.stack(
                [norm1(restrict(q, shared) - p) + e for e in (epsilon / 2, delta)]
            ),
        ),
        broken("the transposed map", lhs=lambda p, q, shared, M: np.stack([norm1(proposed(q, shared, M.T) - p)] * 2)),
    ],
)

WORST_CASE_SHARP = bound(
    name="rdk.worst-case-sharp",
    statement=r"$\lVert M^\top q' - p\rVert_1 \le c(M)\,\lVert q' - p\rVert_1 + \lVert M^\top p - p\rVert_1$, and "
    r"$\lVert N^\top p - p\rVert_1 \le (1 + c(N))\,\lVert p - \pi\rVert_1$ for $\pi = N^\top\pi$, with Dobrushin's $c \le 1$",
    reference="own statement, sharpening RDK Theorem 5.1",
    instances=_both_readings,
    assumes={STATIONARY: _is_stationary},
    lhs=lambda p, q, shared, M, N: np.stack([norm1(proposed(q, shared, M) - p), drift(N, p)]),
    rhs=lambda p, q, shared, M, N, pi: np.stack(
        [contraction(M) * norm1(restrict(q, shared) - p) + drift(M, p), (1 + contraction(N)) * norm1(p - pi)]
    ),
    tight=({**AT_P, **_FREE, "N": SWAP, "pi": HALF},),
    outside={STATIONARY: {**AT_P, **_FREE, "N": SWAP}},
    note="RDK is certain to beat TLI where (1 − c)‖q' − p‖₁ exceeds ‖Mᵀp − p‖₁: a bad draft and a nearly stationary target.",
    broken=[
        broken(
            "the transposed map",
            lhs=lambda p, q, shared, M, N: np.stack([norm1(proposed(q, shared, M.T) - p), drift(N.T, p) * 2]),
        )
    ],
)


def _exchanged(a: Scalar, b: Scalar) -> Instance:
    """Two tokens that M = N exchanges: the target has a of the first, the draft b, and π is uniform."""
    p = exact([a, 1 - a])
    q = exact([b, 1 - b])
    step = {"p": p, "q": q, "shared": mask("11"), "M": SWAP, "N": SWAP, "pi": HALF}
    return {**step, "epsilon": drift(SWAP, p), "delta": norm1(p - HALF)}


def _on_one_side(draw: Draw) -> Instance:
    a = draw.number(F(1, 2), 1)
    return {"a": a, "b": a + draw.number(0, 1) * (1 - a)}


WORST_CASE_ATTAINED = identity(
    name="rdk.worst-case-sharp.attained",
    statement=r"Where $M = N$ exchanges two tokens, $p = (a, 1 - a)$, $q' = (b, 1 - b)$, $\pi = (\tfrac12, \tfrac12)$ and "
    r"$\tfrac12 \le a \le b \le 1$, both inequalities of rdk.worst-case and both of rdk.worst-case-sharp are equalities, with "
    r"$c = 1$, $\varepsilon = \lVert M^\top p - p\rVert_1$ and $\delta = \lVert p - \pi\rVert_1$",
    reference="own statement, the extremal case of RDK Theorem 5.1",
    instances=_on_one_side,
    lhs=lambda a, b: np.concatenate([c.sides(_exchanged(a, b))[0] for c in (WORST_CASE, WORST_CASE_SHARP)]),
    rhs=lambda a, b: np.concatenate([c.sides(_exchanged(a, b))[1] for c in (WORST_CASE, WORST_CASE_SHARP)]),
    sources=("exact",),
    note="What leaves the first token takes the draft past the target and as far beyond it again: the distances add up. So over "
    "all matrices the constants 1 and 2 of the theorem are the least.",
    broken=[
        broken(
            "a pair at which the bound is not attained",
            instances=lambda draw: {"a": F(3, 4), "b": draw.number(0, F(1, 4))},
        ),
        broken(
            "a pair at which the bound is not attained",
            instances=lambda draw: {"a": 1, "b": draw.number(F(1, 2), F(3, 4))},
        ),
    ],
)
