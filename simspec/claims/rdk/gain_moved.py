"""`rdk.gain-moved`: own statement."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, identity, is_exact, law, mask, matrix
from simspec.claims.rdk.moves import CERTAIN, SURPLUS, arriving, gain_over_tli, leaving, moving, surplus_only
from simspec.claims.rdk.parts import ROWS, stochastic
from simspec.laws import restrict

NOT_TOO_MUCH = "no token receives more than it is in want of"


def _receives_little(p: Array, d: Array, M: Array) -> bool:
    rounding = 0 if is_exact(d) else 1e-12
    return bool((arriving(d, M) <= np.maximum(p - d, 0) + rounding).all())


GAIN_MOVED = identity(
    name="rdk.gain-moved",
    statement=r"When moreover no token receives more than it wants, $\sum_{i \ne j} q'_i M_{ij} \le (p_j - q'_j)_+$, then all "
    r"that $M$ moves is gained: $\alpha(p, M^\top q') - \alpha(p, q') = \sum_i q'_i (1 - M_{ii})$, positive unless $M$ moves "
    r"nothing, and all of $1 - \alpha(p, q')$ when $M$ moves all surplus",
    reference="own statement",
    instances=lambda draw: moving(draw, filling=True),
    assumes={
        ROWS: stochastic,
        SURPLUS: lambda p, q, shared, M: surplus_only(p, restrict(q, shared), M),
        NOT_TOO_MUCH: lambda p, q, shared, M: _receives_little(p, restrict(q, shared), M),
    },
    lhs=gain_over_tli,
    rhs=lambda q, shared, M: leaving(restrict(q, shared), M).sum(axis=-1),
    outside={
        ROWS: {**CERTAIN, "M": matrix("1/2 0", "0 1")},
        SURPLUS: {
            **{"p": law("1/4", "1/2", "1/4"), "q": law("1/2", "1/2", 0), "shared": mask("111")},
            "M": matrix("1 0 0", "0 1/2 1/2", "0 0 1"),
        },
        NOT_TOO_MUCH: {
            **{"p": law("1/2", "1/2", 0), "q": law(1, 0, 0), "shared": mask("111")},
            "M": matrix("1/2 0 1/2", "0 1 0", "0 0 1"),
        },
    },
    note="What leaves arrives, as rows sum to one, and all of it is wanted: rdk.gain. The largest gain possible, since "
    "1 − α(p, q') is the mass of the drafter kernel (sd.acceptance).",
)
