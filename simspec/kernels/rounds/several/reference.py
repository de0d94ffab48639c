"""What rounds with several drafts a position are, one path at a time in plain Python: the yardstick of the compiled backends.

A round has gamma positions with k drafts each, of one next token; the first that passes its test is kept, and none kept
ends the round.  So it is a walk down a tree with k children a node, of which only the nodes that it comes to are drafted.
Position i of round t has the k Philox counters from token (t (gamma + 1) + i) k on, read as in
`simspec.kernels.rounds.reference`:

* words 0 and 1 of counter j draw draft j and toss its uniform,
* word 2 of the first draws the last token of a round that has kept i drafts;
* after a refusal without replacement, word 3 of the first, and words 0, 1 and 2 of the next position's, draw on (`_left`).

Two families of tests.  Independent drafts: draft j passes with :math:`\\min(1, (p/q - u_j)_+ / d_j)`, numbers for each
state.  Drafts without replacement: what is left of the target after some refusals is (p - u q)_+, of mass d; a draft passes
with :math:`\\min(1, (p/q - u)_+ (1 - Q)/d)`, Q the mass of those refused before, and a refusal adds d / (1 - Q) to u.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels import random as philox
from simspec.kernels.rounds.block import reference as block
from simspec.kernels.rounds.block.reference import BlockLaws, block_laws
from simspec.kernels.rounds.reference import Plan, _typed, cdf, draw

__all__ = ["SeveralLaws", "another", "independent", "paths", "run", "uniforms", "without"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class SeveralLaws(NamedTuple):
    """Tables of S states, V tokens and K drafts.

    Attributes
    ----------
    draft, target : cumulative sums (S, V)
    ratio : p/q of each token, 0 where it is never drafted
    following : state after each token
    shift, scale : u and d of each test (S, K)
    residual : cumulative sums of what follows the last refusal (S, V); none without replacement
    sorted : tables in the order of q/p, without replacement
    """

    draft: Floats
    target: Floats
    ratio: Floats
    following: Integers
    shift: Floats
    scale: Floats
    residual: Floats
    sorted: BlockLaws | None


def _either(law: Floats, otherwise: Floats) -> Floats:
    """Cumulative sums of a law, of another one in states where it has no mass."""
    return cdf(np.where(law.sum(axis=-1, keepdims=True) > 0, law, otherwise))


def independent(p: Floats, q: Floats, k: int, following: Integers, rho: Floats | None = None) -> SeveralLaws:
    """Tables for independent drafts: recursive rejection, or K-SEQ where its ρ (S,) are given.

    >>> laws = independent(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), 2, np.zeros(2, dtype=np.int64))
    >>> laws.shift.tolist(), laws.scale.tolist(), laws.residual.tolist()
    ([[0.0, 1.0]], [[1.0, 0.25]], [[0.0, 1.0]])
    """
    p = p / p.sum(axis=-1, keepdims=True)
    q = q / q.sum(axis=-1, keepdims=True)
    with np.errstate(over="ignore"):
        ratio = np.divide(p, q, out=np.zeros_like(p), where=q > 0)
    shift, scale = np.zeros((2, len(p), k))
    if rho is not None:
        scale[:] = rho[:, None]
        accepted_mass = np.minimum(p / rho[:, None], q)
        b = accepted_mass.sum(axis=-1, keepdims=True)
        times = np.divide(1 - (1 - b) ** k, b, out=np.zeros_like(b), where=b > 0)
        residual = _either(np.maximum(p - accepted_mass * times, 0), p)
    else:
        remaining_law = p
        u = np.zeros(len(p))
        d = np.ones(len(p))
        for j in range(k):
            shift[:, j] = u
            scale[:, j] = d
            after = np.maximum(p - (u + d)[:, None] * q, 0)
            mass = after.sum(axis=-1)
            some = mass > 0  # where nothing is left but rounding, what was left before
            u = np.where(some, u + d, u)
            d = np.where(some, mass, d)
            remaining_law = np.where(some[:, None], after, remaining_law)
        residual = _either(remaining_law, p)
    return SeveralLaws(cdf(q), cdf(p), ratio, following, shift, scale, residual, None)


def without(p: Floats, q: Floats, k: int, following: Integers) -> SeveralLaws:
    """Tables for recursive rejection of drafts without replacement.

    >>> without(np.ones((1, 2)), np.ones((1, 2)), 2, np.zeros(2, dtype=np.int64)).shift.shape
    (1, 2)
    """
    sorted_laws = block_laws(p, q, following)
    none = np.zeros((len(p), k))
    return SeveralLaws(
        sorted_laws.draft,
        sorted_laws.target,
        sorted_laws.ratio,
        following,
        none,
        none,
        np.zeros((len(p), 0)),
        sorted_laws,
    )


def uniforms(key: int, rows: Any, positions: range, k: int, purpose: int) -> tuple[Floats, Floats]:
    """Draws and uniforms of each draft (rows, positions, K, 2), and what draws a last token (rows, positions, 5).

    >>> [x.shape for x in uniforms(0, range(2), range(6), 4, 0)]
    [(2, 6, 4, 2), (2, 6, 5)]
    """
    read = philox.words(key, rows, range(positions.start * k, positions.stop * k), purpose)
    u = ((read + 0.5) / 2**32).reshape(len(rows), len(positions), k, 4)
    last = np.concatenate([u[:, :, 0, 2:], np.roll(u[:, :, 0, :3], -1, axis=1)], axis=-1)  # no last position reads on
    return u[..., :2], last


def another(table: Floats, refused_tokens: list[int], mass_point: float) -> int:
    """The token that a part of the mass outside some tokens draws, and what their number is beyond where rounding leaves none.

    >>> another(cdf([0.25, 0.25, 0.25, 0.25]), [1], 0.3), another(cdf([0.5, 0.5]), [0, 1], 0.0)
    (2, 2)
    """
    for x in sorted(refused_tokens):
        below = table[x - 1] if x else 0.0
        if mass_point >= below:
            mass_point = max(mass_point + (table[x] - below), table[x])
    return int(draw(table, mass_point))


def _kept(laws: SeveralLaws, s: int, u: Floats, last: float) -> tuple[int, bool]:
    """The token of a position, and whether it is a draft: independent ones."""
    for (word, uniform), shift, scale in zip(u, laws.shift[s], laws.scale[s], strict=True):
        x = int(draw(laws.draft[s], word))
        if uniform < max(laws.ratio[s, x] - shift, 0.0) / scale:
            return x, True
    return int(draw(laws.residual[s], last)), False


def _kept_without(laws: SeveralLaws, sums: BlockLaws, s: int, u: Floats, words: Floats) -> tuple[int, bool]:
    """The token of a position, and whether it is a draft: without replacement."""
    table = laws.draft[s]
    refused_tokens = list[int]()
    shift = 0.0
    after = 0.0
    remaining_mass = 1.0
    rest = 1.0
    for word, uniform in u.tolist():
        if refused_tokens and (mass := after * block.beyond(sums, s, 1.0 / after)[1]) > 0:
            shift = after
            remaining_mass = mass
        after = shift
        x = another(table, refused_tokens, word * rest)
        if x == len(table):
            break
        if uniform < max(float(laws.ratio[s, x]) - shift, 0.0) * rest / remaining_mass:
            return x, True
        after = shift + remaining_mass / rest
        refused_tokens.append(x)
        rest -= float(table[x] - (table[x - 1] if x else 0.0))
        if rest <= 0:
            break
    return _left(sums, s, after, shift, words), False


def _left(sums: BlockLaws, s: int, u: float, before: float, words: Floats) -> int:
    """A token of (p - u q)_+, where that is nothing of (p - before q)_+ or p: two tries with one of (p - q)_+, then for sure."""
    first, uniform, second, second_uniform, third = words.tolist()
    if block.beyond(sums, s, 1.0)[1] == 0:
        return int(draw(sums.target[s], first))
    for word, toss in ((first, uniform), (second, second_uniform)):
        at = block.place(sums, s, 1.0, word)
        w = float(sums.rising[s, at])
        if toss * (1.0 - w) < 1.0 - u * w:
            return int(sums.order[s, at])
    return block.residual(sums, s, 1.0 / (u if block.beyond(sums, s, 1.0 / u)[1] > 0 else before), third)


def run(
    laws: SeveralLaws, gamma: int, rounds: int, key: int, rows: Any, start: int = 0, purpose: int = 0
) -> tuple[Integers, Integers, Integers, Integers]:
    """As `simspec.kernels.rounds.reference.run`.

    >>> one = np.ones((1, 1))
    >>> accepted, state, tokens, counts = run(independent(one, one, 2, np.zeros(1, dtype=np.int64)), 2, 1, 0, range(1))
    >>> accepted.tolist(), tokens.tolist(), counts.tolist()
    ([[2]], [[0, 0, 0]], [[3]])
    """
    size = len(rows)
    k = laws.shift.shape[1]
    state = np.full(size, start)
    accepted = np.zeros((size, rounds), dtype=np.int64)
    tokens = np.full((size, rounds * (gamma + 1)), -1)
    counts = np.zeros(laws.draft.shape, dtype=np.int64)
    length = np.zeros(size, dtype=np.int64)
    for t in range(rounds):
        u, last = uniforms(key, rows, range(t * (gamma + 1), (t + 1) * (gamma + 1)), k, purpose)
        for n in range(size):
            for i in range(gamma + 1):
                s = int(state[n])
                is_accepted = False
                if i == gamma:
                    x = int(draw(laws.target[s], last[n, i, 0]))
                elif laws.sorted is None:
                    x, is_accepted = _kept(laws, s, u[n, i], last[n, i, 0])
                else:
                    x, is_accepted = _kept_without(laws, laws.sorted, s, u[n, i], last[n, i])
                accepted[n, t] += is_accepted
                counts[s, x] += 1
                tokens[n, length[n]] = x
                length[n] += 1
                state[n] = laws.following[x]
                if not is_accepted:
                    break
    return accepted, state, tokens, counts


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool) -> tuple[Any, Any, Any, Any]:
    """`run` for what `several_tables` makes, in the types of `simspec.kernels.rounds.Rounds`."""
    return _typed(run(rule.laws, *plan), tokens, counts)
