"""csqs.lowest-threshold: up to α/(V − 1) no more than α can be dropped; a line from there to 1/V; beyond it one step down."""

from __future__ import annotations

from proofs_check.csqs._lowest_point import never_below_floor, shares
from proofs_check.csqs._recursion import BELOW, at_extreme, bind_thresholds, text, threshold
from proofs_check.language import Derivation, Proof
from simspec.claims.csqs.lowest_threshold import LOWEST
from simspec.claims.csqs.parts import READINGS


def prove(d: Derivation, sign: int = 1, share: int = 1) -> None:
    """Every vocabulary of two tokens or more, text, start, step size and target in [0, 1]; both readings.

    For α < 1 (keep-top: α < 1 − 1/V) no number can be raised: V − 1 tokens of mass (1 − ε)β each, again and again, lead
    from β₀ in (α/(V − 1), 1/V] to α/((V − 1)(1 − ε)) where η(V − 1) < 1, and the floor is the other number where it is
    not; a flat law leads from β₀ = 1/V + ε to 1/V + ε − η(1 − α) at once, keep-top 1 − 1/V − α for 1 − α. A start at or
    below the floor is attained. From other starts the infimum over texts may be higher: literal, V = 2, α = 0, η =
    9/10, β₀ = 6/5, where the first step leads to 3/10 and no other below 0; the floor is −2/5.
    """
    w = text(d)
    lowest_shares = shares(d, w)
    d.qed(
        *(
            at_extreme(d, never_below_floor(d, w, threshold(d, w, top, sign), lowest_shares, share), top, "least")
            for top in READINGS
        )
    )


PROOF = Proof(LOWEST, prove, drop=BELOW, change={"share": 2}, bind=bind_thresholds)
