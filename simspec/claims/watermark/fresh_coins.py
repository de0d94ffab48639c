"""Keyed drafts with fresh coins in the test keep the acceptance; two keys keep the law too, and the coin costs the watermark.

`watermark.fresh-coins` in three readings, two with corrections: Hu and Huang 2024 (2410.20418), He et al. 2026 (2602.01428).  One
key draws the draft from q, a key draws the residual token, and a uniform number of its own decides the test.  `joint` is the
joint law of draft and residual token over keys.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, bound, broken, exact, identity, law, matrix, procedure
from simspec.claims.watermark.parts import coupled, residual
from simspec.laws import overlap, ratio, tv
from simspec.methods.verifier.chance import Chance, every

__all__ = ["agreement", "emitted"]

SOURCE = "Hu and Huang 2024 (2410.20418), abstract at hand (procedure restored)"


def _token(chance: Chance, p: Array, q: Array, draft: int, resample: int) -> tuple[int, int]:
    """The token that is emitted given both keys, and whether it is the draft: the coin is fresh."""
    if chance.keep(p[draft], q[draft]):
        return draft, 1
    return resample, 0


def emitted(p: Array, q: Array, joint: Array) -> Array:
    """Law of the emitted token, and the probability that the draft is accepted, over keys and coins.

    >>> print(*emitted(law("1/2", "1/2"), law(1, 0), matrix("0 1", "0 0")))
    1/2 1/2 1/2
    """
    table = exact(np.zeros(len(p) + 1, dtype=int))

    def program(chance: Chance) -> tuple[int, int]:
        draft, resample = divmod(chance.draw(joint.ravel()), len(p))
        return _token(chance, p, q, draft, resample)

    for weight, (token, accepted) in every(program):
        table[token] += weight
        table[-1] += weight * accepted
    return table


def agreement(p: Array, q: Array, joint: Array) -> Any:
    """Probability that two runs with the same keys, and coins of their own, emit the same token."""

    def program(chance: Chance) -> int:
        draft, resample = divmod(chance.draw(joint.ravel()), len(p))
        first, _ = _token(chance, p, q, draft, resample)
        second, _ = _token(chance, p, q, draft, resample)
        return int(first == second)

    return sum((weight * same for weight, same in every(program)), start=F(0))


def _independent(p: Array, q: Array) -> Array:
    joint: Array = q[:, None] * residual(p, q)
    return joint


ORDERED = {
    **{"p": law("1/2", 0, "1/4", "1/4"), "q": law("1/2", "1/2", 0, 0)},
    **{"joint": matrix("0 0 1/2 0", "0 0 0 1/2", "0 0 0 0", "0 0 0 0")},
}
"""One uniform number for both: the second draft, the one that is refused, comes with the last residual token."""
EVERY_TOKEN = {
    **{"p": law("3/8", "1/8", "1/4", "1/4"), "q": law("3/8", "3/8", "1/8", "1/8")},
    **{"joint": matrix("0 0 3/8 0", "0 0 1/8 1/4", "0 0 0 1/8", "0 0 0 1/8")},
}
"""The same where both laws have every token."""

TWO_KEYS = identity(
    name="watermark.fresh-coins.two-keys",
    statement=r"With one key for the draft, another for the residual token, and a fresh coin in the test, the output law over "
    r"keys is $p$ and a draft is accepted with probability $\sum \min(p, q)$",
    reference=SOURCE,
    instances=coupled,
    lhs=lambda p, q: emitted(p, q, _independent(p, q)),
    rhs=lambda p, q: exact([*p, overlap(p, q)]),
    tight=[{"p": law("1/2", "1/2"), "q": law(1, 0)}],
    sources=("exact",),
    note="Over keys both tokens have the laws of speculative decoding, and are independent as there. The acceptance is that of "
    "drafts without a key, which keyed tests cannot have (watermark.no-go).",
    broken=[broken("drafts from the target", lhs=lambda p, q: emitted(p, p, _independent(p, q)))],
)

ONE_KEY = procedure(
    name="watermark.fresh-coins.one-key",
    statement=r"With the same key for the draft and for the residual token, and a fresh coin in the test, the output law over "
    r"keys is $p$",
    reference=SOURCE,
    instances=coupled,
    lhs=lambda p, q, joint: emitted(p, q, joint)[:-1],
    rhs=lambda p: p,
    sources=("exact",),
    corrected_by=("watermark.fresh-coins.one-key-corrected", "watermark.fresh-coins.two-keys"),
    against=(ORDERED,),
    within=(EVERY_TOKEN,),
    note="That the draft was refused says something of the key, and so of the residual token. With a single residual token, or a "
    "single draft that can be refused, it does not show.",
)


def _spread(p: Array, q: Array) -> Any:
    alpha = overlap(p, q)
    return alpha * (1 - alpha)


ONE_KEY_CORRECTED = bound(
    name="watermark.fresh-coins.one-key-corrected",
    statement=r"Whatever keys the draft and the residual token share, with a fresh coin in the test the output law over keys is "
    r"within $\alpha(1 - \alpha) \le 1/4$ of $p$, $\alpha = \sum \min(p, q)$",
    reference=f"correction of {SOURCE}",
    instances=coupled,
    lhs=lambda p, q, joint: tv(emitted(p, q, joint)[:-1], p),
    rhs=_spread,
    tight=[ORDERED],
    sources=("exact",),
    note="It is the covariance of what is kept and of what would be drawn. Attained where each draft is kept for sure or not at "
    "all, and those that are not come with residual tokens of their own.",
    broken=[broken("its square", rhs=lambda p, q: _spread(p, q) ** 2)],
)

HALF_KEPT = {"p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "joint": matrix("0 1/2", "0 1/2")}

STRENGTH = procedure(
    name="watermark.fresh-coins.strength",
    statement=r"Drafts and residual tokens from one-hot keyed laws leave the emitted token a function of the keys, with a fresh "
    r"coin in the test: two runs with the same keys agree for sure",
    reference=SOURCE,
    instances=coupled,
    lhs=agreement,
    rhs=lambda: F(1),
    sources=("exact",),
    corrected_by=("watermark.fresh-coins.strength-corrected",),
    within=(HALF_KEPT,),
    note="Where a draft is kept sometimes, the coin decides between two tokens. He et al. 2026 (2602.01428, abstract) take the "
    "coin from the key as well, so that the token is a function of keys again.",
)


def _same(p: Array, q: Array) -> Any:
    return 1 - 2 * (np.maximum(q - p, 0) * ratio(p, q)).sum()


STRENGTH_CORRECTED = identity(
    name="watermark.fresh-coins.strength-corrected",
    statement=r"With one-hot keyed drafts and residual tokens, by one key or two, and a fresh coin in the test, two runs with "
    r"the same keys emit the same token with probability $1 - 2\sum_x (q_x - p_x)_+ p_x/q_x \ge 1/2$",
    reference=f"correction of {SOURCE}",
    instances=coupled,
    lhs=agreement,
    rhs=_same,
    tight=[HALF_KEPT, ORDERED],
    sources=("exact",),
    note="Of a token that is kept with probability a two coins agree with 1 − 2a(1 − a); one that may be refused is no residual "
    "token. It is 1 where every draft is kept for sure or not at all. Without keys p agrees with itself with Σ p².",
    broken=[broken("twice as much is lost", rhs=lambda p, q: 2 * _same(p, q) - 1)],
)
