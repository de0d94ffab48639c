"""Reporting a certain draft accepts more often than exact match.

`folk.one-hot-vs-match`, with its correction: vLLM #40651, #35461.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, at_least, bound, broken, identity
from simspec.claims.folk.parts import at_top, few, first_token, top, whether
from simspec.methods import SD, acceptance_rate, output_law
from simspec.methods.verifier.match import match_candidates


def _match(p: Array, q: Array, accepted: int | None = None) -> Array:
    """Law of the token that exact match emits for the draft argmax q; of accepted ones where asked for."""
    return first_token(match_candidates(lambda x: p, lambda x: q, (int(np.argmax(q)),)), len(p), accepted)


ONE_HOT_VS_MATCH = bound(
    name="folk.one-hot-vs-match",
    statement=r"For the same draft $\operatorname{argmax} q$, the rule that is told it was certain accepts more often than "
    r"exact match",
    reference="vLLM #40651, #35461",
    instances=few,
    lhs=lambda p, q: whether(acceptance_rate(SD, p, top(q)) > _match(p, q, 1).sum()),
    rhs=lambda: 1,
    relation=at_least,
    sources=("exact",),
    corrected_by=("folk.one-hot-vs-match-corrected",),
    note="A coin of probability p(a) and a sample of p that is a come up equally often; after a refusal both emit p "
    "without a.",
)

ONE_HOT_VS_MATCH_CORRECTED = identity(
    name="folk.one-hot-vs-match-corrected",
    statement=r"Of the draft $a = \operatorname{argmax} q$ the rule that is told it was certain and exact match both "
    r"accept with "
    r"probability $p(a)$, and both emit with law $p$",
    reference="correction of vLLM #40651, #35461",
    instances=few,
    lhs=lambda p, q: np.append(output_law(SD, p, top(q)), acceptance_rate(SD, p, top(q))),
    rhs=lambda p, q: np.append(_match(p, q), _match(p, q, 1).sum()),
    sources=("exact",),
    broken=[broken("the match at the top token", lhs=lambda p, q: np.append(q, at_top(p, q)))],
)
