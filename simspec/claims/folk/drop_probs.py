"""`folk.drop-probs`, with its correction: vLLM #16899; SGLang #9877, #10308."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import bound, law
from simspec.claims.folk.parts import at_top, pair
from simspec.laws import overlap

DROP_PROBS = bound(
    name="folk.drop-probs",
    statement=r"Drafting $a = \operatorname{argmax} q$ and telling the verifier that it was certain accepts at most $\alpha$",
    reference="vLLM #16899; SGLang #9877, #10308",
    instances=pair,
    lhs=lambda p, q: at_top(p, q),
    rhs=lambda p, q: overlap(p, q),
    corrected_by=("folk.drop-probs-corrected",),
    within=({"p": law("7/8", "1/8"), "q": law("1/2", "1/2")},),
    note="It accepts p(a), and p(a) exceeds α where the target is surer of a than the draft: q is then a hedge that costs.",
)

DROP_PROBS_CORRECTED = bound(
    name="folk.drop-probs-corrected",
    statement=r"Drafting $a = \operatorname{argmax} q$ and telling the verifier that it was certain accepts $p(a) \le "
    r"\alpha + (p(a) - q(a))_+$: at most $\alpha$ where the target is no surer of $a$ than the draft",
    reference="correction of vLLM #16899 and SGLang #9877, #10308",
    instances=pair,
    lhs=lambda p, q: at_top(p, q),
    rhs=lambda p, q: overlap(p, q) + np.maximum(at_top(p, q) - at_top(q, q), 0),
    tight=({"p": law(1, 0), "q": law("1/2", "1/2")},),
)
