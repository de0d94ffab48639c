"""block.strictly-more: where both models agree nothing is left to gain."""

from __future__ import annotations

from collections.abc import Iterator

from proofs_check.block._laws import by_size
from proofs_check.language import Refutation
from simspec.claims.block.strictly_more import STRICTLY_MORE
from simspec.claims.claim import Instance


def _both_ways() -> Iterator[Instance]:
    """Laws that differ and leave out no token: one ratio is above one, the other below."""
    return (i for i in by_size() if (i["p"] != i["q"]).any() and min(*i["p"][0], *i["q"][0]) > 0)


PROOF = Refutation(
    STRICTLY_MORE,
    by_size,
    scope="the first by the denominator of the laws over two tokens, two drafts",
    repaired={"different laws without a zero": _both_ways},
)
