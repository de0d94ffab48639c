"""Tokens drawn from the marginals of an autoregressive draft, reported with its conditional laws, bias the text.

`parallel.told-conditional`, with its correction: own statements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken, exact, law, matrix, procedure
from simspec.claims.parallel.parts import SOURCE
from simspec.methods.verifier.chance import Chance, every

__all__ = ["emitted", "target", "told_chance"]


def _models(draw: Draw) -> Instance:
    """The target's laws a and P, the draft's q and Q: of the first token, and of the second after each first one."""
    vocab = 2 + draw.integer(0, 1)

    def conditional() -> Array:
        return np.stack([draw.law(vocab) for _ in range(vocab)])

    return {"a": draw.law(vocab), "P": conditional(), "q": draw.law(vocab), "Q": conditional()}


def target(a: Array, P: Array) -> Array:
    """a(x) P(y|x), flat."""
    flat: Array = (a[:, None] * P).ravel()
    return flat


def told_chance(p: Array, reported: Array) -> Array:
    """The probability that a draft is kept, min(1, p/q) with the reported q: 1 where q is 0 and p is not.

    >>> [str(m) for m in told_chance(law("1/2", "1/2", 0), law("3/4", 0, "1/4"))]
    ['2/3', '1', '0']
    """
    chances = [F(int(m > 0)) if r == 0 else min(F(1), m / r) for m, r in zip(p, reported, strict=True)]
    return np.array(chances, dtype=object)


def _program(chance: Chance, a: Array, P: Array, q: Array, second: Array, Q: Array) -> tuple[int, int]:
    """Both tokens of a text: the second draft is drawn whatever the first was, and tested with Q after it."""
    x = chance.draw(q)
    y = chance.draw(second)
    if not chance.keep(a[x], q[x]):
        x = chance.draw(np.maximum(a - q, 0))
        return x, chance.draw(P[x])
    if chance.keep(P[x][y], Q[x][y]):
        return x, y
    rest = np.maximum(P[x] - Q[x], 0)
    return x, chance.draw(rest if rest.any() else P[x])


def emitted(a: Array, P: Array, q: Array, Q: Array) -> Array:
    """Law of the first two tokens, by enumeration; the second draft has the marginal law of the draft."""
    table = exact(np.zeros(P.shape, dtype=int))
    for weight, (x, y) in every(lambda chance: _program(chance, a, P, q, _drawn(q, Q), Q)):
        table[x, y] += weight
    return table.ravel()


def _drawn(q: Array, Q: Array) -> Array:
    marginal: Array = (q[:, None] * Q).sum(axis=0)
    return marginal


HALVES: Instance = {
    "a": law("1/2", "1/2"),
    "P": matrix("1/2 1/2", "1 0"),
    "q": law("1/2", "1/2"),
    "Q": matrix("1/2 1/2", "1 0"),
}
"""A draft that has the target's own laws."""
FULL: Instance = {**HALVES, "P": matrix("1/4 3/4", "3/4 1/4"), "Q": matrix("1/4 3/4", "3/4 1/4")}
"""The same with every token after every first one."""

TOLD_CONDITIONAL = procedure(
    name="parallel.told-conditional",
    statement=r"Positions drawn independently from the marginals of an autoregressive draft, verified with its conditional "
    r"laws reported: the text has the target's law",
    reference=SOURCE,
    instances=_models,
    lhs=emitted,
    rhs=target,
    sources=("exact",),
    corrected_by=("parallel.told-conditional-corrected",),
    within=(FULL,),
    note="The second token was not drawn from the law that the test divides by, even where that law is the target's own.",
)


def _bias(a: Array, P: Array, q: Array, Q: Array) -> Any:
    return abs(emitted(a, P, q, Q) - target(a, P)).sum() / 2


def _noise(a: Array, q: Array, Q: Array) -> Any:
    """Σ_x min(a, q) TV(q₂, Q(·|x))."""
    return (np.minimum(a, q) * abs(_drawn(q, Q) - Q).sum(axis=1) / 2).sum()


TOLD_CONDITIONAL_CORRECTED = bound(
    name="parallel.told-conditional-corrected",
    statement=r"Positions drawn from the marginals $q_1$, $q_2$ of an autoregressive draft $Q$, verified with its conditional "
    r"laws: the law of two tokens is within $\sum_x \min(p_1, q_1)(x)\,\mathrm{TV}(q_2, Q(\cdot|x))$ of the target's",
    reference=f"correction of an {SOURCE}",
    instances=_models,
    lhs=_bias,
    rhs=lambda a, q, Q: _noise(a, q, Q),
    tight=[FULL],
    sources=("exact",),
    note="Attained where the target is the draft and has every token after every first one: then every draft is accepted. So "
    "the rule is lossless for every target if and only if the draft's second token does not depend on its first.",
    broken=[broken("half of the bound", rhs=lambda a, q, Q: _noise(a, q, Q) / 2)],
)
