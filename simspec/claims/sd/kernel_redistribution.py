"""Moving mass from tokens that the draft overrates to other tokens cannot lower the acceptance rate.

`sd.kernel-redistribution`, with its sharper form: RDK 2, after Definition 2.2.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, identity, law
from simspec.claims.claim import Printed
from simspec.laws import overlap
from simspec.methods import drafter_kernel


def _moved(draw: Draw) -> Instance:
    n = draw.vocab()
    p, q = draw.pair(n)
    share = draw.law(n)  # of each token's kernel, the largest of them any number in [0, 1]
    share = draw.number(0, 1) * share / share.max(axis=-1, keepdims=True)
    return {"p": p, "q": q, "share": share, "onto": draw.law(n)}


def _redistributed(p: Array, q: Array, share: Array, onto: Array) -> Array:
    moved_mass = share * drafter_kernel(p, q)
    return q - moved_mass + moved_mass.sum(axis=-1, keepdims=True) * onto


KERNEL_REDISTRIBUTION = bound(
    name="sd.kernel-redistribution",
    statement=r"Moving mass of the drafter kernel $k = (q - p)_+$ elsewhere, any share $s_x \in [0, 1]$ of each $k_x$, cannot "
    r"decrease $\alpha$",
    reference="RDK 2, after Definition 2.2",
    instances=_moved,
    lhs=lambda p, q, share, onto: overlap(p, _redistributed(p, q, share, onto)),
    rhs=lambda p, q: overlap(p, q),
    relation=at_least,
    tight=tuple(
        {"p": law("1/2", "1/2", 0, 0), "q": law("1/2", 0, "1/2", 0), "share": ones, "onto": law(0, 0, 0, 1)}
        for ones in (law(1, 1, 1, 1), law(0, 0, "1/2", 0))
    ),
    corrected_by=("sd.kernel-redistribution-sharp",),
    note="What is left after the move, q_x − s_x k_x ≥ min(p_x, q_x), already carries the whole overlap. Mass moved from "
    "min(p, q), not only from the kernel, is what redistribution by a matrix M can also do: rdk.never-worse.",
    printed=Printed(
        place="RDK 2, after Definition 2.2",
        text="redistributing the probability mass of the drafter kernel cannot decrease the acceptance rate",
        read="Any share of any token of the kernel is moved, to wherever one likes.",
        restored="the kernel $k = (q - p)_+$",
    ),
    broken=[
        broken("only the distribution that mass moves to, without what stays", lhs=lambda p, q, onto: overlap(p, onto))
    ],
)

KERNEL_REDISTRIBUTION_SHARP = identity(
    name="sd.kernel-redistribution-sharp",
    statement=r"Moving shares $s_x$ of the drafter kernel, $m = \sum_x s_x k_x$ in all, onto a law $o$ raises $\alpha$ by "
    r"exactly $\sum_x \min\{(p_x - q_x)_+,\; m\, o_x\}$",
    reference="own statement, sharpening RDK 2, after Definition 2.2",
    instances=_moved,
    lhs=lambda p, q, share, onto: overlap(p, _redistributed(p, q, share, onto)) - overlap(p, q),
    rhs=lambda p, q, share, onto: np.minimum(
        np.maximum(p - q, 0), (share * drafter_kernel(p, q)).sum(axis=-1, keepdims=True) * onto
    ).sum(axis=-1),
    note="Token by token: where the draft exceeds the target it still does after the move; elsewhere it gains what it gets, up "
    "to what it lacks. The gain is the whole of what is missing, ‖k‖₁, when all is moved onto norm((p − q)₊).",
    broken=[
        broken(
            "only the moved mass, without what stays",
            rhs=lambda p, q, share, onto: np.minimum(p, share * onto).sum(axis=-1),
        )
    ],
)
