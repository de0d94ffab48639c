"""Drafts that the old policy rejected and the new one accepts do not have the law of the new policy.

`loss.reuse`, with its correction: own statement about training loops that reuse rollouts.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, law, procedure
from simspec.claims.relaxed.parts import FAR, HALF
from simspec.laws import ratio
from simspec.methods import SD, output_law

__all__ = ["kept"]


def _policies(draw: Draw) -> Instance:
    vocab = draw.vocab(2)
    p, after = draw.pair(vocab)
    return {"p": p, "after": after, "q": draw.law(vocab)}


def kept(p: Array, after: Array, q: Array) -> Array:
    """Law of what the old policy p rejected of q and the new one accepts, with a fresh number; the new law where there is none.

    >>> [str(m) for m in kept(FAR, HALF, HALF)]
    ['0', '1']
    """
    masses = (q - np.minimum(p, q)) * np.minimum(ratio(after, q), 1)
    return masses / masses.sum() if masses.sum() else after


REUSE = procedure(
    name="loss.reuse",
    statement="Drafts that the old policy rejected, kept where the new policy accepts them, have the law of the new "
    "policy",
    reference="own statement on training loops that reuse rollouts, on Leviathan et al. 2023",
    instances=_policies,
    lhs=kept,
    rhs=lambda after: after,
    sources=("exact",),
    corrected_by=("loss.reuse-corrected",),
    against=({"p": FAR, "after": HALF, "q": HALF},),
    within=({"p": law("3/4", "1/4"), "after": HALF, "q": HALF},),
    note="What the old policy rejected is what the draft has beyond it: of p = (1, 0) and q = (½, ½) only the "
    "second token.",
)

REUSE_CORRECTED = procedure(
    name="loss.reuse-corrected",
    statement=r"Text of the old policy, kept with probability $\min(1, p'/p)$ and else replaced by a draw from the "
    r"residual $(p' - p)_+$, has the "
    r"law of the new policy: the old policy is a draft",
    reference="correction of an own statement, on Leviathan et al. 2023",
    instances=_policies,
    lhs=lambda p, after: output_law(SD, after, p),
    rhs=lambda after: after,
    tight=[{"p": law(1, 0), "after": law("1/2", "1/2"), "q": law("1/2", "1/2")}],
    sources=("exact",),
    note="It is sd.lossless; the share of the text that is kept is α(p′, p), at least 1 − √(KL/2) after a step "
    "(loss.drift).",
    broken=[broken("the old law", rhs=lambda p: p)],
)
