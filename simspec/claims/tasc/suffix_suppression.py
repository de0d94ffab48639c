"""A new token suppresses its alternatives: greedy decoding takes it over its first token alone.

`tasc.suffix-suppression`, with its correction: TASC, 4.1, before the collision score.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, identity, law, procedure, shifted
from simspec.claims.claim import Printed

__all__ = ["merged"]


def merged(first: Array, after: Array) -> Array:
    """Law of the first token once token 0 of `first` and token 0 of `after` make one: the new one, the old one alone, the rest.

    The strings keep their law: what begins with the pair is written with the new token.

    >>> [str(m) for m in merged(law("1/2", "1/2"), law("2/5", "3/10", "3/10"))]
    ['1/5', '3/10', '1/2']
    """
    return np.array([first[0] * after[0], first[0] * (1 - after[0]), *first[1:].tolist()], dtype=object)


def _likeliest_first(draw: Draw) -> Instance:
    """A law of first tokens, and one of what follows token 0, of which no token is likelier than its token 0."""
    first = draw.law(draw.integer(1, 3))
    after = draw.law(draw.integer(1, 4))
    return {"first": first, "after": np.array(sorted(after.tolist(), reverse=True), dtype=object)}


SUPPRESSION = procedure(
    name="tasc.suffix-suppression",
    statement="A new token (“in the”) collapses what may follow into one path: where its last token was the likeliest to follow, "
    "greedy decoding takes the new token over “in” alone, also against individually less frequent but collectively more "
    "probable continuations; the strings keep their law",
    reference="TASC, 4.1",
    instances=_likeliest_first,
    lhs=lambda first, after: merged(first, after)[0],
    rhs=lambda first, after: merged(first, after)[1],
    relation=at_least,
    sources=("exact",),
    against=({"first": law(1), "after": law("2/5", "3/10", "3/10")},),
    within=({"first": law("1/2", "1/2"), "after": law("2/5", "3/10", "3/10")},),
    corrected_by=("tasc.suffix-suppression-corrected",),
    note="The other way round: without the token greedy decoding writes “in”, then the likeliest follower; with it, “in” alone "
    "stands for all other followers together. A fine-tuned model may be biased; an exact one suppresses nothing.",
    printed=Printed(
        place="TASC 4.1",
        text="collapsing multiple plausible continuations into a single dominant path, suppressing "
        "alternatives whose prefix collides with the new token’s suffix",
        read="Of greedy decoding, while strings keep their law.",
    ),
)

SUPPRESSION_CORRECTED = identity(
    name="tasc.suffix-suppression-corrected",
    statement=r"While strings keep their law, the new token's probability less that of its first token alone is $f(2a - 1)$, $f$ "
    r"the first token's probability before and $a$ that of the other after it; no other token changes: greedy decoding prefers "
    r"the new token only where $a \ge \frac12$, all alternatives together",
    reference="correction of TASC, 4.1",
    instances=_likeliest_first,
    lhs=lambda first, after: np.array([(new := merged(first, after))[0] - new[1], new[2:].sum() + F(0)]),
    rhs=lambda first, after: np.array([first[0] * (2 * after[0] - 1), 1 - first[0]]),
    sources=("exact",),
    note="Before the merge the pair was greedy's choice wherever both of its tokens were the likeliest, a ≥ 1/W for W followers: "
    "merging can only take it away.",
    broken=[shifted(F(1, 8))],
)
