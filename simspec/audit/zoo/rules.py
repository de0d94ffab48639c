"""The rules of the zoo, each as a program: (p rows, q rows, drafts x, chance) -> (tokens emitted, drafts accepted).

Exact match stands in `simspec.methods.verifier.match`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np

from simspec.audit.zoo.member import residual
from simspec.methods.block import Model, Prefix
from simspec.methods.verifier.chance import Chance, SharedUniform

__all__ = [
    "argmax_target",
    "before_bias",
    "before_min_p",
    "block",
    "count_past_rejection",
    "draft_probs_dropped",
    "drafting_key",
    "first_unverified",
    "gumbel_reuse",
    "key_used_twice",
    "keyed",
    "one_key",
    "one_key_drafts",
    "permuted_report",
    "processed_bonus",
    "recovery",
    "reported_cut",
    "speculative",
    "tested",
    "top_k",
    "zero_coin",
]

Rows: TypeAlias = Sequence[Sequence[Any]]
Ending: TypeAlias = tuple[Prefix, int]


def tested(
    keep: Callable[[int, int], bool], refused: Callable[[int, int], int], p: Rows, x: Prefix, chance: Chance
) -> Ending:
    """Drafts up to the first that is not kept, then what is drawn after a refusal; the bonus where all are kept."""
    for i, token in enumerate(x):
        if not keep(i, token):
            return (*x[:i], refused(i, token)), i
    return (*x, chance.draw(p[-1])), len(x)


def speculative(p: Rows, q: Rows, x: Prefix, chance: Chance) -> Ending:
    """The reference: keep where u q < p, else draw from the positive part of p - q."""
    return tested(
        lambda i, t: chance.keep(p[i][t], q[i][t]), lambda i, t: chance.draw(residual(p[i], q[i])), p, x, chance
    )


def _cut(law: Sequence[Any], k: int) -> list[Any]:
    """A law cut to its k largest masses, the lowest tokens at ties, and renormalised."""
    best = sorted(range(len(law)), key=lambda y: (-law[y], y))[:k]
    largest = [mass if y in best else 0 for y, mass in enumerate(law)]
    return [mass / sum(largest) for mass in largest]


def top_k(draft: Model, gamma: int, chance: Chance, *, k: int = 2) -> Prefix:
    """Drafts from the k largest masses of each draft law."""
    x: Prefix = ()
    for _ in range(gamma):
        x = (*x, chance.draw(_cut(list(draft(x)), k)))
    return x


def reported_cut(p: Rows, q: Rows, x: Prefix, chance: Chance, *, k: int = 2) -> Ending:
    """Speculative decoding that is told the draft laws after the cut to the k largest masses."""
    return speculative(p, [_cut(law, k) for law in q], x, chance)


def permuted_report(p: Rows, q: Rows, x: Prefix, chance: Chance) -> Ending:
    """Speculative decoding that is told each draft law with its tokens in the opposite order."""
    return speculative(p, [law[::-1] for law in q], x, chance)


def processed_bonus(
    p: Rows, q: Rows, x: Prefix, chance: Chance, *, before: Callable[[Sequence[Any]], Sequence[Any]]
) -> Ending:
    """Drafts are judged against the laws from before the processor that makes p; only the bonus comes from p."""
    raw = [before(law) for law in p]
    return tested(
        lambda i, t: chance.keep(raw[i][t], q[i][t]), lambda i, t: chance.draw(residual(raw[i], q[i])), p, x, chance
    )


def before_min_p(law: Sequence[Any], m: Fraction = Fraction(1, 4)) -> list[Any]:
    """A law that min-p turns into the given one: tokens that it drops had half of the mass that would save them.

    >>> print(*before_min_p([Fraction(1, 2), Fraction(1, 2), Fraction(0)]))
    8/17 8/17 1/17
    """
    raw = [mass if mass > 0 else m * max(law) / 2 for mass in law]
    return [mass / sum(raw) for mass in raw]


def before_bias(law: Sequence[Any], factor: Fraction = Fraction(3)) -> list[Any]:
    """A law that a bias on token 0 turns into the given one: its mass was smaller by a factor.

    >>> print(*before_bias([Fraction(3, 4), Fraction(1, 4)]))
    1/2 1/2
    """
    raw = [mass if y else mass / factor for y, mass in enumerate(law)]
    return [mass / sum(raw) for mass in raw]


def argmax_target(p: Rows, q: Rows, x: Prefix, chance: Chance) -> Ending:
    """The verifier's own token is the most likely one of p at every position; no uniform."""
    target_tokens = [int(np.argmax(row)) for row in p]
    accepted = next((i for i, token in enumerate(x) if token != target_tokens[i]), len(x))
    return (*x[:accepted], target_tokens[accepted]), accepted


def gumbel_reuse(p: Rows, q: Rows, x: Prefix, chance: Chance) -> Ending:
    """The recovery after a refusal is the race of the exponentials E / r, with the E of which x won the race E / q."""
    return tested(
        lambda i, t: chance.keep(p[i][t], q[i][t]),
        lambda i, t: chance.draw(recovery(q[i], residual(p[i], q[i]))),
        p,
        x,
        chance,
    )


def recovery(q: Sequence[Any], r: Sequence[Any]) -> list[Any]:
    r"""Law of argmin E/r, given that another token, without mass in r, won argmin E/q; E independent, of mean 1.

    The winner's time m has mean 1 whichever token won, and the others are :math:`m q_y` plus fresh exponentials.  In
    units of m, token y enters the second race at :math:`s_y = q_y/r_y` with rate :math:`r_y`; it wins with probability
    :math:`\int_{s_y}^\infty r_y\,(1 + \sum_z r_z (w - s_z)_+)^{-2}\,dw`, which is rational.

    >>> from fractions import Fraction
    >>> quarter = Fraction(1, 4)
    >>> print(*recovery([2 * quarter, quarter, quarter], [0, 2 * quarter, 2 * quarter]))
    0 1/2 1/2
    >>> print(*recovery([2 * quarter, 2 * quarter, 0], [0, 2 * quarter, 2 * quarter]))
    0 1/3 2/3
    """
    starts = {y: q[y] / mass for y, mass in enumerate(r) if mass > 0}
    times = sorted(set(starts.values()))
    law: list[Any] = [0] * len(r)
    survival = 1 + 0 * q[0]  # in the arithmetic of the laws
    for time, after in zip(times, [*times[1:], None], strict=True):
        racing = [y for y, start in starts.items() if start <= time]
        rate = sum(r[y] for y in racing)
        later = None if after is None else survival + rate * (after - time)
        won = 1 / survival if later is None else 1 / survival - 1 / later
        for y in racing:
            law[y] = law[y] + r[y] / rate * won
        survival = later
    return law


def zero_coin(p: Rows, q: Rows, x: Prefix, chance: Chance) -> Ending:
    """The uniform is always 0: every draft that the target can say is kept."""
    return tested(lambda i, t: p[i][t] > 0, lambda i, t: chance.draw(residual(p[i], q[i])), p, x, chance)


def first_unverified(p: Rows, q: Rows, x: Prefix, chance: Chance) -> Ending:
    """The first draft is never tested."""
    return tested(
        lambda i, t: i == 0 or chance.keep(p[i][t], q[i][t]),
        lambda i, t: chance.draw(residual(p[i], q[i])),
        p,
        x,
        chance,
    )


def draft_probs_dropped(p: Rows, q: Rows, x: Prefix, chance: Chance) -> Ending:
    """The verifier is told that the draft was certain: keep with probability p(x), else draw from p without x."""
    return tested(
        lambda i, t: chance.keep(p[i][t], 1),
        lambda i, t: chance.draw([0 if y == t else mass for y, mass in enumerate(p[i])]),
        p,
        x,
        chance,
    )


def block(
    p: Rows, q: Rows, x: Prefix, chance: Chance, *, stop_at_failure: bool = False, token_residual: bool = False
) -> Ending:
    """Block verification (Sun et al., arXiv 2403.10444), or a wrong form of it.

    Parameters
    ----------
    stop_at_failure : bool; wrong: stop at the first uniform that fails, not after the last that does not
    token_residual : bool; wrong: after a refusal draw from the positive part of p - q, without the block's product
    """
    gamma = len(x)
    r = _products(p, q, x)
    accepted = 0
    for i in range(1, gamma + 1):
        if chance.keep(_chance_of(p, q, r, i), 1):
            accepted = i
        elif stop_at_failure:
            break
    if accepted == gamma:
        return (*x, chance.draw(p[-1])), gamma
    scale = 1 if token_residual else r[accepted]
    residual_weights = [max(scale * a - b, 0) for a, b in zip(p[accepted], q[accepted], strict=True)]
    return (*x[:accepted], chance.draw(residual_weights if any(residual_weights) else p[accepted])), accepted


def _products(p: Rows, q: Rows, x: Prefix) -> list[Any]:
    """r_0 = 1 and r_i = min(1, r_{i-1} p/q at the draft i)."""
    r: list[Any] = [1]
    for i, token in enumerate(x):
        r.append(min(1, r[-1] * p[i][token] / q[i][token]))
    return r


def _chance_of(p: Rows, q: Rows, r: list[Any], i: int) -> Any:
    """The chance that position i passes its uniform."""
    if i == len(q):
        return r[i]
    residual_mass = sum(max(r[i] * a - b, 0) for a, b in zip(p[i], q[i], strict=True))
    rest = residual_mass + 1 - r[i]
    return residual_mass / rest if rest > 0 else 1


def count_past_rejection(p: Rows, q: Rows, x: Prefix, chance: Chance) -> Ending:
    """Speculative decoding that tells how many drafts pass their own test, those after the first refusal as well."""
    passes = [chance.keep(p[i][t], q[i][t]) for i, t in enumerate(x)]
    tokens, _ = tested(lambda i, t: passes[i], lambda i, t: chance.draw(residual(p[i], q[i])), p, x, chance)
    return tokens, sum(passes)


def drafting_key(law: Sequence[Any], token: int, chance: Chance) -> SharedUniform:
    """The key that drew a token from a law: a uniform that lies in the interval of this token.

    >>> from simspec.methods.verifier.chance import every
    >>> quarter = Fraction(1, 4)
    >>> [(str(w), y) for w, y in every(lambda chance: drafting_key([quarter, 3 * quarter], 1, chance).draw([1, 1]))]
    [('1/3', 0), ('2/3', 1)]
    """
    upto = [0, *accumulate(law)]
    key = SharedUniform(chance)
    key.low = upto[token] / upto[-1]
    key.high = upto[token + 1] / upto[-1]
    return key


def keyed(p: Rows, q: Rows, x: Prefix, chance: Chance, *, shift: int = 0) -> Ending:
    """The key that drew a draft draws the target's token too, by inversion; accept where both are the same token.

    `shift`: the token of position i reads the key of position i + shift; where no draft has that key, it is a fresh one.
    """
    keys = {i: drafting_key(q[i], token, chance) for i, token in enumerate(x)}
    for i, law in enumerate(p):
        own = keys.get(i + shift, SharedUniform(chance)).draw(law)
        if i == len(x) or own != x[i]:
            return (*x[:i], own), i
    raise AssertionError("the last row of p follows the last draft")


def one_key_drafts(draft: Model, gamma: int, chance: Chance) -> Prefix:
    """All drafts of a call by one key."""
    key = SharedUniform(chance)
    x: Prefix = ()
    for _ in range(gamma):
        x = (*x, key.draw(draft(x)))
    return x


def key_used_twice(p: Rows, q: Rows, x: Prefix, chance: Chance) -> Ending:
    """One key for the call: it drew every draft, and draws every token of the target."""
    key = SharedUniform(chance)
    for law, token in zip(q, x, strict=True):
        own = drafting_key(law, token, chance)
        key.low = max(key.low, own.low)
        key.high = min(key.high, own.high)
    for i, law in enumerate(p):
        token = key.draw(law)
        if i == len(x) or token != x[i]:
            return (*x[:i], token), i
    raise AssertionError("the last row of p follows the last draft")


def one_key(p: Rows, q: Rows, x: Prefix, chance: Chance) -> Ending:
    """A fresh coin tests the draft; after a refusal the key that drew the draft draws from the positive part of p - q."""
    return tested(
        lambda i, t: chance.keep(p[i][t], q[i][t]),
        lambda i, t: drafting_key(q[i], t, chance).draw(residual(p[i], q[i])),
        p,
        x,
        chance,
    )
