r"""How the bias of a rule accumulates over the tokens of a text.

Two text laws over states: `target` and `emitted` are laws (S, V) of the next token in each state, `step[s, x]` is the
state after token x in state s (as in `simspec.methods.pad.process`; a Markov model is ``step[s, x] = x``).  The emitted laws
are those of one-token verification in every state, ``output_law(method, target, draft)``.  For texts of T tokens

.. math:: \mathrm{TV}_T \le 1 - Z_T \le \sum_{t<T} \mathbb{E}_{s_t \sim \mathrm{target}}\, \mathrm{TV}(o_{s_t}, p_{s_t}),

with the distance of the text laws (`text_tv`, by enumeration; `sampled_tv`, by Monte Carlo at any size), the agreement Z
(`agreement`) and the summed bias (`expected_bias`), both by one pass over the states.  These bounds grow in proportion to
T; the distance itself can grow like its root, because a text's biases partly cancel.  The overlap of square roots B
(`bhattacharyya`) sees that and bounds it from both sides, :math:`1 - B_T \le \mathrm{TV}_T \le \sqrt{1 - B_T^2}`.
`text_kl` is exact at any size.

Claim ``ears.sequence-bias``.  In block decoding a target call that keeps all its γ drafts emits one more token straight
from the target: each token then has mass p or o, never less than min(p, o), so that both bounds hold for it as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.laws import Array, check_pair, exact, is_exact, unchecked
from simspec.methods.parameters import check_horizon

__all__ = ["LARGEST", "agreement", "bhattacharyya", "expected_bias", "sampled_tv", "text_kl", "text_tv"]

LARGEST = 2**20
"""Most texts that `text_tv` enumerates."""


def text_tv(target: Array, emitted: Array, step: Array, start: int, length: int) -> Any:
    r"""Total-variation distance of the laws of a text, :math:`\tfrac12 \sum_x |P(x_{1:T}) - O(x_{1:T})|`, by enumeration.

    Parameters
    ----------
    target, emitted : laws (S, V), of the next token in each state
    step : int array (S, V); state after each token
    start : int; state before the first token
    length : int >= 0; tokens of the text, T; at 0 the distance is 0

    Returns
    -------
    number in [0, 1]; a fraction on fractions

    Raises ValueError for more than `LARGEST` texts that either law can write, or arguments that are no laws over the
    states of `step`.

    >>> p, o = np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]])
    >>> float(text_tv(p, o, np.zeros((1, 2), dtype=int), 0, 2))  # (1/4, 1/4, 1/4, 1/4), (9/16, 3/16, 3/16, 1/16)
    0.3125
    """
    target, emitted, step = _checked(target, emitted, step, start, length)
    states = np.array([start])
    (p, o) = (_ones(target, 1), _ones(target, 1))
    for t in range(length):
        p = p[:, None] * target[states]
        o = o[:, None] * emitted[states]
        alive = (p > 0) | (o > 0)
        if alive.sum() > LARGEST:
            raise ValueError(f"length: {length}; expected at most {LARGEST} texts, and {t + 1} tokens make more")
        p = p[alive]
        o = o[alive]
        states = step[states][alive]
    return abs(p - o).sum() / 2


def agreement(target: Array, emitted: Array, step: Array, start: int, length: int) -> Any:
    r"""Agreement :math:`Z_T`: probability that a coupling, token by token, writes the same text under both laws.

    :math:`Z_t(s) = \sum_x \min(p_s, o_s)(x)\, Z_{t+1}(\mathrm{step}(s, x))`, :math:`Z_T = 1`; then
    :math:`\mathrm{TV}_T \le 1 - Z`.

    Parameters, errors as in `text_tv` (any number of texts).

    Returns
    -------
    number in [0, 1], Z before the first token; a fraction on fractions

    The least of two products is at least the product of the least factors.  Equality at T = 1.

    >>> p, o = np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]])
    >>> float(agreement(p, o, np.zeros((1, 2), dtype=int), 0, 2))
    0.5625
    """
    target, emitted, step = _checked(target, emitted, step, start, length)
    return _backward(np.minimum(target, emitted), step, start, length)


def bhattacharyya(target: Array, emitted: Array, step: Array, start: int, length: int) -> float:
    r"""Bhattacharyya coefficient of the text laws, :math:`B = \sum_x \sqrt{P(x_{1:T})\, O(x_{1:T})}`, at any size.

    :math:`B_t(s) = \sum_x \sqrt{p_s(x)\, o_s(x)}\, B_{t+1}(\mathrm{step}(s, x))`, :math:`B_T = 1`: a product under the
    root is a product of roots.  It encloses the distance, :math:`1 - B \le \mathrm{TV}_T \le \sqrt{1 - B^2}`, also where
    a divergence is infinite.

    Parameters, errors as in `agreement`.

    Returns
    -------
    float in [0, 1], in floating point on fractions too

    Le Cam's inequalities between Hellinger and total-variation distance.

    >>> p, o = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    >>> round(bhattacharyya(p, o, np.zeros((1, 2), dtype=int), 0, 2), 12)  # only one text in four is shared: root of 1/4
    0.5
    """
    target, emitted, step = _checked(target, emitted, step, start, length)
    roots = np.sqrt(target.astype(np.float64)) * np.sqrt(emitted.astype(np.float64))
    return float(min(_backward(roots, step, start, length), 1))


def _backward(shared: Array, step: Array, start: int, length: int) -> Any:
    """Sum over all texts of the product of what two laws share at each token."""
    after = _ones(shared, len(shared))
    for _ in range(length):
        after = (shared * after[step]).sum(axis=-1)
    return after[start]


def expected_bias(target: Array, emitted: Array, step: Array, start: int, length: int) -> Any:
    r"""Sum over the positions of the expected bias of a token, :math:`\sum_{t<T} \mathbb{E}\,\mathrm{TV}(o_{s_t}, p_{s_t})`,
    along texts of the target.

    It is at least :math:`1 - Z` (`agreement`); under EARS it is the acceptance gained over speculative decoding, summed
    over the positions of a text of the target.

    Parameters, errors as in `agreement`.

    Returns
    -------
    number in [0, T]; a fraction on fractions

    >>> p, o = np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]])
    >>> float(expected_bias(p, o, np.zeros((1, 2), dtype=int), 0, 2))
    0.5
    """
    target, emitted, step = _checked(target, emitted, step, start, length)
    distance = unchecked.tv(emitted, target)
    return _along(target, step, start, length) @ distance if length else distance[start] * 0


def text_kl(target: Array, emitted: Array, step: Array, start: int, length: int) -> float:
    r"""Kullback–Leibler divergence of the text laws, KL(O‖P) in nats, by the chain rule:
    :math:`\sum_{t<T} \mathbb{E}_{s_t \sim \mathrm{emitted}}\, \mathrm{KL}(o_{s_t} \| p_{s_t})`.

    Exact up to floating point at any size.  Parameters, errors as in `agreement`.

    Returns
    -------
    float >= 0; infinite where a text that is written has no probability under the target

    >>> p, o = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    >>> round(text_kl(p, o, np.zeros((1, 2), dtype=int), 0, 2), 6)  # 2 log 2
    1.386294
    """
    target, emitted, step = _checked(target, emitted, step, start, length)
    target = target.astype(np.float64)
    emitted = emitted.astype(np.float64)
    visits = _along(emitted, step, start, length)
    with np.errstate(over="ignore"):
        divergences = np.maximum(unchecked.kl(emitted, target), 0)  # rounding can go below
    return float((visits * np.where(visits > 0, divergences, 0)).sum())


def sampled_tv(target: Array, emitted: Array, step: Array, start: int, length: int, uniforms: Array) -> Array:
    r"""Unbiased estimates of `text_tv` at every length up to T, from texts of the target.

    With a prefix drawn from the target and its likelihood ratio L = O/P, the value for one more token is
    :math:`\sum_x (p_s(x) - L\, o_s(x))_+`, in [0, 1]: the mean of :math:`(1 - O/P)_+` over that token, so that only the
    tokens before it are drawn.  Its expectation is the distance of the text laws.

    Parameters
    ----------
    target, emitted, step, start, length : as in `text_tv`, length >= 1
    uniforms : numbers (n, length) in (0, 1]
        a row draws one text, the same one for every length; its last number is not used.

    Returns
    -------
    array (n, length)
        column t − 1 holds the values for texts of t tokens; the first is TV(o, p) at the start, without noise.

    Raises ValueError as `text_tv`; for uniforms of another shape or outside (0, 1].

    >>> p, o = np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]])
    >>> sampled_tv(p, o, np.zeros((1, 2), dtype=int), 0, 2, np.array([[0.25, 0.5], [0.75, 0.5]])).tolist()
    [[0.25, 0.125], [0.25, 0.5]]
    """
    target, emitted, step = _checked(target, emitted, step, start, length)
    u = np.asarray(uniforms)
    if length < 1 or u.ndim != 2 or u.shape[1] != length:
        raise ValueError(f"uniforms: shape {u.shape} for {length} tokens; expected (texts, tokens), at least one token")
    if not ((u > 0) & (u <= 1)).all():
        raise ValueError("uniforms: a number outside (0, 1]; expected uniform draws")
    running = unchecked.cdf(target)
    ratio = _ones(target, len(u))
    states = np.full(len(u), start)
    values = []
    rows = np.arange(len(u))
    ratio_limit = 1e15 if ratio.dtype == np.float32 else 1e150
    for t in range(length):
        p = target[states]
        o = emitted[states]
        values.append(np.maximum(p - ratio[:, None] * o, 0).sum(axis=-1))
        x = (running[states] < u[:, t, None]).sum(axis=-1).astype(np.intp)
        with np.errstate(over="ignore"):
            ratio = ratio * o[rows, x] / p[rows, x]
        if not is_exact(ratio):  # E L <= 1 under the target, so that what is cut has probability below 1 / most
            ratio = np.minimum(ratio, ratio_limit)
        states = step[states, x]
    return np.stack(values, axis=-1)


def _along(law: Array, step: Array, start: int, length: int) -> Array:
    """Expected visits of each state (S,) before the tokens of a text."""
    here = np.where(np.arange(len(law)) == start, _ones(law, len(law)), 0)
    visits = here * 0
    for _ in range(length):
        visits = visits + here
        there = here * 0
        np.add.at(there, step, here[:, None] * law)
        here = there
    return visits


def _ones(like: Array, count: int) -> Array:
    ones = np.ones(count, dtype=like.dtype if like.dtype.kind == "f" else np.float64)
    return exact(ones) if is_exact(like) else ones


def _checked(target: Array, emitted: Array, step: Array, start: int, length: int) -> tuple[Array, Array, Array]:
    target, emitted = check_pair(target, emitted, ("target", "emitted"))
    states = np.asarray(step)
    if target.ndim != 2 or emitted.shape != target.shape:
        raise ValueError(f"target, emitted: shapes {target.shape}, {emitted.shape}; expected (S, V) for both")
    if states.shape != target.shape or states.dtype.kind not in "iu":
        raise ValueError(f"step: {states.dtype} {states.shape}; expected integers {target.shape}, a state a token")
    if states.min() < 0 or states.max() >= len(target):
        worst = states.min() if states.min() < 0 else states.max()
        raise ValueError(f"step: {worst}; expected states from 0 to {len(target) - 1}")
    if not (isinstance(start, int | np.integer) and 0 <= start < len(target)):
        raise ValueError(f"start: {start}; expected a state from 0 to {len(target) - 1}")
    check_horizon("length", length)
    return target, emitted, states
