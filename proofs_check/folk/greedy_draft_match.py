"""folk.greedy-draft-match: the emitted token is the target's sample, however the draft was made."""

from __future__ import annotations

from proofs_check.folk._one_step import unlike
from proofs_check.folk._samples import proof
from proofs_check.language import Refutation
from simspec.claims.folk.greedy_draft_match import GREEDY_DRAFT_MATCH, GREEDY_DRAFT_MATCH_CORRECTED
from simspec.claims.folk.parts import top

PROOFS = (
    Refutation(
        GREEDY_DRAFT_MATCH,
        unlike,
        scope="the first pair of different laws over two tokens without zeros; by the corrected claim every pair is one",
        repaired={"it does not": GREEDY_DRAFT_MATCH_CORRECTED},
    ),
    proof(GREEDY_DRAFT_MATCH_CORRECTED, lambda p, q: top(q)),
)
