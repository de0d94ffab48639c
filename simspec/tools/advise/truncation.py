"""Laws as they are drafted and verified: a drafter that keeps some of its tokens, and nucleus sampling of both models.

What is not here: how laws are read (`load`), and which rules are tried on them (`plan`).
"""

from __future__ import annotations

from typing import Any

from simspec.laws import Array, unchecked
from simspec.methods.rdk.pruning import most_frequent
from simspec.tools.reading import Pairs
from simspec.tools.rows_of_laws import RowsOfLaws, mapped

__all__ = ["truncated"]


def truncated(pairs: Pairs, pruned: float = 1, top_p: float = 1) -> Pairs:
    """The pair with a pruned drafter and nucleus sampling, on its contexts and on those that rules are tuned on.

    Parameters
    ----------
    pairs : laws of target and draft
    pruned : share of the vocabulary that the drafter keeps, in (0, 1]: the tokens most likely on average, those of them that
        both models have; it drafts from its law on them
    top_p : mass of the nucleus that both models draw from, in (0, 1]

    Raises ValueError for a pruned drafter where the mean law is not known, or where it keeps no token.

    >>> import numpy as np
    >>> from simspec.methods.known import Known
    >>> law = np.array([[0.5, 0.25, 0.25]])
    >>> pairs = Pairs(law, law, np.array([0]), "by hand", Known(mean=law[0]))
    >>> truncated(pairs, pruned=0.4).q.tolist(), truncated(pairs, top_p=0.5).p.tolist()
    ([[1.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]])
    """
    if pruned == 1 and top_p == 1:
        return pairs
    mask = None if pruned == 1 else _mask(pairs, pruned)

    def nucleus(law: Array) -> Array:
        return law if top_p == 1 else unchecked.top_p(law, top_p)

    def drafted(q: Array) -> Array:
        return nucleus(q if mask is None else unchecked.restrict(q, mask))

    def laws(p: Array | RowsOfLaws, q: Array | RowsOfLaws) -> tuple[Any, Any]:
        return mapped(p, nucleus), mapped(q, drafted)

    known = pairs.known
    if mask is not None:
        known = known._replace(shared=mask)
    tuning = known.tuning
    if tuning is not None:
        known = known._replace(tuning=lambda: laws(*tuning()))
    p, q = laws(pairs.p, pairs.q)
    return pairs._replace(p=p, q=q, known=known)


def _mask(pairs: Pairs, share: float) -> Array:
    """Mask (V,) of the tokens that a pruned drafter keeps, one at least."""
    known = pairs.known
    if known.mean is None:
        raise ValueError(
            f"pruned: {share}; {pairs.source} has no mean distribution to rank tokens by: capture it with --statistics"
        )
    frequent = most_frequent(known.mean, max(1, round(share * pairs.p.shape[-1])))
    if known.shared is None:
        return frequent
    if not (frequent & known.shared).any():
        raise ValueError(f"pruned: {share}; this keeps no token of the draft model; expected a larger share")
    return frequent & known.shared
