"""block.whole: along every draft r is at most the product of the ratios, cut at one; equal while that has not been above it."""

from __future__ import annotations

import sympy as sp

from proofs_check.block._laws import by_size
from proofs_check.block._paths import along, n, size, walked
from proofs_check.language import Derivation, Proof, Refutation, le, x
from simspec.claims.block.whole import WHOLE, WHOLE_CORRECTED


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """All laws in every context, every number of drafts; the whole block is kept with r of its last draft.

    Attained by one draft, and by laws whose products of ratios never come down from above one.
    """
    t = walked(d, constant)
    *_, r_at_most_one, under, _ = t.ranges
    ends = [d.instantiate("after the last draft", f, {n: size}) for f in (r_at_most_one, under)]
    per_draft = d.smt(
        "of each draft",
        le(sign * t.w[x] * t.r[size, x], sp.Min(t.w[x], t.w[x] * t.R[size, x])),
        *ends,
    )
    d.qed(d.sum("over the drafts", per_draft, x))


PROOFS = (
    Refutation(
        WHOLE,
        by_size,
        scope="the first by the denominator of the laws over two tokens, two drafts",
        repaired={"at most": WHOLE_CORRECTED, "one draft": lambda: by_size(gamma=1)},
    ),
    Proof(WHOLE_CORRECTED, prove, drop="w is nowhere negative", bind=along),
)
