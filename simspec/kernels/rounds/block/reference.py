"""What rounds of block verification are, one path at a time in plain Python: the yardstick of the compiled backend.

A round drafts gamma tokens, keeps the longest prefix that passes its test and emits one token more.  Random numbers are
laid out as in `simspec.kernels.rounds.reference`, with another use of word 1:

* word 0 of position i draws the draft token i + 1 (i < gamma),
* word 1 of position i is the uniform of the test of the first i + 1 drafts (i < gamma),
* word 2 of position i draws the last token of a round that has kept i drafts.

With r the product of p/q along the drafts, cut at one after each, the mass Z of (r p - q)_+ is linear in r between the
ratios q/p: with tokens in their order, Z = r P - Q over those with q/p < r, and a token of it is found by bisection.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.rounds.reference import Plan, _typed, cdf, draw, uniforms

__all__ = ["BlockLaws", "beyond", "block_laws", "passing", "paths", "place", "residual", "run"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class BlockLaws(NamedTuple):
    """Tables of S states and V tokens.

    Attributes
    ----------
    draft, target : cumulative sums
    ratio : p/q of each token, 0 where it is never drafted
    order : tokens by rising q/p, those that neither law has last
    rising : q/p in this order
    above_p, above_q : cumulative sums of p and q in this order
    following : state after each token
    """

    draft: Floats
    target: Floats
    ratio: Floats
    order: NDArray[np.int32]
    rising: Floats
    above_p: Floats
    above_q: Floats
    following: Integers


def block_laws(p: Floats, q: Floats, following: Integers) -> BlockLaws:
    """Tables of target laws p and draft laws q, (S, V), which are normalised.

    >>> made = block_laws(np.array([[0.25, 0.75]]), np.array([[0.5, 0.5]]), np.zeros(2, dtype=np.int64))
    >>> made.order.tolist(), made.above_p.tolist(), made.above_q.tolist()
    ([[1, 0]], [[0.75, 1.0]], [[0.5, 1.0]])
    """
    p = p / p.sum(axis=-1, keepdims=True)
    q = q / q.sum(axis=-1, keepdims=True)
    with np.errstate(over="ignore"):
        ratio = np.divide(p, q, out=np.zeros_like(p), where=q > 0)
        inverse = np.divide(q, p, out=np.full_like(p, np.inf), where=p > 0)
    order = np.argsort(inverse, axis=-1, kind="stable")
    rising, p_there, q_there = (np.take_along_axis(x, order, axis=-1) for x in (inverse, p, q))
    above_p = np.cumsum(p_there, axis=-1)
    above_q = np.cumsum(q_there, axis=-1)
    return BlockLaws(cdf(q), cdf(p), ratio, order.astype(np.int32), rising, above_p, above_q, following)


def passing(laws: BlockLaws, s: int, r: float) -> float:
    """Probability that a prefix in state s passes: Z/(Z + 1 - r), and 1 where that is 0/0.

    >>> laws = block_laws(np.array([[0.25, 0.75]]), np.array([[0.5, 0.5]]), np.zeros(2, dtype=np.int64))
    >>> [round(float(passing(laws, 0, r)), 6) for r in (0.8, 0.5, 1.0)]
    [0.333333, 0.0, 1.0]
    """
    _, missing = beyond(laws, s, r)
    rest = missing + (1.0 - r)
    return missing / rest if rest > 0 else 1.0


def residual(laws: BlockLaws, s: int, r: float, u: float) -> int:
    """The token of (r p - q)_+ that u draws in the order of the tables, of p where nothing is missing."""
    token_count, missing = beyond(laws, s, r)
    return int(laws.order[s, place(laws, s, r, u)] if token_count and missing > 0 else draw(laws.target[s], u))


def place(laws: BlockLaws, s: int, r: float, u: float) -> int:
    """The first place in the order of the tables up to which more than a part u of the mass of (r p - q)_+ lies.

    By bisection in steps of powers of two, so that first steps are to places that all searches have in common; where rounding
    lets the mass fall, these steps say which place it is.

    >>> laws = block_laws(np.array([[0.25, 0.75]]), np.array([[0.5, 0.5]]), np.zeros(2, dtype=np.int64))
    >>> place(laws, 0, 1.0, 0.5)
    0
    """
    token_count, missing = beyond(laws, s, r)
    low = 0
    step = 2 ** (max(token_count - 1, 0).bit_length()) // 2
    while step:
        at = low + step - 1
        if low + step < token_count and not r * laws.above_p[s, at] - laws.above_q[s, at] > u * missing:
            low += step
        step >>= 1
    return low


def beyond(laws: BlockLaws, s: int, r: float) -> tuple[int, float]:
    """How many tokens have r p > q, and their mass of r p - q.

    >>> laws = block_laws(np.array([[0.25, 0.75]]), np.array([[0.5, 0.5]]), np.zeros(2, dtype=np.int64))
    >>> many, mass = beyond(laws, 0, 1.0)
    >>> many, float(mass)
    (1, 0.25)
    """
    token_count = int(np.searchsorted(laws.rising[s], r, side="left"))
    return token_count, max(
        r * laws.above_p[s, token_count - 1] - laws.above_q[s, token_count - 1], 0.0
    ) if token_count else 0.0


def run(
    laws: BlockLaws, gamma: int, rounds: int, key: int, rows: Any, start: int = 0, purpose: int = 0
) -> tuple[Integers, Integers, Integers, Integers]:
    """As `simspec.kernels.rounds.reference.run`.

    >>> laws = block_laws(np.ones((1, 1)), np.ones((1, 1)), np.zeros(1, dtype=np.int64))
    >>> accepted, state, tokens, counts = run(laws, 2, 1, 0, range(1))
    >>> accepted.tolist(), tokens.tolist(), counts.tolist()
    ([[2]], [[0, 0, 0]], [[3]])
    """
    size = len(rows)
    state = np.full(size, start)
    accepted = np.zeros((size, rounds), dtype=np.int64)
    tokens = np.full((size, rounds * (gamma + 1)), -1)
    counts = np.zeros(laws.draft.shape, dtype=np.int64)
    length = np.zeros(size, dtype=np.int64)
    for t in range(rounds):
        u = uniforms(key, rows, gamma, t, purpose)
        for n in range(size):
            text = _round(laws, u[n], gamma, int(state[n]))
            accepted[n, t] = len(text) - 1
            for x in text:
                counts[state[n], x] += 1
                tokens[n, length[n]] = x
                length[n] += 1
                state[n] = laws.following[x]
    return accepted, state, tokens, counts


def _round(laws: BlockLaws, u: Floats, gamma: int, s: int) -> list[int]:
    """Tokens of one round."""
    drafts: list[int] = []
    states = [s]
    r = [1.0]
    for i in range(gamma):
        x = int(draw(laws.draft[states[i]], u[i, 0]))
        drafts.append(x)
        r.append(min(1.0, r[i] * float(laws.ratio[states[i], x])))
        states.append(int(laws.following[x]))
    for accepted in range(gamma, 0, -1):
        h = r[accepted] if accepted == gamma else passing(laws, states[accepted], r[accepted])
        if u[accepted - 1, 1] < h:
            break
    else:
        accepted = 0
    if accepted == gamma:
        return [*drafts, int(draw(laws.target[states[gamma]], u[gamma, 2]))]
    return [*drafts[:accepted], residual(laws, states[accepted], r[accepted], float(u[accepted, 2]))]


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool) -> tuple[Any, Any, Any, Any]:
    """`run` for what `block_tables` makes, in the types of `simspec.kernels.rounds.Rounds`."""
    return _typed(run(rule.laws, *plan), tokens, counts)
