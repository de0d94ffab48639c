"""The prefix-collision score is as printed always one, and a limit on it lets no n-gram pass.

`tasc.pcs`, the prefix-collision score as it is printed, and of other tokens only: TASC, 4.1 and Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, broken, identity, shifted
from simspec.claims.claim import Printed

__all__ = ["begins"]


def begins(strings: Sequence[str], last: int) -> list[bool]:
    """Which entries of the vocabulary begin with the string of token `last`.

    >>> begins(["in", "the", "therapy"], 1)
    [False, True, True]
    """
    return [s.startswith(strings[last]) for s in strings]


def _vocabulary(draw: Draw) -> Instance:
    """Different strings over two letters, the last token of an n-gram, and a limit."""
    strings: list[str] = []
    for _ in range(draw.integer(1, 5)):
        string = "".join("ab"[draw.integer(0, 1)] for _ in range(draw.integer(1, 3)))
        strings += [] if string in strings else [string]
    return {"strings": strings, "last": draw.integer(0, len(strings) - 1), "limit": F(draw.integer(1, 8), 8)}


def _printed(strings: Sequence[str], last: int, limit: F) -> Array:
    """The score, and whether Algorithm 1 lets the n-gram pass."""
    score = F(int(any(begins(strings, last))))
    return np.array([score, F(int(score < limit))])


AT_MOST_ONE = "the limit is at most one"

SENTENCE = Printed(
    place="TASC 4.1",
    text="measures the probability that the suffix of an n-gram collides with prefixes of existing tokens",
    read="As the formula has it, a union over the vocabulary; and over other tokens than the last one.",
)

PRINTED = identity(
    name="tasc.pcs.printed",
    statement=r"The union over all $t' \in \mathcal V$ is certain, since $t_n$ is in $\mathcal V$ and its string begins with "
    r"itself: PCS is $1$ for every $n$-gram, and no limit $\alpha_{\mathsf{PCS}} \le 1$ lets any pass",
    reference="TASC, 4.1 and Algorithm 1, as printed",
    instances=_vocabulary,
    assumes={AT_MOST_ONE: lambda limit: limit <= 1},
    lhs=_printed,
    rhs=lambda: np.array([F(1), F(0)]),
    sources=("exact",),
    outside={AT_MOST_ONE: {"strings": ["a"], "last": 0, "limit": F(2)}},
    note="The formula binds t' by the union; what else would be random it does not say. A score that can be less draws t' from "
    "the corpus (six readings in simspec.methods.tasc.collision).",
    printed=SENTENCE,
    broken=[
        shifted(1),
        broken(
            "strings outside the assumption",
            assumes={},
            instances=lambda draw: {"strings": ["a"], "last": 0, "limit": F(2)},
        ),
    ],
)


def _others(strings: Sequence[str], last: int, limit: F) -> F:
    """Whether Algorithm 1 lets the n-gram pass when the union leaves out its own last token."""
    score = F(int(any(begins_there for t, begins_there in enumerate(begins(strings, last)) if t != last)))
    return F(int(score < limit))


A_LIMIT = "the limit is above zero and at most one"

DISTINCT = identity(
    name="tasc.pcs.distinct",
    statement=r"With $t' \ne t_n$ the union holds or it does not, PCS is $1$ or $0$: every limit in $(0, 1]$ lets exactly those "
    r"$n$-grams pass whose last token begins no other token's string",
    reference="TASC, 4.1 and Algorithm 1, of other tokens only",
    instances=_vocabulary,
    assumes={A_LIMIT: lambda limit: 0 < limit <= 1},
    lhs=_others,
    rhs=lambda strings, last: F(1 - int(sum(begins(strings, last)) > 1)),
    sources=("exact",),
    outside={A_LIMIT: {"strings": ["a"], "last": 0, "limit": F(0)}},
    note="The limit is then no parameter: nothing lies between. Of the paper's example “in the” can never pass, since “therapy” "
    "begins with “the”, however rare it is.",
    printed=SENTENCE,
    broken=[broken("zero", rhs=lambda strings, last: F(0))],
)
