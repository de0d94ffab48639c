"""`metrics.one-draft`: vLLM #13626."""

from __future__ import annotations

from simspec.claims.authoring import identity
from simspec.claims.sd.parts import mean_tokens, pair_of_laws
from simspec.laws import overlap

ONE_DRAFT = identity(
    name="metrics.one-draft",
    statement=r"$\gamma = 1$, acceptance $a$: $1 + a$ tokens per step",
    reference="vLLM #13626",
    instances=pair_of_laws,
    lhs=lambda p, q: mean_tokens(lambda x: p, lambda x: q, 1),
    rhs=lambda p, q: 1 + overlap(p, q),
    sources=("exact",),
    note="An accepted draft is followed by the bonus token; a rejected one is replaced.",
)
