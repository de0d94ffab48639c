"""`folk.told-softmax`, with its correction: jaymody #3; ml-recurrent-drafter #6."""

from __future__ import annotations

from simspec.claims.authoring import identity
from simspec.claims.folk.parts import pair, top
from simspec.methods import SD, output_law

TOLD_SOFTMAX = identity(
    name="folk.told-softmax",
    statement=r"Drafts $\operatorname{argmax} q$, the verifier told $q$: output law $p$",
    reference="jaymody #3; ml-recurrent-drafter #6",
    instances=pair,
    lhs=lambda p, q: output_law(SD, p, q, drawn=top(q)),
    rhs=lambda p: p,
    corrected_by=("folk.told-softmax-corrected",),
    note="With p = q every draft passes, so the output is argmax p: sampling has become greedy.",
)

TOLD_SOFTMAX_CORRECTED = identity(
    name="folk.told-softmax-corrected",
    statement=r"Drafts $\operatorname{argmax} q$, the verifier told that it was certain: output law $p$",
    reference="correction of jaymody #3 and ml-recurrent-drafter #6",
    instances=pair,
    lhs=lambda p, q: output_law(SD, p, top(q)),
    rhs=lambda p: p,
)
