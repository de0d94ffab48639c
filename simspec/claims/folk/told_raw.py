"""Top-k drafts with the uncut draft distribution reported leave the output to the target.

`folk.told-raw`, with its correction: Transformers #47932.
"""

from __future__ import annotations

from simspec.claims.authoring import Draw, Instance, broken, identity
from simspec.claims.folk.parts import given_q, pair, top
from simspec.laws import top_k
from simspec.methods import SD, output_law


def _cut(draw: Draw) -> Instance:
    instance = pair(draw)
    return {**instance, "k": draw.integer(1, instance["p"].shape[-1])}


TOLD_RAW = identity(
    name="folk.told-raw",
    statement=r"Drafts from $q$ cut to its $k$ most likely tokens and renormalised, the verifier told the uncut $q$: output "
    r"law $p$",
    reference="Transformers #47932",
    instances=_cut,
    lhs=lambda p, q, k: output_law(SD, p, q, drawn=top_k(q, k)),
    rhs=lambda p: p,
    corrected_by=("folk.told-raw-corrected",),
    note="The cut draft says its tokens more often than q does, and the ratio with q lets them pass.",
)

TOLD_RAW_CORRECTED = identity(
    name="folk.told-raw-corrected",
    statement=r"Drafts from $q$ cut to its $k$ most likely tokens and renormalised, the verifier told the law that they "
    r"were drawn from: output law $p$",
    reference="correction of Transformers #47932",
    instances=_cut,
    lhs=lambda p, q, k: output_law(SD, p, top_k(q, k)),
    rhs=lambda p: p,
    broken=[broken("only the top token is drafted, and the verifier is given q", lhs=given_q(lambda q, k: top(q)))],
)
