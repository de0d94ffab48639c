"""pad.cost-negligible: a perceptron of one hidden layer, beside all layers of the target and of the draft."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, le
from simspec.claims.pad.cost_negligible import COST_NEGLIGIBLE, DRAFT, TARGET, WIDTH, forward


def prove(d: Derivation, sign: int = 1, target_factor: int = 400) -> None:
    """Every width up to the target's hidden state.

    At that width the shares are 1/450 and 1/35.5, so that the constants can hardly be improved.
    """
    width = sp.Symbol("width", real=True)
    narrow = d.assume(WIDTH, le(width, TARGET.hidden))
    passes = TARGET.hidden * width + 2 * (width + 2)
    d.qed(
        *(
            d.derive(f"beside the {name}", le(factor * passes, sign * forward(model)), narrow)
            for name, factor, model in (("target", target_factor, TARGET), ("draft", 35, DRAFT))
        )
    )


PROOF = Proof(COST_NEGLIGIBLE, prove, drop=WIDTH, change={"target_factor": 500}, bind=lambda width: {"width": width})
