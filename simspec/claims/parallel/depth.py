"""The acceptance of a position can rise with its depth, given that the drafts before it were accepted.

`parallel.depth`, with its correction: practice, of parallel heads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, circulation, law, matrix
from simspec.methods.parallel import best_draft, marginal, product_acceptance

__all__ = ["STATIONARY", "ahead", "reached"]

STATIONARY = "the first law is stationary"
SOURCE = "practice, of heads as of Gloeckle et al. 2024 and Cai et al. 2024"


def _source(draw: Draw) -> Instance:
    """A source whose next token depends on the last one, its stationary law, and a number of positions."""
    rows, stationary = circulation(draw, 2)
    return {"T": rows, "pi": stationary, "depth": draw.integer(2, 4)}


def ahead(T: Array, steps: int) -> Array:
    """Laws of the token that many steps on, given each token.

    >>> ahead(np.array([[F(0), F(1)], [F(1), F(0)]]), 2).tolist()
    [[Fraction(1, 1), Fraction(0, 1)], [Fraction(0, 1), Fraction(1, 1)]]
    """
    power = np.array([[F(int(x == y)) for y in range(len(T))] for x in range(len(T))], dtype=object)
    for _ in range(steps):
        power = power @ T
    return power


def reached(T: Array, pi: Array, depth: int) -> list[Any]:
    """Probability that 0, 1, … drafts are accepted in a row; position i is drafted from the exact law of the token there.

    The drafter knows the last token of the text, which has the stationary law, and none of its own drafts.
    """
    alive = np.diag(pi)
    probabilities = [alive.sum()]
    for step in range(1, depth + 1):
        drafts = ahead(T, step)
        alive = np.stack([(row[:, None] * np.minimum(T, q)).sum(axis=0) for row, q in zip(alive, drafts, strict=True)])
        probabilities.append(alive.sum())
    return probabilities


def _is_stationary(T: Array, pi: Array) -> bool:
    return bool((pi @ T == pi).all())


def _squares(T: Array, pi: Array, depth: int) -> Array:
    m = reached(T, pi, depth)
    return np.array([m[i] ** 2 for i in range(1, depth)], dtype=object)


def _neighbours(T: Array, pi: Array, depth: int) -> Array:
    m = reached(T, pi, depth)
    return np.array([m[i - 1] * m[i + 1] for i in range(1, depth)], dtype=object)


STICKY = {"T": matrix("4/5 1/5", "3/5 2/5"), "pi": law("3/4", "1/4"), "depth": 4}
BENT = {"T": matrix("1 0", "1/2 1/2"), "pi": law("1/2", "1/2"), "depth": 3}

DEPTH = bound(
    name="parallel.depth",
    statement=r"Given that the earlier drafts were accepted, the acceptance at position $i$ falls with $i$ for every stationary "
    r"source and its exact marginals: with $m_i$ the probability that $i$ drafts are accepted, $m_i^2 \ge m_{i-1} m_{i+1}$",
    reference=SOURCE,
    instances=_source,
    assumes={STATIONARY: _is_stationary},
    lhs=_squares,
    relation=at_least,
    rhs=_neighbours,
    outside={STATIONARY: BENT},
    sources=("exact",),
    corrected_by=("parallel.depth-corrected",),
    against=(STICKY,),
    within=(STICKY,),
    note="What was accepted is likelier text, after which the source may be easier to guess. The first position is accepted "
    "for sure, so that the second one never does better.",
)


def _rival(draw: Draw) -> Instance:
    """A source, draft laws of a drafter that knows the token before last, and a position."""
    vocab = 2 + draw.integer(0, 1)
    rows, stationary = circulation(draw, vocab)
    rival = np.stack([draw.law(vocab) for _ in range(vocab)])
    return {"T": rows, "pi": stationary, "rival": rival, "position": draw.integer(1, 3)}


def _deeper(T: Array, pi: Array, rival: Array, position: int) -> Any:
    """Mean acceptance at the next position, of draft laws that know the last token of the text."""
    laws = ahead(T, position)
    return sum(mass * product_acceptance(a, T, q) for mass, a, q in zip(pi, laws, rival, strict=True))


def _best(T: Array, pi: Array, position: int) -> Any:
    """Mean acceptance of the best law at a position."""
    laws = ahead(T, position - 1)
    return sum(mass * best_draft(a, T).acceptance for mass, a in zip(pi, laws, strict=True))


def _by_marginal(T: Array, pi: Array, position: int) -> Any:
    laws = ahead(T, position - 1)
    return sum(mass * product_acceptance(a, T, marginal(a, T)) ** 2 for mass, a in zip(pi, laws, strict=True))


DEPTH_CORRECTED = bound(
    name="parallel.depth-corrected",
    statement=r"Along the target's text the best law at position $i + 1$ is accepted no more often than the best one at $i$, for "
    r"every stationary source: whatever laws are drafted there",
    reference=f"correction of {SOURCE}",
    instances=_rival,
    assumes={STATIONARY: _is_stationary},
    lhs=_deeper,
    rhs=_best,
    outside={
        STATIONARY: {"T": matrix("1 0", "1/2 1/2"), "pi": law(0, 1), "rival": matrix("1 0", "1 0"), "position": 2}
    },
    tight=[
        {
            "T": matrix("1/2 1/2", "1/2 1/2"),
            "pi": law("1/2", "1/2"),
            "rival": matrix("1/2 1/2", "1/2 1/2"),
            "position": 1,
        }
    ],
    sources=("exact",),
    note="One token later, the same position is drafted by one who knows less. It says nothing of what is accepted after "
    "accepted drafts, and nothing of marginals.",
    broken=[broken("the square of the marginal's acceptance", rhs=_by_marginal)],
)
