"""A row-stochastic affinity matrix does not increase ℓ1 distances.

`rdk.non-expansive`, with its sharper form and where that is attained: RDK, Lemma B.1.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from simspec.claims.authoring import (
    Array,
    Draw,
    F,
    Instance,
    bound,
    broken,
    close,
    exact,
    eye,
    identity,
    law,
    matrix,
    norm1,
)
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import NON_NEGATIVE, ROWS_SUM, contraction

__all__ = ["farthest"]


def _vectors(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    if draw.exact:
        x, y = (np.array([draw.number(-2, 2) for _ in range(n)], dtype=object) for _ in range(2))
    else:
        p, q = draw.pair(n)
        x = draw.number(-2, 2) * p
        y = draw.number(-2, 2) * q
    return {"x": x, "y": y, "M": draw.matrix(n)}


NON_EXPANSIVE = bound(
    name="rdk.non-expansive",
    statement=r"$\lVert M^\top(x - y)\rVert_1 \le \lVert x - y\rVert_1$ for row-stochastic $M$ and all $x$, $y$",
    reference="RDK, Lemma B.1",
    instances=_vectors,
    assumes={NON_NEGATIVE: lambda M: (M >= 0).all(), ROWS_SUM: lambda M: close(M.sum(axis=-1), 1)},
    lhs=lambda x, y, M: norm1((x - y) @ M),
    rhs=lambda x, y: norm1(x - y),
    tight=({"x": law(1, 0), "y": law(0, 1), "M": matrix("1 0", "0 1")},),
    outside={
        NON_NEGATIVE: {"x": law(1, 0), "y": law(0, 0), "M": matrix("2 -1", "0 1")},
        ROWS_SUM: {"x": law(1, 0), "y": law(0, 0), "M": matrix("1 1", "0 1")},
    },
    corrected_by=("rdk.non-expansive-sharp",),
    note="The weakest condition is Σ_j |M_ij| ≤ 1 in every row: sufficient by the triangle inequality, necessary because "
    "x − y may be a single token.",
    printed=Printed(
        place="RDK, Lemma B.1",
        text="Let … be a row-stochastic matrix (i.e., the entries of any row are non-negative and sum to …). "
        "Then … is non-expansive",
        read="Of the transposed matrix, in the ℓ1 norm.",
        restored="the matrix, the norm and the inequality, from the proof",
    ),
    broken=[broken("the transposed map", lhs=lambda x, y, M: abs((x - y) @ M.T).sum(axis=-1))],
)

NON_EXPANSIVE_SHARP = bound(
    name="rdk.non-expansive-sharp",
    statement=r"$\lVert M^\top(x - y)\rVert_1 \le c(M)\,\lVert x - y\rVert_1$ for $x$, $y$ of equal mass, with Dobrushin's "
    r"$c(M) = \max_{i,k} \mathrm{TV}(M_i, M_k)$",
    reference="own statement, after Dobrushin 1956",
    instances=lambda draw: dict(zip("xyM", (*draw.pair(n := draw.vocab(matrix=True)), draw.matrix(n)), strict=True)),
    assumes={"x and y have equal mass": lambda x, y: close(x.sum(axis=-1), y.sum(axis=-1))},
    lhs=lambda x, y, M: norm1((x - y) @ M),
    rhs=lambda x, y, M: contraction(M) * norm1(x - y),
    tight=({"x": law(1, 0), "y": law(0, 1), "M": matrix("3/4 1/4", "1/4 3/4")},),
    outside={"x and y have equal mass": {"x": law(1, 0), "y": law(0, 0), "M": matrix("1 0", "1 0")}},
    note="x − y of mass zero is a sum of moves from one token to another; no smaller factor serves any M "
    "(rdk.non-expansive-sharp.attained). The bound holds for every real M; row-stochastic ones have c(M) ≤ 1.",
    broken=[broken("half of the contraction", rhs=lambda x, y, M: contraction(M) * abs(x - y).sum(axis=-1) / 2)],
)


def farthest(M: Array) -> tuple[int, int]:
    """The first two tokens whose rows are farthest apart.

    >>> farthest(matrix("1 0", "1/2 1/2", "0 1"))
    (0, 2)
    """
    return max(combinations(range(len(M)), 2), key=lambda pair: norm1(M[pair[0]] - M[pair[1]]))


def _sides(M: Array) -> tuple[Array, Array]:
    """Length of Mᵀ(x − y), length of x − y, the smaller of c and 1; what they are."""
    first_token, two = farthest(M)
    masses = eye(len(M), True)
    c = contraction(M)
    step = masses[first_token] - masses[two]
    return exact([norm1(step @ M), norm1(step), min(c, F(1))]), exact([c * norm1(step), 2, c])


NON_EXPANSIVE_ATTAINED = identity(
    name="rdk.non-expansive-sharp.attained",
    statement=r"For every row-stochastic $M$ over two or more tokens, $\lVert M^\top(x - y)\rVert_1 = c(M)\,\lVert x - "
    r"y\rVert_1$ and $\lVert x - y\rVert_1 = 2$, where $x$ and $y$ are the point masses on two tokens whose rows are farthest "
    r"apart; and $c(M) \le 1$",
    reference="own statement, after Dobrushin 1956",
    instances=lambda draw: {"M": draw.matrix(2 + draw.integer(0, 2))},
    lhs=lambda M: _sides(M)[0],
    rhs=lambda M: _sides(M)[1],
    tight=({"M": matrix("1 0", "1 0")},),
    sources=("exact",),
    note="M takes a point mass to its row. So for no M a smaller factor than c(M) would do. The last part is compared as "
    "min(c, 1) = c.",
    broken=[
        broken("two in place of the contraction", rhs=lambda M: exact([contraction(M), 2, contraction(M)])),
        broken("a map whose rows sum to two", instances=lambda draw: {"M": 2 * draw.matrix(2)}),
    ],
)
