"""The target's marginal is not the best law of a position; the best one balances how often the target has more of a token.

`parallel.marginal-best`, with its correction and a sharp form: own statements.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, identity, law, matrix
from simspec.claims.parallel.parts import SOURCE, pair_of_tokens
from simspec.methods.parallel import best_draft, excess, marginal, product_acceptance

__all__ = ["BALANCED", "INSIDE", "moved"]

BALANCED = "the target has more than q of each token with probability λ at most, and no less of each that q has with λ at least"
INSIDE = "no mass of the target lies between the masses before and after the move"

MARGINAL_BEST = bound(
    name="parallel.marginal-best",
    statement=r"Of all laws $q_2$ for the second token the target's marginal is accepted most often, on average over the first",
    reference=SOURCE,
    instances=pair_of_tokens,
    lhs=lambda a, P: product_acceptance(a, P, marginal(a, P)),
    relation=at_least,
    rhs=lambda a, P, q: product_acceptance(a, P, q),
    sources=("exact",),
    corrected_by=("parallel.marginal-best-corrected", "parallel.marginal-best-sharp"),
    within=({"a": law("3/4", "1/4"), "P": matrix("3/4 1/4", "1/4 3/4"), "q": law("3/4", "1/4")},),
    note="The marginal is the mean of the rows, and what is asked for is their median. Equal where the marginal is balanced, "
    "as for independent tokens.",
)


def _balanced(draw: Draw) -> Instance:
    """The best law of a target, with its level, and any other law."""
    instance = pair_of_tokens(draw)
    best = best_draft(instance["a"], instance["P"])
    return {"a": instance["a"], "P": instance["P"], "q": best.law, "level": best.level, "rival": instance["q"]}


def _is_balanced(a: Array, P: Array, q: Array, level: F) -> bool:
    strictly, at_least_ = excess(a, P, q)
    return bool((strictly <= level).all() and (at_least_[q > 0] >= level).all())


SURE = {"a": law("3/4", "1/4"), "P": matrix("1 0", "0 1"), "q": law(1, 0), "level": F(3, 4), "rival": law(1, 0)}

MARGINAL_BEST_CORRECTED = bound(
    name="parallel.marginal-best-corrected",
    statement=r"A law $q$ of the second token is accepted at least as often as any other if for some $\lambda$ it has $\Pr(P(y|"
    r"X) > q(y)) \le \lambda$ for every token, and $\lambda \le \Pr(P(y|X) \ge q(y))$ for each that it uses",
    reference=f"correction of an {SOURCE}",
    instances=_balanced,
    assumes={BALANCED: _is_balanced},
    lhs=lambda a, P, rival: product_acceptance(a, P, rival),
    rhs=lambda a, P, q: product_acceptance(a, P, q),
    tight=[SURE],
    outside={BALANCED: {**SURE, "q": law("3/4", "1/4")}},
    sources=("exact",),
    note="The acceptance is concave in q, and these are its slopes to either side. Such a law exists: the pieces of the slopes "
    "are taken from the steepest down until the mass is one (simspec.methods.parallel.best_draft).",
    broken=[
        broken("the marginal in place of the balanced law", rhs=lambda a, P: product_acceptance(a, P, marginal(a, P)))
    ],
)


def moved(q: Array, source: int, sink: int, size: F) -> Array:
    """The law after a mass has gone from one token to another.

    >>> [str(m) for m in moved(law("1/2", "1/2"), 0, 1, F(1, 4))]
    ['1/4', '3/4']
    """
    after = q.copy()
    after[source] -= size
    after[sink] += size
    return after


def _moves(draw: Draw) -> Instance:
    """A law, two tokens, and a mass so small that it passes no mass of the target on either side."""
    instance = pair_of_tokens(draw)
    q = instance["q"]
    source = draw.integer(0, len(q) - 1)
    sink = (source + draw.integer(1, len(q) - 1)) % len(q)
    above = [m - q[sink] for m in instance["P"][:, sink] if m > q[sink]]
    below = [q[source] - m for m in instance["P"][:, source] if m < q[source]]
    size = min([q[source], *above, *below]) * draw.number(0, 1)
    return {**instance, "source": source, "sink": sink, "size": size}


def _is_inside(P: Array, q: Array, source: int, sink: int, size: F) -> bool:
    up = (P[:, sink] <= q[sink]) | (P[:, sink] >= q[sink] + size)
    down = (P[:, source] >= q[source]) | (P[:, source] <= q[source] - size)
    return bool(up.all() and down.all() and source != sink and 0 <= size <= q[source])


def _slope(a: Array, P: Array, q: Array, source: int, sink: int) -> Any:
    """Pr(P(sink|X) > q) − Pr(P(source|X) ≥ q)."""
    strictly, at_least_ = excess(a, P, q)
    return strictly[sink] - at_least_[source]


def _change(a: Array, P: Array, q: Array, source: int, sink: int, size: F) -> Any:
    return product_acceptance(a, P, moved(q, source, sink, size)) - product_acceptance(a, P, q)


MOVE = {
    "a": law("3/4", "1/4"),
    "P": matrix("1 0", "0 1"),
    "q": law("3/4", "1/4"),
    "source": 1,
    "sink": 0,
    "size": F(1, 4),
}

MARGINAL_BEST_SHARP = identity(
    name="parallel.marginal-best-sharp",
    statement=r"A small mass $t$ moved from the token $z$ to the token $y$ changes the acceptance of $q$ by $t\,[\Pr(P(y|X) > "
    r"q(y)) - \Pr(P(z|X) \ge q(z))]$: so a best law has a $\lambda$ between all of the first and all of the second, $q(z) > 0$",
    reference=f"sharper form of an {SOURCE}",
    instances=_moves,
    assumes={INSIDE: _is_inside},
    lhs=_change,
    rhs=lambda a, P, q, source, sink, size: size * _slope(a, P, q, source, sink),
    tight=[MOVE],
    outside={INSIDE: {**MOVE, "P": matrix("7/8 1/8", "0 1")}},
    sources=("exact",),
    note="Small means that t passes no mass that the target gives y or z. Where the target's masses have a density the two "
    "probabilities are equal, and a best law leaves each token that it uses the same one.",
    broken=[
        broken(
            "at least in place of more",
            rhs=lambda a, P, q, source, sink, size: size * (excess(a, P, q)[1][sink] - excess(a, P, q)[1][source]),
        )
    ],
)
