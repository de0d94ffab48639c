"""The accepted drafts of a text of two tokens are bounded by its total variation from the target.

`relaxed.text-frontier`, with where it is attained: tokens accepted at a given total variation of a text of two (own).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken, exact, identity, matrix
from simspec.claims.relaxed.parts import shares
from simspec.laws import Scalar

__all__ = ["accepted", "between", "two_tokens"]


def two_tokens(draw: Draw, vocab: int) -> Array:
    """A law of texts of two tokens (V, V), the first token by rows."""
    first = draw.law(vocab)
    return first[:, None] * np.stack([draw.law(vocab) for _ in range(vocab)])


def _texts(draw: Draw) -> tuple[Array, Array]:
    vocab = 1 + draw.integer(0, 2)
    return two_tokens(draw, vocab), two_tokens(draw, vocab)


def _any_rule(draw: Draw) -> Instance:
    p, q = _texts(draw)
    vocab = len(p)
    o = two_tokens(draw, vocab)
    first = shares(draw, vocab) * np.minimum(o.sum(axis=1), q.sum(axis=1))
    pair_masses = np.stack([shares(draw, vocab) for _ in range(vocab)]) * np.minimum(o, q)
    return {"p": p, "q": q, "o": o, "first": first, "both": pair_masses}


def _apart(p: Array, q: Array) -> Any:
    return np.maximum(p - q, 0).sum()


def accepted(o: Array, q: Array) -> Any:
    """The most drafts that a rule which emits o accepts on average: those of one token, and those of both.

    >>> print(accepted(matrix("1/2 0", "0 1/2"), matrix("1/4 1/4", "1/4 1/4")))
    3/2
    """
    return np.minimum(o.sum(axis=1), q.sum(axis=1)).sum() + np.minimum(o, q).sum()


def _ends(p: Array, q: Array) -> tuple[Any, Any]:
    """TV of the first token, TV of the text."""
    return _apart(p.sum(axis=1), q.sum(axis=1)), _apart(p, q)


def _most(p: Array, q: Array, epsilon: Scalar) -> Any:
    return accepted(p, q) + sum((min(epsilon, end) for end in _ends(p, q)), F(0))


def between(p: Array, q: Array, epsilon: Scalar) -> Array:
    """The text law at total variation ε from p: first the first token's law goes to q's, then the second one's.

    >>> [str(m) for m in between(matrix("1"), matrix("1"), F(0)).ravel()]
    ['1']
    """
    first, total_distance = _ends(p, q)
    theta = min(F(1), epsilon / first) if first else F(1)
    eta = max(F(0), epsilon - first) / (total_distance - first) if total_distance > first else F(0)
    text_masses = p * 1
    for mark, change in ((1, q - p), (-1, p - q)):
        rows = np.maximum(change, 0).sum(axis=1)
        moved_share = np.maximum(change.sum(axis=1), 0) / exact([m or 1 for m in rows])
        text_masses = text_masses + mark * (theta * moved_share + eta * (1 - moved_share))[:, None] * np.maximum(
            change, 0
        )
    return text_masses


TEXT_FRONTIER = bound(
    name="relaxed.text-frontier",
    statement=r"Two drafts: a rule of any kind, also one that judges both at once, with total variation $\varepsilon$ "
    r"between its text and the target's accepts on average at most $\sum_x \min(p, q) + \sum_{xy} \min(p, q) + "
    r"\min(\varepsilon, \mathrm{TV}_1) + \min(\varepsilon, \mathrm{TV}_2)$ of them, $\mathrm{TV}_n$ that of the first $n$ "
    r"tokens",
    reference="own statement (the frontier of a text of two tokens), beside Yin et al. 2024",
    instances=_any_rule,
    lhs=lambda first, both: first.sum() + both.sum(),
    rhs=lambda p, q, o: _most(p, q, _apart(o, p)),
    tight=(
        {
            "p": matrix("1/2 0", "0 1/2"),
            "q": matrix("1/4 1/4", "1/4 1/4"),
            "o": matrix("1/4 1/4", "0 1/2"),
            "first": exact([F(1, 2), F(1, 2)]),
            "both": matrix("1/4 1/4", "0 1/4"),
        },
    ),
    sources=("exact",),
    note="A prefix that is accepted is both drafted and emitted. A total variation of ε pays for ε of every prefix at once: "
    "two accepted tokens for each ε as long as the first token's laws differ, one after that.",
    broken=[broken("the whole excess is counted", rhs=lambda p, q, o: accepted(p, q) + np.maximum(o - p, 0).sum())],
)

TEXT_FRONTIER_ATTAINED = identity(
    name="relaxed.text-frontier.attained",
    statement=r"The law that goes from $p$ to one with the first token of $q$, and from there to $q$, shares with $q$ "
    r"exactly what the bound of relaxed.text-frontier says, at total variation $\varepsilon$, for every $0 \le \varepsilon "
    r"\le \mathrm{TV}_2$",
    reference="own statement (the frontier of a text of two tokens), beside Yin et al. 2024",
    instances=lambda draw: _path(draw),
    lhs=lambda p, q, epsilon: exact([accepted(between(p, q, epsilon), q), _apart(between(p, q, epsilon), p)]),
    rhs=lambda p, q, epsilon: exact([_most(p, q, epsilon), epsilon]),
    sources=("exact",),
    note="Drafts and a text of law o can be coupled so that each prefix agrees as often as both laws have it; the frontier "
    "is concave, of slopes 2 and 1.",
    broken=[broken("the accepted mass without its gain", lhs=lambda p, q, epsilon: exact([accepted(p, q), epsilon]))],
)


def _path(draw: Draw) -> Instance:
    p, q = _texts(draw)
    return {"p": p, "q": q, "epsilon": draw.number(0, 1) * _apart(p, q)}
