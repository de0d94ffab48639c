"""`rdk.softmax-jacobian`: own statement, behind RDK Theorem 5.2."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import identity, norm1
from simspec.claims.rdk.softmax import jacobian, some_direction

SOFTMAX_JACOBIAN = identity(
    name="rdk.softmax-jacobian",
    statement=r"Column $j$ of the Jacobian $J = \mathrm{diag}(p) - p p^\top$ of softmax has ℓ1 norm $2 p_j (1 - p_j)$; the "
    r"largest is the operator norm of $J$ on ℓ1, at most $\tfrac12$",
    reference="own statement, behind RDK Theorem 5.2",
    instances=some_direction,
    lhs=lambda p: norm1(np.swapaxes(jacobian(p), -1, -2)),
    rhs=lambda p: 2 * p * (1 - p),
    note="p_j(1 − p_j) on the diagonal, and as much in the rest of the column. One half at a token with p_j = ½.",
)
