"""`rdk.tli-ceiling`, with its sharper form: RDK 6.2."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import bound, identity, law, mask
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import pair_and_mask
from simspec.laws import overlap, restrict
from simspec.methods import acceptance_rate, tli

TLI_CEILING = bound(
    name="rdk.tli-ceiling",
    statement=r"$\alpha \le p(I)$ for every drafter supported on $I$",
    reference="RDK 6.2",
    instances=lambda draw: {**(i := pair_and_mask(draw)), "d": tli(i["shared"]).propose(i["q"])},
    assumes={"the drafter is supported on I": lambda d, shared: (np.where(shared, 0, d) == 0).all()},
    lhs=lambda p, d: overlap(p, d),
    rhs=lambda p, shared: np.where(shared, p, 0).sum(axis=-1),
    tight=({"p": law("1/2", "1/4", "1/4"), "d": law("2/3", "1/3", 0), "shared": mask("110")},),
    outside={"the drafter is supported on I": {"p": law(0, 1), "d": law(0, 1), "shared": mask("10")}},
    corrected_by=("rdk.tli-ceiling-sharp",),
    note="min(p, d) is at most p on I and 0 outside it.",
    printed=Printed(
        place="RDK 6.2",
        text="TLI fails to recover acceptance rates because it assigns zero probability to out-of-vocabulary tokens.",
        read="What this implies: acceptance is at most the target’s mass of the shared tokens.",
    ),
)

TLI_CEILING_SHARP = identity(
    name="rdk.tli-ceiling-sharp",
    statement=r"For a drafter $d$ supported on $I$, $\alpha = p(I) - \sum_{x \in I} (p_x - d_x)_+$, and the ceiling "
    r"$p(I)$ is attained by $\mathrm{norm}(p\,1_I)$",
    reference="own statement, from RDK 6.2",
    instances=pair_and_mask,
    lhs=lambda p, q, shared: np.stack([acceptance_rate(tli(shared), p, q), acceptance_rate(tli(shared), p, p)]),
    rhs=lambda p, q, shared: np.stack(
        [
            (inside := np.where(shared, p, 0).sum(axis=-1))
            - np.where(shared, np.maximum(p - restrict(q, shared), 0), 0).sum(axis=-1),
            inside,
        ]
    ),
    note="min(p, d) = p − (p − d)₊ term by term. So exactly the drafters with d ≥ p on I attain the ceiling; one "
    "is the target itself restricted to I.",
)
