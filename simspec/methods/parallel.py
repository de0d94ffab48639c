"""Drafters that draw positions without seeing one another: the best law for a position, beside the marginal, with a certificate.

The target draws a context x from `first`, then a token y from the row x of `rows`.  A parallel drafter has one law q for y,
whatever x was; it is accepted with probability Σ_x first(x) Σ_y min(rows(y|x), q(y)).  What is not here: verification of
whole blocks (`simspec.methods.block`), and laws of more than two positions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array, Scalar

__all__ = ["BestDraft", "best_draft", "excess", "marginal", "optimality_gap", "product_acceptance"]


class BestDraft(NamedTuple):
    """A law that no other law beats, the probability level of its certificate, and its acceptance."""

    law: Array
    level: Any
    acceptance: Any


def marginal(first: Array, rows: Array) -> Array:
    """The target's own law of the second token, Σ_x first(x) rows(y|x).

    >>> marginal(np.array([0.75, 0.25]), np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
    [0.75, 0.25]
    """
    mixture: Array = (np.asarray(first)[:, None] * np.asarray(rows)).sum(axis=0)
    return mixture


def product_acceptance(first: Array, rows: Array, draft: Array) -> Any:
    r"""Acceptance of one draft law for all contexts, :math:`\sum_x a(x) \sum_y \min(P(y|x), q(y))`.

    Parameters
    ----------
    first : law (C,) of the context
    rows : laws (C, V) of the token after each context
    draft : law (V,)

    >>> rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> float(product_acceptance(np.array([0.75, 0.25]), rows, np.array([0.75, 0.25])))
    0.625
    """
    return (np.asarray(first) * np.minimum(rows, draft).sum(axis=1)).sum()


def best_draft(first: Array, rows: Array) -> BestDraft:
    r"""The law of the second token that is accepted most often, by filling the likeliest gaps first.

    :math:`E \min(P(y|X), t)` is concave in t with slope :math:`\Pr(P(y|X) > t)`, constant between neighbouring values of
    :math:`P(y|x)`.  These pieces, of all tokens, are taken by falling slope until the law has mass one; the slope of the last
    is the level λ.  Optimal, since :math:`\Pr(P(y|X) > q(y)) \le \lambda \le \Pr(P(y|X) \ge q(y))`, the second wherever
    q(y) > 0 (see `optimality_gap`).

    Parameters
    ----------
    first : law (C,) of the context
    rows : laws (C, V); floats, or fractions for an exact answer

    Raises ValueError where the shapes do not match.

    >>> best = best_draft(np.array([0.75, 0.25]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> best.law.tolist(), float(best.level), float(best.acceptance)
    ([1.0, 0.0], 0.75, 0.75)
    """
    first = np.asarray(first)
    rows = np.asarray(rows)
    if rows.ndim != 2 or first.shape != rows.shape[:1]:
        raise ValueError(f"rows: has shape {rows.shape}; expected a row for each of the {len(first)} contexts of first")
    law = 0 * rows[0]
    remaining: Any = 1
    level: Any = 0
    # a stable sort: of equal slopes the pieces of a token stay in their order, from below
    for slope, length, token in sorted(_pieces(first, rows), key=lambda piece: -piece[0]):
        filled = min(length, remaining)
        law[token] = law[token] + filled
        remaining = remaining - filled
        level = slope
        if remaining <= 0:
            break
    return BestDraft(law, level, product_acceptance(first, rows, law))


def _pieces(first: Array, rows: Array) -> list[tuple[Any, Any, int]]:
    """Slope, length and token of every piece on which a token's acceptance is linear in its draft mass."""
    pieces = []
    for token in range(rows.shape[1]):
        before: Any = 0
        for value in sorted(
            {mass for mass, weight in zip(rows[:, token], first, strict=True) if mass > 0 and weight > 0}
        ):
            slope = first[rows[:, token] >= value].sum()
            pieces.append((slope, value - before, token))
            before = value
    return pieces


def excess(first: Array, rows: Array, draft: Array) -> tuple[Array, Array]:
    """For each token the probability over contexts that the target has more than the draft, and that it has no less.

    >>> strictly, at_least = excess(np.array([0.75, 0.25]), np.eye(2), np.array([1.0, 0.0]))
    >>> strictly.tolist(), at_least.tolist()
    ([0.0, 0.25], [0.75, 1.0])
    """
    weights = np.asarray(first)[:, None]
    return (weights * (rows > draft)).sum(axis=0), (weights * (rows >= draft)).sum(axis=0)


def optimality_gap(first: Array, rows: Array, draft: Array) -> Scalar:
    r"""By how much more, at most, another law could be accepted: 0 certifies that none is better.

    :math:`\max_y \Pr(P(y|X) > q(y)) - \min_{q(y) > 0} \Pr(P(y|X) \ge q(y))`, or 0 where that is negative: moving mass from
    one token to another gains no more than this slope for each unit, and no more than one unit can be moved.

    A bound, not a distance: it compares masses strictly, so that it is a step function of the draft.  It is 0 at the best law on
    fractions, and may be as large as 1 at a law that loses nothing but the rounding of a float.  On floats
    `simspec.methods.heads.draft_bound` certifies, which is continuous.

    >>> rows = np.eye(2)
    >>> [float(optimality_gap(np.array([0.75, 0.25]), rows, np.array(q))) for q in ([1.0, 0.0], [0.75, 0.25])]
    [0.0, 0.5]

    A best law with its last bit moved to the other token:

    >>> float(optimality_gap(np.array([0.75, 0.25]), rows, np.array([1 - 2**-53, 2**-53])))
    0.5
    """
    strictly, at_least = excess(first, rows, draft)
    gap: Scalar = max(strictly.max() - at_least[np.asarray(draft) > 0].min(), 0)
    return gap
