"""Edge-cloud links: batches of drafts under a bit budget, with a threshold that moves after every token."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import check_memory, floats, short, truth, whole_number
from simspec.kernels.random import core

__all__ = ["Batches", "Contexts", "Rule", "run_links", "sort_contexts"]

Array = NDArray[Any]
MEMO = 1024
"""Largest number of kept tokens whose acceptance is remembered."""
SLACK = 1e-3
"""By how much the sum of a law may miss one: half precision."""


@dataclass(frozen=True, eq=False)
class Contexts:
    """Contexts of each row, tokens in the order of falling draft probability; `sort_contexts` puts them in it.

    Attributes
    ----------
    q, p : (R, M, V)
        draft and target laws in that order, M and V >= 1; sums may miss 1 by `SLACK`.
    cumulative : (R, M, V + 1)
        mass of the first k tokens of the draft law, added up here.

    Raises
    ------
    ValueError
        for shapes that do not fit, masses that are none, laws that do not sum to one, and a draft law that rises.
    """

    q: Array
    p: Array
    cumulative: Array = field(init=False)

    def __post_init__(self) -> None:
        q = _laws("q", self.q)
        p = _laws("p", self.p)
        if p.shape != q.shape:
            raise ValueError(f"p: shape {p.shape}; expected that of q, {q.shape}")
        if not (rising := q[..., 1:] <= q[..., :-1]).all():
            row, context, token = (int(i) for i in np.argwhere(~rising)[0])
            raise ValueError(f"q: row {row}, context {context} rises after token {token}; expected falling masses")
        cumulative = np.zeros((*q.shape[:-1], q.shape[-1] + 1))
        np.cumsum(q, axis=-1, out=cumulative[..., 1:])
        for name, x in (("q", q), ("p", p), ("cumulative", cumulative)):
            x = x.view()
            x.flags.writeable = False
            object.__setattr__(self, name, x)


class Rule(NamedTuple):
    """Which tokens of a draft law are kept: the `k` likeliest, or with k = 0 those that reach a threshold, and how it moves.

    Attributes
    ----------
    k : int
    threshold, step_size, dropped_target : numbers
        first threshold, and how it moves; where no token reaches the threshold the most likely one is kept.
    printed : bool
        leave the threshold as line 12 of the printed algorithm does: the new token is not counted.
    """

    k: int = 0
    threshold: float = 0.0
    step_size: float = 0.0
    dropped_target: float = 0.0
    printed: bool = False


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
    q = _array("q", q, 3)
    p = _array("p", p, 3)
    if p.shape != q.shape:
        raise ValueError(f"p: shape {p.shape}; expected that of q, {q.shape}")
    order = np.argsort(-q, axis=-1, kind="stable")
    return Contexts(np.take_along_axis(q, order, axis=-1), np.take_along_axis(p, order, axis=-1))


def run_links(
    contexts: Contexts,
    price: Array,
    budget: float,
    resolution: int,
    picks: Array,
    accept_uniforms: Array,
    rule: Rule,
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
    picks, uniforms : uniforms (R, batches, N + 1)
        the context of each position (each context of the row is equally likely) and its acceptance; N is the largest
        number of drafts in a batch.
    rule : Rule
        which tokens of each law are kept.

    Returns
    -------
    Batches

    Raises
    ------
    ValueError
        for shapes that do not fit, a resolution that is none from 1 to 2^44 - 1, k > V, uniforms outside [0, 1], prices
        that are negative or NaN, and other numbers that are NaN, or infinite where the threshold moves.

    Notes
    -----
    A position is accepted with probability :math:`\sum_x \min(p_x, \hat q_x)`, exact for its context; positions draw
    their contexts independently.  Defined by the plain version in the tests.

    Examples
    --------
    >>> same = np.array([[[0.5, 0.5]]])
    >>> made = run_links(sort_contexts(same, same), np.array([0, 1, 2]), 4, 2, *[np.full((1, 1, 4), 0.5)] * 2, Rule(k=2))
    >>> made.emitted.tolist(), made.bits.tolist()
    ([[3.0]], [[4.0]])
    """
    from simspec.kernels.link import numba_link as link_loops

    if not isinstance(contexts, Contexts):
        raise ValueError(f"contexts: {type(contexts).__name__}; expected Contexts, made by sort_contexts")
    rows, pool, vocab = contexts.q.shape
    picks = _uniforms("picks", picks, rows)
    accept_uniforms = _uniforms("accept_uniforms", accept_uniforms, rows)
    if accept_uniforms.shape != picks.shape:
        raise ValueError(f"accept_uniforms: shape {accept_uniforms.shape}; expected that of picks, {picks.shape}")
    bits = _array("price", price, 1)
    if bits.shape != (vocab + 1,) or not (bits >= 0).all():
        raise ValueError(f"price: shape {bits.shape}; expected {vocab + 1} numbers >= 0, one for each number of tokens")
    if not isinstance(rule, Rule):
        raise ValueError(f"rule: {type(rule).__name__}; expected Rule")
    k = whole_number("k", rule.k, 0, vocab)
    resolution = whole_number("resolution", resolution, 1, 2**44 - 1)
    if not isinstance(rule.printed, (bool, np.bool_)):
        raise ValueError(f"printed: {rule.printed!r}; expected True or False")
    threshold = _number("threshold", rule.threshold)
    budget = _number("budget", budget)
    steps = core.number("step_size", rule.step_size), core.number("dropped_target", rule.dropped_target)
    memo_size = min(MEMO, vocab + 1)
    batches = picks.shape[1]
    check_memory("contexts", contexts.q.shape, 8 * rows * (pool * memo_size + batches * link_loops.OUTPUTS))
    memo = np.full((rows, pool, memo_size), -1.0)
    out = np.empty((rows, batches, link_loops.OUTPUTS))
    moving = threshold, *steps, truth("printed", rule.printed)
    laws = contexts.q, contexts.p, contexts.cumulative
    link_loops.run(*laws, memo, bits, k, *moving, resolution, budget, picks, accept_uniforms, out)
    return Batches(*np.moveaxis(out, -1, 0))


# ---- checks: what the compiled loop relies on ----


def _array(name: str, values: ArrayLike, axes: int) -> Array:
    """Numbers in C order with so many axes."""
    x = floats(name, values, f"numbers with {axes} axes")
    if x.ndim != axes:
        raise ValueError(f"{name}: {x.dtype} array of shape {x.shape}; expected numbers with {axes} axes")
    return np.ascontiguousarray(x)


def _laws(name: str, values: ArrayLike) -> Array:
    """Laws (R, M, V)."""
    x = _array(name, values, 3)
    if 0 in x.shape[1:]:
        raise ValueError(f"{name}: shape {x.shape}; expected (rows, contexts, tokens), at least one context and token")
    if not (sound := (x >= 0) & (x < np.inf)).all():
        at = tuple(int(i) for i in np.argwhere(~sound)[0])
        raise ValueError(f"{name}: {x[at]} at {at}; expected finite masses, none negative")
    with np.errstate(over="ignore"):
        total = x.sum(axis=-1)
    if not (near := np.abs(total - 1) <= SLACK).all():
        row, context = (int(i) for i in np.argwhere(~near)[0])
        raise ValueError(f"{name}: row {row}, context {context} sums to {total[row, context]}; expected laws")
    return x


def _uniforms(name: str, values: ArrayLike, rows: int) -> Array:
    x = _array(name, values, 3)
    if len(x) != rows or x.shape[2] == 0:
        raise ValueError(f"{name}: shape {x.shape}; expected ({rows}, batches, N + 1), a row for each of the contexts")
    if not (inside := (x >= 0) & (x <= 1)).all():
        raise ValueError(f"{name}: {x[~inside][0]}; expected uniform numbers between 0 and 1")
    return x


def _number(name: str, value: Any) -> float:
    """A number, which may be infinite."""
    numeric = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    try:
        number = float(value) if numeric else math.nan
    except OverflowError:  # an integer beyond all floats
        number = math.nan
    if math.isnan(number):
        raise ValueError(f"{name}: {short(value)}; expected a number")
    return number
