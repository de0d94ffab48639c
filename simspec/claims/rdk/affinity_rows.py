"""The entries of the affinity matrix are normalised covariances, so that its rows sum to one.

`rdk.affinity-rows`, with its correction: RDK, C.3.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, broken, identity, matrix
from simspec.claims.balls import enclose
from simspec.claims.claim import Printed
from simspec.claims.rdk.softmax import covariance_of, eq2, laws, one_hot_covariance, some_omega, some_temperature
from simspec.laws import Scalar

AFFINITY_ROWS = identity(
    name="rdk.affinity-rows",
    statement=r"Each entry of the matrix of Eq. 2 is the normalised covariance, $M_{ij} = \Omega_{ij} / \sum_k \Omega_{ik}$, “so "
    r"rows sum to 1 by construction” (both sides multiplied by $\sum_k \Omega_{ik}$)",
    reference="RDK, C.3",
    instances=lambda draw: {
        "omega": (o := some_omega(draw, draw.vocab(matrix=True))),
        "tau": some_temperature(draw, o),
    },
    lhs=lambda omega, tau: eq2(omega, tau) * enclose(omega).sum(axis=-1, keepdims=True),
    rhs=lambda omega: enclose(omega),
    within=({"omega": matrix("1 1/2", "1/2 1"), "tau": F(1)},),
    corrected_by=("rdk.affinity-rows-corrected",),
    note="Eq. 2 normalises exponentials, not covariances. Normalised covariances would be no law: covariances of logits may be "
    "negative, and those of probabilities or one-hot tokens sum to zero in every row, which makes the quotient 0/0.",
    printed=Printed(
        place="RDK C.3",
        text="Each entry … is the normalized covariance between token … and token …, so rows sum to 1 by construction.",
        read="The matrix of Eq. 2 has these entries.",
        restored="the two indices",
    ),
)


def _three_covariances(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    X = laws(draw, n)
    omega = some_omega(draw, n)
    return {"X": X, "omega": omega, "tau": some_temperature(draw, omega)}


def _row_facts(X: Array, omega: Array, tau: Scalar) -> Array:
    M = eq2(omega, tau)
    sums = [covariance_of(X).sum(axis=-1), one_hot_covariance(X).sum(axis=-1)]
    return np.stack([M.sum(axis=-1), (M > 0).all(axis=-1) * 1, *(enclose(s) for s in sums)])


AFFINITY_ROWS_CORRECTED = identity(
    name="rdk.affinity-rows-corrected",
    statement=r"Rows of the softmax form of Eq. 2 sum to one and all their entries are positive; rows of a covariance of "
    r"probabilities or of one-hot tokens sum to zero, $\mathrm{cov}(p_i, \sum_k p_k) = \mathrm{cov}(p_i, 1) = 0$",
    reference="correction of RDK, C.3",
    instances=_three_covariances,
    lhs=_row_facts,
    rhs=lambda X: np.array([[1], [1], [0], [0]]),
    broken=[
        broken(
            "one row sum for all four forms",
            lhs=lambda X, omega, tau: np.stack([np.exp(enclose(omega / tau)).sum(axis=-1)] * 4),
        )
    ],
)
