"""`rdk.tli-vs-none`, with its sharper form: RDK 6.2, schemes (a) and (b)."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import at_least, bound, law, mask
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import pair_and_mask
from simspec.methods import acceptance_rate, restricted, tli

TLI_VS_NONE = bound(
    name="rdk.tli-vs-none",
    statement=r"$\alpha$ of TLI is at least $\alpha$ of pruning without redistribution: $\sum_{x\in I} \min(p_x, "
    r"q_x/q(I)) \ge \sum_{x \in I} \min(p_x, q_x)$",
    reference="RDK 6.2, schemes (a) and (b)",
    instances=pair_and_mask,
    lhs=lambda p, q, shared: acceptance_rate(tli(shared), p, q),
    rhs=lambda p, q, shared: acceptance_rate(restricted(shared), p, q),
    relation=at_least,
    tight=({"p": law("1/2", "1/2"), "q": law(1, 0), "shared": mask("10")},),
    corrected_by=("rdk.tli-vs-none-sharp",),
    note="Renormalising divides by q(I) ≤ 1, so q' ≥ q on I. With q(I) = 0 the right side is 0.",
    printed=Printed(
        place="RDK 6.2",
        text="(a) pruning without redistribution, (b) Token-Level Intersection (TLI)",
        read="Scheme (b) accepts at least as often as scheme (a).",
    ),
)

TLI_VS_NONE_SHARP = bound(
    name="rdk.tli-vs-none-sharp",
    statement=r"TLI gains at most the factor $1/q(I)$: $q(I)\,\alpha_{\mathrm{TLI}} \le \alpha_{\mathrm{none}}$",
    reference="own statement, from RDK 6.2",
    instances=pair_and_mask,
    lhs=lambda p, q, shared: np.where(shared, q, 0).sum(axis=-1) * acceptance_rate(tli(shared), p, q),
    rhs=lambda p, q, shared: acceptance_rate(restricted(shared), p, q),
    tight=({"p": law(1, 0), "q": law("1/2", "1/2"), "shared": mask("10")},),
    note="q(I) min(p, q/q(I)) = min(q(I) p, q) ≤ min(p, q), with equality where p ≥ q' on I.",
)
