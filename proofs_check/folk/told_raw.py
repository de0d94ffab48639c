"""folk.told-raw: the cut draft is another law than q; told as it is, the step is lossless."""

from __future__ import annotations

from collections.abc import Iterator

from proofs_check.folk._one_step import by_size
from proofs_check.folk._told import proof
from proofs_check.language import Refutation
from simspec.claims.claim import Instance
from simspec.claims.folk.told_raw import TOLD_RAW, TOLD_RAW_CORRECTED
from simspec.laws import top_k


def _cuts() -> Iterator[Instance]:
    """Pairs of laws over at most two tokens, and every number of tokens kept."""
    for pair in by_size((1, 2)):
        yield from ({**pair, "k": k} for k in range(1, len(pair["p"]) + 1))


PROOFS = (
    Refutation(
        TOLD_RAW,
        _cuts,
        scope="the first by vocabulary and denominator: the uniform draft is cut to its first token",
        repaired={
            "nothing is cut": lambda: (i for i in _cuts() if i["k"] == len(i["p"])),
            "told as it was drawn": TOLD_RAW_CORRECTED,
        },
    ),
    proof(TOLD_RAW_CORRECTED, lambda p, q, k: top_k(q, k)),
)
