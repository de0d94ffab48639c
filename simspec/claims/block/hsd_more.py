"""`block.hsd-more.naive` and `.capped`, with a correction: Zhou et al. 2026 (2601.05724), README."""

from __future__ import annotations

from simspec.claims.authoring import Array, at_least, bound, exact, identity
from simspec.claims.block.parts import EXAMPLE, accepted, at_least_so_many, contexts, ended, reached
from simspec.methods.block.hierarchical import hierarchical_capped, hierarchical_naive
from simspec.methods.block.verification import block_verifier
from simspec.methods.joint.verifier import Verifier


def _accepted(verifier: Verifier, p: Array, q: Array, gamma: int) -> Array:
    """E[τ] on the instance, and on the example of Sun et al."""
    return exact([accepted(ended(verifier, p, q, gamma)), accepted(ended(verifier, **EXAMPLE))])


def _floor(p: Array, q: Array, gamma: int) -> Array:
    """What must be reached there: the block's E[τ], and any more than its 11/9, which is a multiple of 1/27 here."""
    block = _accepted(block_verifier(), p, q, gamma)
    return block + exact([0, 1]) / 27


MORE_NAIVE = bound(
    name="block.hsd-more.naive",
    statement=r"$E[\tau]$ of naive HSD is at least that of block verification for all $P$, $Q$, $\gamma$, and more for some: "
    r"by 1/27 or more for $p = (1/3, 2/3)$, $q = (2/3, 1/3)$, $\gamma = 2$",
    reference="Zhou et al. 2026 (2601.05724), README",
    instances=contexts,
    lhs=lambda p, q, gamma: _accepted(hierarchical_naive, p, q, gamma),
    rhs=_floor,
    relation=at_least,
    sources=("exact",),
    note="It keeps a prefix with mass min(P, Q) of the joint laws, which no rule can exceed; the block's mass never recovers "
    "above what an earlier prefix had. The price: target laws at prefixes that were not drafted, and no further token.",
)

MORE_CAPPED = bound(
    name="block.hsd-more.capped",
    statement=r"$E[\tau]$ of capped HSD is at least that of block verification for all $P$, $Q$, $\gamma$, and more for some: "
    r"read as, for $p = (1/3, 2/3)$, $q = (2/3, 1/3)$, $\gamma = 2$",
    reference="Zhou et al. 2026 (2601.05724), README",
    instances=contexts,
    lhs=lambda p, q, gamma: _accepted(hierarchical_capped, p, q, gamma),
    rhs=_floor,
    relation=at_least,
    sources=("exact",),
    corrected_by=("block.hsd-more.capped-corrected",),
    note="For no laws more: by the corrected claim it keeps as many as the block, always with the same probability.",
)

CAPPED_CORRECTED = identity(
    name="block.hsd-more.capped-corrected",
    statement=r"Capped HSD keeps $i$ drafts or more with the probability of block verification, for every $i \le \gamma$ and all "
    r"$P$, $Q$",
    reference="correction of Zhou et al. 2026 (2601.05724), README",
    instances=at_least_so_many,
    lhs=lambda p, q, gamma, at: reached(ended(hierarchical_capped, p, q, gamma), at),
    rhs=lambda p, q, gamma, at: reached(ended(block_verifier(), p, q, gamma), at),
    sources=("exact",),
    note=r"$R^*$ cut at one is $r$, and $D_{cap}(p, q)/D_{cap}(q, p) = Z/(Z + 1 - r)$.",
)
