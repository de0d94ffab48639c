"""`folk.greedy-draft-match`, with its correction: DFlash #74."""

from __future__ import annotations

from simspec.claims.authoring import at_least, identity
from simspec.claims.folk.match_bias import matched
from simspec.claims.folk.parts import few, some_bias, top

GREEDY_DRAFT_MATCH = identity(
    name="folk.greedy-draft-match",
    statement=r"Greedy drafts compared with sampled target tokens break losslessness",
    reference="DFlash #74",
    instances=few,
    lhs=lambda p, q: some_bias(matched(p, top(q)), p),
    rhs=lambda: 1,
    relation=at_least,
    sources=("exact",),
    corrected_by=("folk.greedy-draft-match-corrected",),
    note="The sampled target token is what is emitted; how the draft was made is of no account. Greedy decoding of the target is "
    "another law, which sampling does not promise.",
)

GREEDY_DRAFT_MATCH_CORRECTED = identity(
    name="folk.greedy-draft-match-corrected",
    statement=r"Greedy drafts compared with sampled target tokens: the output law is $p$",
    reference="correction of DFlash #74",
    instances=few,
    lhs=lambda p, q: matched(p, top(q)),
    rhs=lambda p: p,
    sources=("exact",),
)
