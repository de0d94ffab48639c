"""folk.match-lossy-accept: a target that is surer than the draft matches its best token more often than it keeps a sample."""

from __future__ import annotations

from proofs_check.folk._one_step import by_size
from proofs_check.language import Refutation
from simspec.claims.folk.match_lossy_accept import MATCH_LOSSY_ACCEPT
from simspec.claims.folk.parts import at_top

PROOF = Refutation(
    MATCH_LOSSY_ACCEPT,
    by_size,
    scope="the first pair by vocabulary and denominator: the target is sure, the draft torn",
    repaired={"p(a) ≤ q(a)": lambda: (i for i in by_size() if at_top(i["p"], i["q"]) <= i["q"].max())},
)
