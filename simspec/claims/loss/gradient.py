"""The slope of the acceptance rate in a logit is the token's mass times what it lacks beyond the average.

`loss.gradient`: own statement, on Samarin et al. 2026 (arXiv 2602.23881).
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, F, Instance, broken, identity, law
from simspec.claims.greedy.parts import positive_law
from simspec.laws import overlap

__all__ = ["APART", "gain", "raised"]

APART = "no token crosses the target's mass, or begins at it"


def raised(q: Array, token: int, growth: F) -> Array:
    """The law whose weight of a token has grown by a factor 1 + t: its logit by log(1 + t).

    >>> [str(m) for m in raised(law("1/2", "1/2"), 0, F(1))]
    ['2/3', '1/3']
    """
    weights = q.copy()
    weights[token] = weights[token] * (1 + growth)
    return weights / weights.sum()


def _instances(draw: Draw) -> Instance:
    vocab = 2 + draw.integer(0, 2)
    p = draw.law(vocab)
    q = positive_law(draw, vocab)
    return {"p": p, "q": q, "token": draw.integer(0, vocab - 1), "growth": draw.number(F(1, 64), F(1, 4))}


def _is_apart(p: Array, q: Array, token: int, growth: F) -> bool:
    return bool(((q - p) * (raised(q, token, growth) - p) > 0).all())


def gain(p: Array, q: Array, token: int) -> Any:
    """q_x (1{q_x < p_x} − Σ_y q_y 1{q_y < p_y})."""
    lacking = q < p
    return q[token] * (int(lacking[token]) - q[lacking].sum())


CROSSING = {"p": law("1/2", "1/2"), "q": law("1/4", "3/4"), "token": 0, "growth": F(8)}

GRADIENT = identity(
    name="loss.gradient",
    statement=r"$q = \mathrm{softmax}(z)$, $p \ne q$ at every token: $\partial\alpha/\partial z_x = q_x (1\{q_x < "
    r"p_x\} - \sum_y q_y "
    r"1\{q_y < p_y\})$; a finite step $z_x + \log(1 + t)$ changes $\alpha$ by $t/(1 + t q_x)$ times that while no "
    r"token crosses",
    reference="own statement, on Samarin et al. 2026 (arXiv 2602.23881)",
    instances=_instances,
    assumes={APART: _is_apart},
    lhs=lambda p, q, token, growth: overlap(p, raised(q, token, growth)) - overlap(p, q),
    rhs=lambda p, q, token, growth: growth / (1 + growth * q[token]) * gain(p, q, token),
    tight=[{"p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "token": 0, "growth": F(1, 8)}],
    outside={APART: CROSSING},
    sources=("exact",),
    note="The step's factor tends to log(1 + t) as t falls to 0, so that the finite form has the slope as its limit.",
    broken=[
        broken(
            "without the average",
            rhs=lambda p, q, token, growth: growth / (1 + growth * q[token]) * q[token] * int(q[token] < p[token]),
        )
    ],
)
