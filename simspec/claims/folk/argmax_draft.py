"""`folk.argmax-draft` in two readings, with a correction: TensorRT-LLM #15775."""

from __future__ import annotations

from simspec.claims.authoring import at_least, bound, law
from simspec.claims.folk.parts import at_top, pair

ANY = bound(
    name="folk.argmax-draft.any",
    statement=r"Under exact match, drafting $\operatorname{argmax} q$ maximises acceptance: $p(\operatorname{argmax} q) \ge "
    r"\sum_x p(x)\,q(x)$, for all $p$, $q$",
    reference="TensorRT-LLM #15775 (code comment)",
    instances=pair,
    lhs=lambda p, q: at_top(p, q),
    rhs=lambda p, q: (p * q).sum(axis=-1),
    relation=at_least,
    corrected_by=("folk.argmax-draft.any-corrected", "folk.argmax-draft.same-law"),
    within=({"p": law("1/3", "2/3"), "q": law("1/2", "1/2")},),
    note="What counts is the target's mass of the draft: a drafter that is sure of a token the target never says is better "
    "sampled.",
)

ANY_CORRECTED = bound(
    name="folk.argmax-draft.any-corrected",
    statement=r"Under exact match, some one token is no worse a draft than a sample of $q$: $\max_x p(x) \ge \sum_x p(x)\,q(x)$",
    reference="correction of TensorRT-LLM #15775",
    instances=pair,
    lhs=lambda p, q: p.max(axis=-1),
    rhs=lambda p, q: (p * q).sum(axis=-1),
    relation=at_least,
    tight=({"p": law("1/2", "1/2"), "q": law(1, 0)},),
    note="It is the most likely token of p, not of q; drafting argmax q is as good where that is the same token.",
)

SAME_LAW = bound(
    name="folk.argmax-draft.same-law",
    statement=r"For $q = p$: $\max p \ge \sum_x p(x)^2$",
    reference="TensorRT-LLM #15775 (code comment)",
    instances=lambda draw: {"p": draw.law(draw.vocab())},
    lhs=lambda p: p.max(axis=-1),
    rhs=lambda p: (p * p).sum(axis=-1),
    relation=at_least,
    tight=({"p": law("1/2", "1/2", 0)},),
)
