"""All drafts are accepted with probability one minus the total variation of the joint distributions.

`block.whole`, with its correction: own.
"""

from __future__ import annotations

from simspec.claims.authoring import Array, at_most, bound, exact, identity, swapped
from simspec.claims.block.parts import EXAMPLE, contexts, ended, target_law
from simspec.laws import overlap
from simspec.methods.block.verification import block_verifier


def _whole(p: Array, q: Array, gamma: int) -> object:
    outcomes = ended(block_verifier(), p, q, gamma)
    return sum(o.probability for o in outcomes if o.accepted == gamma) + exact([0])[0]


def _overlap(p: Array, q: Array, gamma: int) -> object:
    """1 − TV of the joint laws of γ tokens."""
    return overlap(target_law(p, gamma), target_law(q, gamma))


WHOLE = identity(
    name="block.whole",
    statement=r"$P(\tau = \gamma) = 1 - TV$ of the joint laws of $\gamma$ target tokens and $\gamma$ drafts",
    reference="own",
    instances=contexts,
    lhs=_whole,
    rhs=_overlap,
    sources=("exact",),
    against=(EXAMPLE,),
    corrected_by=("block.whole-corrected",),
    note="A prefix that the target likes more than the draft counts no more than one that it likes as much; a later "
    "token that "
    "it likes less is then tested as if nothing had been in hand. For the paper's example 5/9, not 6/9.",
)

WHOLE_CORRECTED = bound(
    name="block.whole-corrected",
    statement=r"$P(\tau = \gamma) \le 1 - TV$ of the joint laws of $\gamma$ target tokens and $\gamma$ drafts",
    reference="correction of an own statement",
    instances=contexts,
    lhs=_whole,
    rhs=_overlap,
    relation=at_most,
    sources=("exact",),
    tight=({**EXAMPLE, "gamma": 1},),
    note=r"$r_\gamma$ is the product of ratios over its largest value so far, so at most $\min(1, R_\gamma)$.",
    broken=[swapped()],
)
