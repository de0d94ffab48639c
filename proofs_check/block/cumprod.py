"""block.cumprod: a product of two coins is below a more often than one is; of one draft the rule is token verification."""

from __future__ import annotations

from proofs_check.block._laws import by_size
from proofs_check.block._one_draft import ONE, first_law, first_values
from proofs_check.language import Proof, Refutation
from simspec.claims.block.cumprod import CUMPROD, CUMPROD_CORRECTED

PROOFS = (
    Refutation(
        CUMPROD,
        by_size,
        scope="the first by the denominator of the laws over two tokens, two drafts; the probabilities are balls",
        repaired={"one draft": lambda: by_size(gamma=1)},
    ),
    Proof(CUMPROD_CORRECTED, first_law, drop=ONE, bind=first_values),
)
