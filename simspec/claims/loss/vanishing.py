"""Towards a certain target the slope of acceptance vanishes with the draft's mass, and that of its logarithm does not.

`loss.vanishing`: own statement, on Samarin et al. 2026 (arXiv 2602.23881).
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, broken, identity, law
from simspec.claims.balls import ball, log
from simspec.claims.greedy.parts import positive_law
from simspec.claims.loss.gradient import raised
from simspec.claims.relaxed.parts import divergence
from simspec.laws import overlap


def _instances(draw: Draw) -> Instance:
    vocab = 1 + draw.integer(0, 3)
    return {
        "q": positive_law(draw, vocab),
        "token": draw.integer(0, vocab - 1),
        "growth": draw.number(F(1, 64), 2),
    }


def _steps(q: Array, token: int, growth: F) -> Array:
    """What a step of one logit changes: α, −KL, and log α, with a target that is sure of the token."""
    p = np.array([F(int(x == token)) for x in range(len(q))])
    after = raised(q, token, growth)
    return np.array(
        [
            ball(overlap(p, after) - overlap(p, q)),
            divergence(p, q) - divergence(p, after),
            log(ball(overlap(p, after))) - log(ball(overlap(p, q))),
        ],
        dtype=object,
    )


def _formulas(q: Array, token: int, growth: F) -> Array:
    mass = q[token]
    ratio = log(ball(1 + growth)) - log(ball(1 + growth * mass))
    return np.array([ball(growth * mass * (1 - mass) / (1 + growth * mass)), ratio, ratio], dtype=object)


VANISHING = identity(
    name="loss.vanishing",
    statement=r"One-hot target at $y$: $\partial\alpha/\partial z_y = q_y(1 - q_y)$ vanishes with $q_y$, while "
    r"$-\mathrm{KL}$ and $\log\alpha$ "
    r"both have the slope $1 - q_y$; a finite step $z_y + \log(1 + t)$ changes them by $t q_y(1 - q_y)/(1 + t q_y)$ "
    r"and "
    r"$\log\frac{1 + t}{1 + t q_y}$",
    reference="own statement, on Samarin et al. 2026 (arXiv 2602.23881)",
    instances=_instances,
    lhs=_steps,
    rhs=_formulas,
    tight=[{"q": law(1), "token": 0, "growth": F(1)}],
    sources=("exact",),
    note="With a one-hot target log α is −KL. A draft that has almost none of the token gets no signal from α, and "
    "the largest from either.",
    broken=[
        broken(
            "without the draft's mass",
            rhs=lambda q, token, growth: _formulas(q, token, growth) / ball(q[token] / 2 + F(1, 4)),
        )
    ],
)
