"""`ears.support`, with its correction: EARS, Mechanism 2."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import bound, identity
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import both_paths, some_step, tolerance
from simspec.methods import ears

SUPPORT = bound(
    name="ears.support",
    statement="The pardon path rescues near misses only, “rather than genuine distributional mismatch”: a drafted "
    "token with $p_x = 0$ is never accepted",
    reference="EARS, Mechanism 2",
    instances=some_step,
    lhs=lambda p, q, beta: np.where(p > 0, 0, ears(beta).keep(p, q)).sum(axis=-1),
    rhs=lambda p: 0 * p.max(axis=-1),
    within=(
        "a token of target mass 0 is outside full support, and it is what the sentence is about: masks such as top-k make "
        "it; at β = 1/10 p = [1/2, 1/2, 0] and q = [1/4, 1/4, 1/2] refute it"
    ),
    corrected_by=("ears.support-corrected", "ears.support-lenience"),
    note="The tolerance is added to the ratio, so a coin below t accepts any token, however impossible.",
    printed=Printed(
        place="EARS, Mechanism 2",
        text="rescues candidates rejected due to random threshold variance rather than genuine distributional mismatch",
        read="A token that the target never emits is not pardoned.",
    ),
)

SUPPORT_CORRECTED = identity(
    name="ears.support-corrected",
    statement=r"A drafted token with $p_x = 0$ is accepted with probability $\min(1, \beta(1 - \max p))$",
    reference="correction of EARS, Mechanism 2",
    instances=some_step,
    lhs=lambda p, q, beta: np.where((p > 0) | (q == 0), 0, both_paths(p, q, beta)[1]),
    rhs=lambda p, q, beta: np.where((p > 0) | (q == 0), 0, np.minimum(1, tolerance(p, beta))),
    note="The ratio is 0, so the coins accepted are those up to t, all of them by the pardon path. It is the largest "
    "where the target is least certain, and the same for every such token: t is a bound on nonsense, not on near "
    "misses.",
)
