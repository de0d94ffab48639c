"""However large the divergence of a draft is, its acceptance rate stays positive: at least half of exp(−KL).

`loss.bretagnolle-huber`: Bretagnolle and Huber's inequality for acceptance, Samarin et al. 2026 (arXiv 2602.23881).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, law
from simspec.claims.balls import ball, exp
from simspec.claims.greedy.parts import positive_law
from simspec.claims.relaxed.parts import divergence
from simspec.laws import overlap


def _pair(draw: Draw) -> Instance:
    vocab = draw.vocab()
    return {"p": draw.law(vocab), "q": positive_law(draw, vocab)}


def _shares(p: Array, q: Array) -> Array:
    alpha: Any = overlap(p, q)
    return np.array([ball(alpha * (2 - alpha)), ball(2 * alpha)], dtype=object)


BRETAGNOLLE_HUBER = bound(
    name="loss.bretagnolle-huber",
    statement=r"$\alpha(2 - \alpha) \ge e^{-\mathrm{KL}(p \Vert q)}$, that is $\alpha \ge 1 - \sqrt{1 - "
    r"e^{-\mathrm{KL}(p \Vert q)}} \ge "
    r"\tfrac12 e^{-\mathrm{KL}(p \Vert q)}$",
    reference="Bretagnolle and Huber's inequality for acceptance, on Samarin et al. 2026 (arXiv 2602.23881)",
    instances=_pair,
    lhs=_shares,
    relation=at_least,
    rhs=lambda p, q: np.array([exp(-divergence(p, q))] * 2, dtype=object),
    tight=[{"p": law("1/4", "3/4"), "q": law("1/4", "3/4")}],
    sources=("exact",),
    note="Pinsker's inequality says nothing beyond 2 nats; this one says something at every divergence. Equality at "
    "p = q, and in the limit of "
    "laws that share one token.",
    broken=[
        broken(
            "without the square",
            lhs=lambda p, q: np.array([ball(overlap(p, q)) ** 2, ball(2 * overlap(p, q))], dtype=object),
        )
    ],
)
