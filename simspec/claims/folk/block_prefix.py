"""In block verification, a failed test rejects everything after it.

`folk.block-prefix`, with its correction: vllm-ascend #11985.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, exact, law, matrix, procedure
from simspec.methods.block import Model
from simspec.methods.block.verification import block_verifier
from simspec.methods.verifier.verifier import next_tokens, outcomes


def _contexts(draw: Draw) -> Instance:
    laws = {name: draw.law(2) for name in ("p", "q")}
    return {**laws, **{name: np.stack([draw.law(2), draw.law(2)]) for name in ("after", "draft_after")}}


def _model(law: Array, after: Array) -> Model:
    """First the law, then a row of the table by the last token."""
    return lambda prefix: after[prefix[-1]] if prefix else law


def _texts(early: bool, p: Array, q: Array, after: Array, draft_after: Array) -> Array:
    """Law of the first two tokens, two drafts."""
    target = _model(p, after)
    outcome_list = outcomes(block_verifier(early), target, _model(q, draft_after), 2)
    law = next_tokens(outcome_list, target, 2)
    return exact([[law.get((x, y), Fraction(0)) for y in range(len(p))] for x in range(len(p))])


PREFIX = procedure(
    name="folk.block-prefix",
    statement=r"In block verification a failed test at $i$ must reject everything after $i$: so it is lossless",
    reference="vllm-ascend #11985 (review)",
    instances=_contexts,
    lhs=lambda p, q, after, draft_after: _texts(True, p, q, after, draft_after),
    rhs=lambda p, after: p[:, None] * after,
    sources=("exact",),
    corrected_by=("folk.block-prefix-corrected",),
    within=(
        {
            "p": law("1/3", "2/3"),
            "q": law("1/2", "1/2"),
            "after": matrix("1/2 1/2", "1/2 1/2"),
            "draft_after": matrix("1/2 1/2", "2/3 1/3"),
        },
    ),
    note="The tests are not those of token verification: test i asks whether to stop there at the latest, given that no "
    "longer prefix passed. Stopping at the first failure keeps too few of the texts whose second token makes up for the first.",
)

PREFIX_CORRECTED = procedure(
    name="folk.block-prefix-corrected",
    statement=r"With two drafts, testing on after a failure and keeping the longest prefix that passes, the first two tokens "
    r"have the target's law",
    reference="correction of vllm-ascend #11985 (review)",
    instances=_contexts,
    lhs=lambda p, q, after, draft_after: _texts(False, p, q, after, draft_after),
    rhs=lambda p, after: p[:, None] * after,
    sources=("exact",),
    broken=[Broken("the printed left side", lambda _: {"lhs": PREFIX.lhs})],
)
