"""For any row-stochastic affinity, RDK's drafter is at least as close to the target as TLI's.

`rdk.never-worse`, with its correction and its sharper form: RDK, end of Theorem 5.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, eye, identity, law, mask, matrix
from simspec.claims.claim import Printed
from simspec.claims.rdk.moves import surplus_only
from simspec.claims.rdk.parts import HALF, ROWS, alpha_rdk, alpha_tli, proposed, some_step, stochastic
from simspec.laws import restrict
from simspec.laws.unchecked import overlap

_WITHOUT_ROWS: dict[str, Any] = {"p": HALF, "q": HALF, "shared": mask("11"), "M": matrix("1/2 0", "0 1/2")}

NEVER_WORSE = bound(
    name="rdk.never-worse",
    statement=r"For any row-stochastic $M$ the RDK drafter is at least as close to the target as the TLI drafter: "
    r"$\alpha(p, M^\top q') \ge \alpha(p, q')$",
    reference="RDK, end of Theorem 5.1",
    instances=some_step,
    assumes={ROWS: stochastic},
    lhs=alpha_rdk,
    rhs=alpha_tli,
    relation=at_least,
    outside={ROWS: _WITHOUT_ROWS},
    within=({"p": law("3/4", "1/4"), "q": law("3/4", "1/4"), "shared": mask("11"), "M": matrix("3/4 1/4", "1/4 3/4")},),
    corrected_by=("rdk.never-worse-corrected", "rdk.never-worse-sharp", "rdk.any-drafter-corrected"),
    note="M moves mass that would have been accepted as readily as mass of the drafter kernel; with q' = p every move loses.",
    printed=Printed(
        place="RDK, end of Theorem 5.1",
        text="the RDK drafter is either closer to the target distribution or at least as close as the TLI drafter",
        read="In ℓ1 distance, that is in acceptance, for any row-stochastic matrix.",
    ),
)


def _surplus_only(draw: Draw) -> Instance:
    """A matrix that moves no more of a token's mass than its drafter kernel holds."""
    n = draw.vocab(matrix=True)
    p, q = draw.pair(n)
    p, q = (p, q) if p.ndim == 1 else (p[0], q[0])
    shared = draw.mask(n)
    onto = draw.matrix(n)
    share = draw.number(0, 1)
    d = restrict(q, shared)
    kernel = np.maximum(d - p, 0)
    moved_share = share * np.where(d > 0, kernel / np.where(d > 0, d, 1), 1)[:, None]
    return {"p": p, "q": q, "shared": shared, "M": (1 - moved_share) * eye(n, draw.exact) + moved_share * onto}


NEVER_WORSE_CORRECTED = bound(
    name="rdk.never-worse-corrected",
    statement=r"$\alpha(p, M^\top q') \ge \alpha(p, q')$ when $M$ is row-stochastic and moves no more of any token than its "
    r"drafter kernel: $q'_i (1 - M_{ii}) \le (q'_i - p_i)_+$",
    reference="correction of the end of RDK Theorem 5.1",
    instances=_surplus_only,
    assumes={
        ROWS: stochastic,
        "M moves drafter-kernel mass only": lambda p, q, shared, M: surplus_only(p, restrict(q, shared), M),
    },
    lhs=alpha_rdk,
    rhs=alpha_tli,
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
    broken=[
        broken(
            "the redistribution is applied twice",
            lhs=lambda p, q, shared, M: overlap(p, 2 * proposed(q, shared, M) - restrict(q, shared)),
        )
    ],
)


def _gain_and_loss(p: Array, q: Array, shared: Array, M: Array) -> Any:
    d = restrict(q, shared)
    r = proposed(q, shared, M)
    gain = np.minimum(np.maximum(p - d, 0), np.maximum(r - d, 0))
    loss = np.maximum(np.maximum(d - r, 0) - np.maximum(d - p, 0), 0)
    return (gain - loss).sum(axis=-1)


NEVER_WORSE_SHARP = identity(
    name="rdk.never-worse-sharp",
    statement=r"$\alpha(p, r) - \alpha(p, q') = \sum_j \min\{(p_j - q'_j)_+, (r_j - q'_j)_+\} - \sum_j \big((q'_j - "
    r"r_j)_+ - (q'_j - p_j)_+\big)_+$ with $r = M^\top q'$: RDK is no worse than TLI exactly when the mass that "
    "reaches tokens in want is at least the mass taken beyond the drafter kernel",
    reference="own statement, in place of the end of RDK Theorem 5.1",
    instances=some_step,
    lhs=lambda p, q, shared, M: alpha_rdk(p, q, shared, M) - alpha_tli(p, q, shared),
    rhs=_gain_and_loss,
    note="Token by token: where r exceeds q' the overlap grows by what p still wants, where it falls short it shrinks by what "
    "was not surplus.",
    broken=[
        broken("the restricted draft through the map", rhs=lambda p, q, shared, M: overlap(p, restrict(q, shared) @ M))
    ],
)
