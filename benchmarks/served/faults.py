r"""Faults of an engine as laws: what a token's law becomes at each place, by a strength that is set by its total variation.

Most are of the kinds at which the bets of `simspec.audit.endpoint.bets` aim.  No bet aims at top-k and at other weights, which
show what the audit is worth on a fault that nobody thought of, nor at the last two where the draft is not known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.served.rows import Rows
from simspec.laws import Array

__all__ = ["FAULTS", "Fault", "strength_of", "variation"]


class Fault(NamedTuple):
    """A kind of fault.

    Attributes
    ----------
    meaning : str; what the engine does
    law : from rows and a strength between 0 and 1, at which 0 is no fault, to laws (n, V + 1)
    is_aimed : bool; whether bets aim at it that do not know the draft
    depends_on_draft : bool; whether its law depends on the draft's; bets that know it aim at all of these
    """

    meaning: str
    law: Callable[[Rows, float], Array]
    is_aimed: bool = True
    depends_on_draft: bool = False


def _mixed(rows: Rows, other: Array, share: float) -> Array:
    return rows.target + share * (other - rows.target)


def _point(columns: Array, shape: tuple[int, ...]) -> Array:
    laws = np.zeros(shape)
    laws[np.arange(shape[0]), columns] = 1
    return laws


def _mode(rows: Rows, strength: float) -> Array:
    return _mixed(rows, _point(rows.order[:, 0], rows.target.shape), strength)


def _draft(rows: Rows, strength: float) -> Array:
    return _mixed(rows, rows.draft, strength)


def _repetition(rows: Rows, strength: float) -> Array:
    return _mixed(rows, _point(rows.repeated, rows.target.shape), strength)


def _powered(rows: Rows, power: float) -> Array:
    # over the largest mass, which no power then rounds to 0
    return _normalised((rows.target / rows.target.max(axis=1, keepdims=True)) ** power)


def _normalised(weights: Array) -> Array:
    return weights / weights.sum(axis=1, keepdims=True)


def _cold(rows: Rows, strength: float) -> Array:
    return _powered(rows, 1 / (1 - strength))


def _hot(rows: Rows, strength: float) -> Array:
    return _powered(rows, 1 - strength)


def _min_p(rows: Rows, strength: float) -> Array:
    """The last column holds many tokens, each of them less likely than any threshold that is looked at."""
    listed = rows.target.copy()
    listed[:, -1] = 0
    return (
        _normalised(np.where(listed >= strength * listed.max(axis=1, keepdims=True), listed, 0))
        if strength
        else rows.target
    )


def _ranked(rows: Rows) -> tuple[Array, Array]:
    """Columns by falling mass without the last one, and their masses."""
    order = np.argsort(-rows.target[:, :-1], axis=1, kind="stable")
    return order, np.take_along_axis(rows.target, order, axis=1)


def _from_ranked(rows: Rows, order: Array, weights: Array) -> Array:
    laws = np.zeros_like(rows.target)
    np.put_along_axis(laws, order, weights, axis=1)
    return _normalised(laws)


def _top_p(rows: Rows, strength: float) -> Array:
    if not strength:
        return rows.target
    order, masses = _ranked(rows)
    before = np.cumsum(masses, axis=1) - masses
    return _from_ranked(rows, order, np.where(before < 1 - strength, masses, 0))


def _top_k(rows: Rows, strength: float) -> Array:
    """With k = 1/strength; the part of k behind the point is the part of the next token that stays."""
    if not strength:
        return rows.target
    order, masses = _ranked(rows)
    return _from_ranked(rows, order, masses * np.clip(1 / strength - np.arange(masses.shape[1]), 0, 1))


def _other_weights(rows: Rows, strength: float) -> Array:
    return _mixed(rows, rows.other, strength)


def _recovered(rows: Rows, accepted: Array, recovery: Array) -> Array:
    """The law of a token whose draft is accepted with these masses, and else drawn from `recovery`."""
    return accepted + (1 - accepted.sum(axis=1, keepdims=True)) * recovery


def _residual(rows: Rows) -> Array:
    excess = np.maximum(rows.target - rows.draft, 0)
    total = excess.sum(axis=1, keepdims=True)
    return np.where(total > 0, excess / np.where(total > 0, total, 1), rows.target)


def _relaxed(rows: Rows, strength: float) -> Array:
    """Drafts are accepted with probability min(1, c p/q), c = 1/(1 - strength)."""
    return _recovered(rows, np.minimum(rows.draft, rows.target / (1 - strength)), _residual(rows))


def _residual_of_target(rows: Rows, strength: float) -> Array:
    wrong = _recovered(rows, np.minimum(rows.draft, rows.target), rows.target)
    return _mixed(rows, wrong, strength)


FAULTS = {
    "mode": Fault("a share of the tokens is the most likely one", _mode),
    "draft": Fault("a share of the tokens comes from the draft, unverified", _draft, depends_on_draft=True),
    "repetition": Fault("a share of the tokens repeats the one before", _repetition),
    "temperature below 1": Fault("all tokens are drawn at a lower temperature", _cold),
    "temperature above 1": Fault("all tokens are drawn at a higher temperature", _hot),
    "min-p": Fault("tokens below a part of the most likely one's mass are missing", _min_p),
    "top-p": Fault("tokens beyond the most likely mass are missing", _top_p),
    "top-k": Fault("tokens beyond the k-th are missing", _top_k, is_aimed=False),
    "other weights": Fault(
        "a share of the tokens comes from the model with its weights in 4 bits", _other_weights, False
    ),
    "relaxed acceptance": Fault("drafts are accepted with probability min(1, c p/q), c > 1", _relaxed, False, True),
    "recovery from the target": Fault(
        "refused drafts are replaced from p, in a share of the steps", _residual_of_target, False, True
    ),
}
"""Kinds of faults."""


def variation(laws: Array, rows: Rows) -> float:
    """Total variation a token, on average over the places."""
    return float(np.abs(laws - rows.target).sum(axis=1).mean() / 2)


def strength_of(fault: Fault, rows: Rows, tv: float) -> float | None:
    """The strength at which a fault has a total variation a token; None where none has.

    Total variation grows with the strength of each of these faults; bisection ends within a relative 1e-3 of it, or where a
    law jumps.
    """
    low = 0.0
    high = 1 - 1e-6
    if variation(fault.law(rows, high), rows) < tv:
        return None
    while high - low > 1e-7 and high > low * (1 + 1e-6):
        middle = (low + high) / 2
        reached = variation(fault.law(rows, middle), rows)
        if abs(reached - tv) < 1e-3 * tv:
            return middle
        low, high = (middle, high) if reached < tv else (low, middle)
    return high
