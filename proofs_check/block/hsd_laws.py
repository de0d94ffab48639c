"""block.hsd-laws: a branch that is resampled leaves the draft, and asks for laws there."""

from __future__ import annotations

from proofs_check.block._laws import by_size
from proofs_check.language import Refutation
from simspec.claims.block.hsd_laws import HSD_LAWS, HSD_LAWS_CORRECTED

PROOF = Refutation(
    HSD_LAWS,
    by_size,
    scope="the first by the denominator of the laws over two tokens, two drafts",
    repaired={"capped, or one draft": HSD_LAWS_CORRECTED, "one draft": lambda: by_size(gamma=1)},
)
