"""Masking only the draft by a grammar leaves the text to the unmasked target.

`process.mask-draft`: practice.
"""

from __future__ import annotations

from simspec.claims.authoring import Draw, Instance, broken, procedure
from simspec.laws import restrict
from simspec.methods import SD, output_law


def _grammar(draw: Draw) -> Instance:
    vocab = draw.vocab()
    p, q = draw.pair(vocab)
    return {"p": p, "q": q, "mask": draw.mask(vocab)}


MASK_DRAFT = procedure(
    name="process.mask-draft",
    statement=r"Masking only the draft by a grammar leaves the text lossless for the unmasked target: drafts of $q$ on the "
    r"allowed tokens, renormalised and reported so, emit $p$",
    reference="practice, on Leviathan et al. 2023",
    instances=_grammar,
    lhs=lambda p, q, mask: output_law(SD, p, restrict(q, mask)),
    rhs=lambda p: p,
    note="The masked draft is a draft like any other (a uniform one where q has nothing on the mask). The text then breaks the "
    "grammar as often as the target does; reported unmasked it is folk.told-raw, which is lossy.",
    broken=[
        broken("the target is masked too", lhs=lambda p, q, mask: output_law(SD, restrict(p, mask), restrict(q, mask))),
        broken("the unmasked draft is reported", lhs=lambda p, q, mask: output_law(SD, p, q, drawn=restrict(q, mask))),
    ],
)
