"""Edge-cloud links: batches of drafts under a bit budget, with a threshold that moves after every token."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Batches", "Contexts", "run_links", "sort_contexts"]

Array = NDArray[Any]
MEMO = 1024
"""Largest number of kept tokens whose acceptance is remembered."""


class Contexts(NamedTuple):
    """Contexts of each row, tokens in the order of falling draft probability.

    Attributes
    ----------
    q, p : (R, M, V)
        draft and target laws in that order.
    cumulative : (R, M, V + 1)
        mass of the first k tokens of the draft law.
    """

    q: Array
    p: Array
    cumulative: Array


class Batches(NamedTuple):
    """What each batch of each row did, arrays (R, batches).

    `emitted` tokens, `drafted` tokens, `rejected` (1 when a draft was resampled), `discarded` (all drafts that were not
    used), `bits` sent, `kept` (tokens kept, summed over the drafts), `threshold` after the batch.
    """

    emitted: Array
    drafted: Array
    rejected: Array
    discarded: Array
    bits: Array
    kept: Array
    threshold: Array


def sort_contexts(p: Array, q: Array) -> Contexts:
    """Contexts from target and draft laws (R, M, V); ties keep the lower token first.

    >>> sort_contexts(np.array([[[0.5, 0.5]]]), np.array([[[0.25, 0.75]]])).q.tolist()
    [[[0.75, 0.25]]]
    """
    order = np.argsort(-q, axis=-1, kind="stable")
    q, p = (np.take_along_axis(np.asarray(x, dtype=np.float64), order, axis=-1) for x in (q, p))
    cumulative = np.zeros((*q.shape[:-1], q.shape[-1] + 1))
    np.cumsum(q, axis=-1, out=cumulative[..., 1:])
    return Contexts(q, p, cumulative)


def run_links(
    contexts: Contexts,
    price: Array,
    budget: float,
    resolution: int,
    picks: Array,
    coins: Array,
    *,
    k: int = 0,
    threshold: float = 0.0,
    step_size: float = 0.0,
    dropped_target: float = 0.0,
    printed: bool = False,
) -> Batches:
    r"""Run every row's batches: draft while the bits fit, verify, move the threshold over what was accepted.

    Parameters
    ----------
    contexts : Contexts
    price : (V + 1,)
        bits of one draft law that keeps so many tokens.
    budget : number
        bits of one batch; a draft that would pass it is not sent (its bits are known before its token is drawn).
    resolution : int
        of the lattice.
    picks, coins : uniforms (R, batches, N + 1)
        the context of each position (each context of the row is equally likely) and its acceptance; N is the largest
        number of drafts in a batch.
    k : int
        tokens kept of each law; 0 for a threshold.
    threshold, step_size, dropped_target : numbers
        first threshold, and how it moves; where no token reaches the threshold the most likely one is kept.
    printed : bool
        leave the threshold as line 12 of the printed algorithm does: the new token is not counted.

    Returns
    -------
    Batches

    Notes
    -----
    A position is accepted with probability :math:`\sum_x \min(p_x, \hat q_x)`, exact for its context; positions draw
    their contexts independently.  Defined by the plain version in the tests.

    Examples
    --------
    >>> same = np.array([[[0.5, 0.5]]])
    >>> made = run_links(sort_contexts(same, same), np.array([0, 1, 2]), 4, 2, *[np.full((1, 1, 4), 0.5)] * 2, k=2)
    >>> made.emitted.tolist(), made.bits.tolist()
    ([[3.0]], [[4.0]])
    """
    from simspec.kernels import link_loops

    rows, batches, _ = picks.shape
    memo = np.full((rows, contexts.q.shape[1], min(MEMO, contexts.q.shape[2] + 1)), -1.0)
    out = np.empty((rows, batches, link_loops.OUTPUTS))
    link_loops.run(
        *contexts,
        memo,
        np.asarray(price, dtype=np.float64),
        int(k),
        float(threshold),
        float(step_size),
        float(dropped_target),
        bool(printed),
        int(resolution),
        float(budget),
        np.ascontiguousarray(picks),
        np.ascontiguousarray(coins),
        out,
    )
    return Batches(*np.moveaxis(out, -1, 0))
