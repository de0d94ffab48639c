"""Also keeping a draft that equals the target's own sample is lossless.

`folk.same-token-or`, with its correction: rtp-llm #1295.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, broken, identity, law
from simspec.claims.folk.parts import pair, replaced, rest_of_p
from simspec.laws import tv


def _law(p: Array, q: Array) -> Array:
    """Kept: min(p, q), and of what the ratio refuses the part that the target's sample repeats."""
    accepted_mass = np.minimum(p, q) + p * np.maximum(q - p, 0)
    return replaced(accepted_mass, rest_of_p(p, q))


SAME_TOKEN_OR = identity(
    name="folk.same-token-or",
    statement=r"Keep $x$ if the target's own sample is $x$ or $u\,q(x) < p(x)$; else draw from $\mathrm{norm}((p - q)_+)$: "
    r"the output law is $p$",
    reference="rtp-llm #1295",
    instances=pair,
    lhs=_law,
    rhs=lambda p: p,
    corrected_by=("folk.same-token-or-corrected",),
    within=({"p": law("1/3", "2/3"), "q": law("1/2", "1/2")},),
    note="The second chance keeps p(x) of what the ratio had to refuse; tokens drafted too often stay too frequent.",
)

SAME_TOKEN_OR_CORRECTED = identity(
    name="folk.same-token-or-corrected",
    statement=r"The output law is $\sum_x p(x)\,(q(x) - p(x))_+$ away from $p$ in total variation",
    reference="correction of rtp-llm #1295",
    instances=pair,
    lhs=lambda p, q: tv(_law(p, q), p),
    rhs=lambda p, q: (p * np.maximum(q - p, 0)).sum(axis=-1),
    sources=("exact", "float"),
    note="So it is lossless only if the draft never says too often what the target says at all.",
    broken=[broken("the rejected mass", rhs=lambda p, q: np.maximum(q - p, 0).sum(axis=-1))],
)
