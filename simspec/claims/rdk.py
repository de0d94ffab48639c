"""Claims about redistributing drafter kernels: what the map does to a law, and what TLI can reach without it.

Bounds on the acceptance of RDK are in `simspec.claims.rdk_bounds`; softmax and sharpness in `simspec.claims.rdk_series`;
Taylor series in `simspec.claims.rdk_taylor`; probabilities in `simspec.claims.rdk_chance`; the linear-time form and
operation counts in `simspec.claims.rdk_linear`.
"""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, at_most, equal
from simspec.claims.draw import Draw
from simspec.claims.rdk_parts import (
    NON_NEGATIVE,
    ROWS_SUM,
    close,
    contraction,
    eye,
    mask,
    matrix,
    norm1,
    normal_rows,
    proposed,
    weights,
)
from simspec.claims.sd import law
from simspec.laws import is_exact, overlap, restrict
from simspec.methods import acceptance_rate, restricted, tli

__all__ = ["CLAIMS"]


def _step(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    p, q = draw.pair(n)
    return {"p": p, "q": q, "shared": draw.mask(n), "M": draw.matrix(n)}


# --- the map itself -------------------------------------------------------------------------------------------------

IDENTITY_IS_TLI = Claim(
    name="rdk.identity-is-tli",
    kind="identity",
    statement=r"$M = I$ gives TLI: $I^\top q' = q'$",
    reference="RDK §4",
    instances=lambda draw: {**(step := _step(draw)), "M": eye(len(step["M"]), draw.exact)},
    assumes={"M is the identity": lambda M: close(M, eye(len(M), is_exact(M)))},
    lhs=proposed,
    rhs=lambda q, shared: tli(shared).propose(q),
    relation=equal,
    outside={"M is the identity": {"q": law(1, 0), "shared": mask("11"), "M": matrix("0 1", "0 1")}},
    note="Token by token. Where q has no mass on I, Eq. 1 is 0/0; the package then drafts uniformly on I, here and in every "
    "claim about TLI and RDK.",
)

MASS_PRESERVED = Claim(
    name="rdk.mass-preserved",
    kind="identity",
    statement=r"For a row-stochastic $M$, $r = M^\top q'$ is a law: its entries sum to one and none is negative",
    reference="RDK §4, Assumption 4.1",
    instances=_step,
    assumes={NON_NEGATIVE: lambda M: (M >= 0).all(), ROWS_SUM: lambda M: close(M.sum(axis=-1), 1)},
    lhs=lambda q, shared, M: np.stack(
        [(r := proposed(q, shared, M)).sum(axis=-1), np.minimum(r, 0).sum(axis=-1)], axis=-1
    ),
    rhs=lambda q: np.array([1, 0], dtype=q.dtype),
    relation=equal,
    outside={
        NON_NEGATIVE: {"q": law(1, 0), "shared": mask("11"), "M": matrix("2 -1", "0 1")},
        ROWS_SUM: {"q": law(1, 0), "shared": mask("11"), "M": matrix("1 1", "0 1")},
    },
    note="Exchange the two sums. The condition is also necessary row by row: a draft certain of token i makes r the i-th "
    "row of M. The general first-order form keeps the sum but may have negative entries at low temperature.",
)


def _eq2(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    return {"q": draw.pair(n)[1], "shared": draw.mask(n), "W": weights(draw, n)}


DRAWS_EVERYTHING = Claim(
    name="rdk.draws-everything",
    kind="bound",
    statement=r"With $M$ from Eq. 2, RDK can draw every token: all $V$ entries of $M^\top q'$ are positive",
    reference="RDK, abstract and Eq. 2",
    instances=lambda draw: {**(i := _eq2(draw)), "M": normal_rows(i["W"])},
    assumes={"every entry of M is positive, as Eq. 2 makes it": lambda M: (M > 0).all()},
    lhs=lambda q, shared, M: (proposed(q, shared, M) > 0).sum(axis=-1),
    rhs=lambda q: q.shape[-1],
    relation=at_least,
    tight=({"q": law(1, 0), "shared": mask("10"), "M": matrix("3/4 1/4", "1/2 1/2")},),
    outside={
        "every entry of M is positive, as Eq. 2 makes it": {
            **{"q": law(1, 0), "shared": mask("10"), "M": matrix("1 0", "0 1")},
        }
    },
    corrected_by=("rdk.draws-everything-sharp",),
    note="A softmax has no zeros, so every drafted token sends some mass everywhere. Assumption 4.1 alone does not suffice: "
    "M = I is TLI. In floating point the mass underflows to zero once the range of a row of Ω exceeds some 700 τ.",
)

DRAWS_EVERYTHING_SHARP = Claim(
    name="rdk.draws-everything-sharp",
    kind="bound",
    statement=r"$(M^\top q')_x \ge \frac{1}{1 + (V - 1)\, e^{R/\tau}}$ for every token $x$, with $R$ the largest range "
    r"$\max_j \Omega_{ij} - \min_j \Omega_{ij}$ of a row",
    reference="own statement, from RDK Eq. 2",
    instances=_eq2,
    lhs=lambda q, shared, W: proposed(q, shared, normal_rows(W)).min(axis=-1),
    rhs=lambda W: 1 / (1 + (len(W) - 1) * (W.max(axis=-1) / W.min(axis=-1)).max()),
    relation=at_least,
    tight=({"q": law(1, 0), "shared": mask("10"), "W": matrix("3 1", "1 3")},),
    note="In each row the smallest entry over the sum is least when all the others are the largest. Here W = exp(Ω/τ).",
)


def _vectors(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    if draw.exact:
        x, y = (np.array([draw.number(-2, 2) for _ in range(n)], dtype=object) for _ in range(2))
    else:
        p, q = draw.pair(n)
        x, y = draw.number(-2, 2) * p, draw.number(-2, 2) * q
    return {"x": x, "y": y, "M": draw.matrix(n)}


NON_EXPANSIVE = Claim(
    name="rdk.non-expansive",
    kind="bound",
    statement=r"$\lVert M^\top(x - y)\rVert_1 \le \lVert x - y\rVert_1$ for row-stochastic $M$ and all $x$, $y$",
    reference="RDK, Lemma B.1",
    instances=_vectors,
    assumes={NON_NEGATIVE: lambda M: (M >= 0).all(), ROWS_SUM: lambda M: close(M.sum(axis=-1), 1)},
    lhs=lambda x, y, M: norm1((x - y) @ M),
    rhs=lambda x, y: norm1(x - y),
    relation=at_most,
    tight=({"x": law(1, 0), "y": law(0, 1), "M": matrix("1 0", "0 1")},),
    outside={
        NON_NEGATIVE: {"x": law(1, 0), "y": law(0, 0), "M": matrix("2 -1", "0 1")},
        ROWS_SUM: {"x": law(1, 0), "y": law(0, 0), "M": matrix("1 1", "0 1")},
    },
    corrected_by=("rdk.non-expansive-sharp",),
    note="The weakest condition is Σ_j |M_ij| ≤ 1 in every row: sufficient by the triangle inequality, necessary because "
    "x − y may be a single token.",
)


NON_EXPANSIVE_SHARP = Claim(
    name="rdk.non-expansive-sharp",
    kind="bound",
    statement=r"$\lVert M^\top(x - y)\rVert_1 \le c(M)\,\lVert x - y\rVert_1$ for $x$, $y$ of equal mass, with Dobrushin's "
    r"$c(M) = \max_{i,k} \mathrm{TV}(M_i, M_k) \le 1$, attained by point masses on the two rows farthest apart",
    reference="own statement, after Dobrushin 1956",
    instances=lambda draw: dict(zip("xyM", (*draw.pair(n := draw.vocab(matrix=True)), draw.matrix(n)), strict=True)),
    assumes={"x and y have equal mass": lambda x, y: close(x.sum(axis=-1), y.sum(axis=-1))},
    lhs=lambda x, y, M: norm1((x - y) @ M),
    rhs=lambda x, y, M: contraction(M) * norm1(x - y),
    relation=at_most,
    tight=({"x": law(1, 0), "y": law(0, 1), "M": matrix("3/4 1/4", "1/4 3/4")},),
    outside={"x and y have equal mass": {"x": law(1, 0), "y": law(0, 0), "M": matrix("1 0", "1 0")}},
    note="x − y of mass zero is a sum of moves from one token to another; equality at two tokens whose rows are farthest apart. "
    "The bound holds for every real M; row-stochastic ones have c(M) ≤ 1.",
)

# --- ceilings of what TLI can do ------------------------------------------------------------------------------------


def _pair_and_mask(draw: Draw) -> Instance:
    n = draw.vocab()
    p, q = draw.pair(n)
    return {"p": p, "q": q, "shared": draw.mask(n)}


TLI_CEILING = Claim(
    name="rdk.tli-ceiling",
    kind="bound",
    statement=r"$\alpha \le p(I)$ for every drafter supported on $I$",
    reference="RDK §6.2",
    instances=lambda draw: {**(i := _pair_and_mask(draw)), "d": tli(i["shared"]).propose(i["q"])},
    assumes={"the drafter is supported on I": lambda d, shared: (np.where(shared, 0, d) == 0).all()},
    lhs=lambda p, d: overlap(p, d),
    rhs=lambda p, shared: np.where(shared, p, 0).sum(axis=-1),
    relation=at_most,
    tight=({"p": law("1/2", "1/4", "1/4"), "d": law("2/3", "1/3", 0), "shared": mask("110")},),
    outside={"the drafter is supported on I": {"p": law(0, 1), "d": law(0, 1), "shared": mask("10")}},
    corrected_by=("rdk.tli-ceiling-sharp",),
    note="min(p, d) is at most p on I and 0 outside it.",
)

TLI_CEILING_SHARP = Claim(
    name="rdk.tli-ceiling-sharp",
    kind="identity",
    statement=r"For a drafter $d$ supported on $I$, $\alpha = p(I) - \sum_{x \in I} (p_x - d_x)_+$; the ceiling $p(I)$ is "
    r"attained exactly by the drafters with $d \ge p$ on $I$, for example $\mathrm{norm}(p\,1_I)$",
    reference="own statement, from RDK §6.2",
    instances=_pair_and_mask,
    lhs=lambda p, q, shared: np.stack([acceptance_rate(tli(shared), p, q), acceptance_rate(tli(shared), p, p)]),
    rhs=lambda p, q, shared: np.stack(
        [
            (inside := np.where(shared, p, 0).sum(axis=-1))
            - np.where(shared, np.maximum(p - restrict(q, shared), 0), 0).sum(axis=-1),
            inside,
        ]
    ),
    relation=equal,
    note="min(p, d) = p − (p − d)₊ term by term. The best drafter on I is the target itself restricted to I.",
)

TLI_VS_NONE = Claim(
    name="rdk.tli-vs-none",
    kind="bound",
    statement=r"$\alpha$ of TLI is at least $\alpha$ of pruning without redistribution: "
    r"$\sum_{x\in I} \min(p_x, q_x/q(I)) \ge \sum_{x \in I} \min(p_x, q_x)$",
    reference="RDK §6.2, schemes (a) and (b)",
    instances=_pair_and_mask,
    lhs=lambda p, q, shared: acceptance_rate(tli(shared), p, q),
    rhs=lambda p, q, shared: acceptance_rate(restricted(shared), p, q),
    relation=at_least,
    tight=({"p": law("1/2", "1/2"), "q": law(1, 0), "shared": mask("10")},),
    corrected_by=("rdk.tli-vs-none-sharp",),
    note="Renormalising divides by q(I) ≤ 1, so q' ≥ q on I. With q(I) = 0 the right side is 0.",
)

TLI_VS_NONE_SHARP = Claim(
    name="rdk.tli-vs-none-sharp",
    kind="bound",
    statement=r"TLI gains at most the factor $1/q(I)$: $q(I)\,\alpha_{\mathrm{TLI}} \le \alpha_{\mathrm{none}}$",
    reference="own statement, from RDK §6.2",
    instances=_pair_and_mask,
    lhs=lambda p, q, shared: np.where(shared, q, 0).sum(axis=-1) * acceptance_rate(tli(shared), p, q),
    rhs=lambda p, q, shared: acceptance_rate(restricted(shared), p, q),
    relation=at_most,
    tight=({"p": law(1, 0), "q": law("1/2", "1/2"), "shared": mask("10")},),
    note="q(I) min(p, q/q(I)) = min(q(I) p, q) ≤ min(p, q), with equality where p ≥ q' on I.",
)

PERCENTAGE = Claim(
    name="rdk.percentage",
    kind="identity",
    statement=r"500 of 200,000 tokens is 0.00025 % of the vocabulary",
    reference="RDK §6.2",
    lhs=lambda kept, vocab: F(100 * kept, vocab),
    rhs=lambda: F(25, 100_000),
    relation=equal,
    against=({"kept": 500, "vocab": 200_000},),
    corrected_by=("rdk.percentage-corrected",),
    note="The printed figure is a thousand times too small: 0.00025 % of 200,000 is half a token.",
)

PERCENTAGE_CORRECTED = Claim(
    name="rdk.percentage-corrected",
    kind="identity",
    statement=r"500 of 200,000 tokens is 0.25 % of the vocabulary: 99.75 % is pruned",
    reference="correction of RDK §6.2",
    lhs=lambda kept, vocab: np.array([F(100 * kept, vocab), F(100 * (vocab - kept), vocab)]),
    rhs=lambda: np.array([F(1, 4), F(9975, 100)]),
    relation=equal,
    tight=({"kept": 500, "vocab": 200_000},),
)

CLAIMS = (
    IDENTITY_IS_TLI,
    MASS_PRESERVED,
    DRAWS_EVERYTHING,
    DRAWS_EVERYTHING_SHARP,
    NON_EXPANSIVE,
    NON_EXPANSIVE_SHARP,
    TLI_CEILING,
    TLI_CEILING_SHARP,
    TLI_VS_NONE,
    TLI_VS_NONE_SHARP,
    PERCENTAGE,
    PERCENTAGE_CORRECTED,
)
