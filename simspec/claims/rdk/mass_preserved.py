"""`rdk.mass-preserved`: RDK 4, Assumption 4.1."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import close, identity, law, mask, matrix
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import NON_NEGATIVE, ROWS_SUM, proposed, some_step

MASS_PRESERVED = identity(
    name="rdk.mass-preserved",
    statement=r"For a row-stochastic $M$, $r = M^\top q'$ is a law: its entries sum to one and none is negative",
    reference="RDK 4, Assumption 4.1",
    instances=some_step,
    assumes={NON_NEGATIVE: lambda M: (M >= 0).all(), ROWS_SUM: lambda M: close(M.sum(axis=-1), 1)},
    lhs=lambda q, shared, M: np.stack(
        [(r := proposed(q, shared, M)).sum(axis=-1), np.minimum(r, 0).sum(axis=-1)], axis=-1
    ),
    rhs=lambda q: np.array([1, 0], dtype=q.dtype),
    outside={
        NON_NEGATIVE: {"q": law(1, 0), "shared": mask("11"), "M": matrix("2 -1", "0 1")},
        ROWS_SUM: {"q": law(1, 0), "shared": mask("11"), "M": matrix("1 1", "0 1")},
    },
    note="Exchange the two sums. The condition is also necessary row by row: a draft certain of token i makes r the i-th "
    "row of M. The general first-order form keeps the sum but may have negative entries at low temperature.",
    printed=Printed(
        place="RDK 4, Assumption 4.1",
        text="ensures that the redistribution operation in Algorithm 1 preserves the total probability mass",
        read="The redistributed law sums to one and is nowhere negative.",
        restored=r"the operation $r = M^\top q^\prime$",
    ),
)
