"""Given the target's token, it is in the list of K coupled drafts with at least a known probability.

`coupling.list-conditional`, with a sharper form: Rowan et al. 2025.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import at_least, bound, broken, law, swapped
from simspec.claims.coupling.parts import listed
from simspec.laws.unchecked import ratio
from simspec.methods.coupling import exact_masses

LIST_CONDITIONAL = bound(
    name="coupling.list-conditional",
    statement=r"$P(\text{match} \mid Y = j) \ge 1/(1 + p_j/(K q_j))$",
    reference="Rowan et al. 2025 (restored)",
    instances=listed,
    lhs=lambda p, q, drafts: exact_masses(p, q, drafts),
    rhs=lambda p, q, drafts: ratio(p * drafts * q, drafts * q + p),
    relation=at_least,
    sources=("exact",),
    corrected_by=("coupling.list-conditional-sharp",),
    note="Both sides times p_j, so that a token that is never emitted needs no convention.",
    broken=[swapped()],
)

LIST_CONDITIONAL_SHARP = bound(
    name="coupling.list-conditional-sharp",
    statement=r"In the list coupling of $K$ drafts the target's token $j$ is matched with "
    r"$P(\text{match} \mid Y = j) \ge 1/(1 + p_j (1 - q_j)/(K q_j))$",
    reference="sharper form of Rowan et al. 2025",
    instances=listed,
    lhs=lambda p, q, drafts: exact_masses(p, q, drafts),
    rhs=lambda p, q, drafts: ratio(p * drafts * q, drafts * q + p * (1 - q)),
    relation=at_least,
    sources=("exact",),
    tight=({"p": law("1/2", "1/2", 0), "q": law("1/4", 0, "3/4"), "drafts": 1},),
    note="Attained for K = 1 by laws that have nothing in common but j.",
    broken=[broken("the draft's mass times the number of drafts", rhs=lambda p, q, drafts: np.minimum(p, drafts * q))],
)
