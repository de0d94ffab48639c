"""Reading the cached largest probability gives the same decisions as scanning the target again.

`ears.cache`: EARS, Mechanism 3.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, broken, law, procedure
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import BETA, HALF
from simspec.laws import Scalar
from simspec.methods.ears.acceptance import PARDON, REJECT, STANDARD, verify_block


def _drafted(draw: Draw) -> Instance:
    """A block of drafts that q can draw, with its coins and the cached maxima."""
    n = draw.vocab()
    if draw.exact:
        p, q = (np.stack(laws) for laws in zip(*(draw.pair(n) for _ in range(draw.integer(1, 3))), strict=True))
    else:
        p, q = draw.pair(n)
        p = p[:8]
        q = q[:8]
    drawable = [np.flatnonzero(row > 0) for row in q]
    tokens = np.array([int(some[draw.integer(0, len(some) - 1)]) for some in drawable])
    coins = np.array([draw.number(0, 1) for _ in q], dtype=p.dtype)
    return {"p": p, "q": q, "tokens": tokens, "coins": coins, "beta": draw.number(*BETA), "cached": p.max(axis=-1)}


def _printed(p: Array, q: Array, tokens: Array, coins: Array, beta: Scalar) -> list[int]:
    """Decisions as printed: ratio, coin, tolerance from a scan of p; two tests; up to the first rejection."""
    decisions = []
    for i, x in enumerate(tokens.tolist()):
        ratio = p[i, x] / q[i, x]
        coin = coins[i]
        slack = beta * (1 - max(p[i].tolist()))
        decisions.append(STANDARD if ratio >= coin else PARDON if ratio >= coin - slack else REJECT)
        if decisions[-1] == REJECT:
            break
    return decisions


def _verified(p: Array, q: Array, tokens: Array, coins: Array, beta: Scalar, cached: Array) -> Array:
    verified = [verify_block(p, q, tokens, coins, beta, cached=peaks) for peaks in (cached, None)]
    return np.array([[*_padded(d.decisions.tolist(), len(tokens)), d.reads] for d in verified])


def _padded(decisions: list[int], length: int) -> list[int]:
    return decisions + [-1] * (length - len(decisions))


def _as_printed(p: Array, q: Array, tokens: Array, coins: Array, beta: Scalar) -> Array:
    decisions = _printed(p, q, tokens, coins, beta)
    examined = len(decisions)
    row = _padded(decisions, len(tokens))
    return np.array([[*row, examined], [*row, examined * p.shape[-1]]])


TRUE_CACHE = "the cache holds max p of the same laws"


def _stale(p: Array, q: Array, tokens: Array, coins: Array, beta: Scalar, cached: Array) -> Array:
    """A cache that is one position behind."""
    return _verified(p, q, tokens, coins, beta, np.roll(cached, 1))


CACHE = procedure(
    name="ears.cache",
    statement=r"Reading the cached $\max p$ gives the decisions that scanning $p$ again gives, at one number instead "
    r"of $V$ for each position examined",
    reference="EARS, Mechanism 3",
    instances=_drafted,
    assumes={TRUE_CACHE: lambda p, cached: bool((cached == p.max(axis=-1)).all())},
    lhs=_verified,
    rhs=_as_printed,
    outside={
        TRUE_CACHE: {
            **{"p": HALF[None], "q": law(1, 0)[None], "tokens": np.array([0]), "coins": law("3/4")},
            **{"beta": F(1), "cached": law(1)},
        }
    },
    note="Left: the verification of the code with the cache and without it; right: the printed tests by hand. "
    "Decisions depend on p through two numbers at each position, p at the draft and max p. A cache must be made after "
    "temperature and top-p, from the law that verifies.",
    printed=Printed(
        place="EARS, Mechanism 3",
        text="EARS reads this scalar rather than re-scanning full probability vector",
        read="The decisions are the same, at one number read instead of the vocabulary.",
    ),
    broken=[
        broken(
            "a cache that is one position behind",
            lhs=_stale,
        ),
        broken("twice the tolerance", rhs=lambda p, q, tokens, coins, beta: _as_printed(p, q, tokens, coins, 2 * beta)),
    ],
)
