"""`folk.match-lossy-accept`: llama.cpp #27694."""

from __future__ import annotations

from simspec.claims.authoring import at_least, bound, law
from simspec.claims.folk.parts import at_top, pair
from simspec.laws import overlap

MATCH_LOSSY_ACCEPT = bound(
    name="folk.match-lossy-accept",
    statement=r"The ratio rule on drafts from $q$ accepts more often than “argmax and match” on the same laws, for every $p$, "
    r"$q$: $\alpha \ge p(\operatorname{argmax} q)$",
    reference="llama.cpp #27694 (comment)",
    instances=pair,
    lhs=lambda p, q: overlap(p, q),
    rhs=lambda p, q: at_top(p, q),
    relation=at_least,
    corrected_by=("folk.drop-probs-corrected", "folk.one-hot-better.needs"),
    within=({"p": law("7/8", "1/8"), "q": law("1/2", "1/2")},),
    note="Read as “at least as often”, the weaker statement. It holds where p(a) ≤ q(a); a target surer of a than the draft "
    "matches it more often than it would accept a sample.",
)
