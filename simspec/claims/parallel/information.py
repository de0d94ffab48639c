"""With exact marginals the second draft is rejected no more often than the mutual information of the tokens allows.

`parallel.information`: own statement.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, Instance, bound, broken, law, matrix
from simspec.claims.balls import ball
from simspec.claims.parallel.parts import SOURCE, pair_of_tokens, rejections
from simspec.claims.relaxed.parts import divergence
from simspec.methods.parallel import marginal

__all__ = ["divergences"]


def _pairs(draw: Draw) -> Instance:
    instance = pair_of_tokens(draw)
    return {"a": instance["a"], "P": instance["P"]}


def divergences(a: Array, P: Array) -> list[Any]:
    """KL(P(·|x)‖m) after each first token x, m the marginal; 0 after a token without mass."""
    mixture = marginal(a, P)
    return [divergence(row, mixture) if mass else ball(0) for mass, row in zip(a, P, strict=True)]


def _information(a: Array, P: Array) -> Any:
    return sum((ball(mass) * value for mass, value in zip(a, divergences(a, P), strict=True)), ball(0))


def _lost(a: Array, P: Array) -> Any:
    """1 − α: the mean rejection of the marginal."""
    return (a * rejections(P, marginal(a, P))).sum()


INFORMATION = bound(
    name="parallel.information",
    statement=r"With the exact marginal for $q_2$ the acceptance of the second draft, averaged over $P(x_1)$, is at least "
    r"$1 - \sqrt{I(X_1; X_2)/2}$",
    reference=SOURCE,
    instances=_pairs,
    lhs=lambda a, P: ball(2 * _lost(a, P) ** 2),
    rhs=_information,
    tight=[{"a": law("1/2", "1/2"), "P": matrix("1/3 2/3", "1/3 2/3")}],
    sources=("exact",),
    note="Pinsker’s inequality after each first token, and the mean of a square. Equal for independent tokens; for weak "
    "dependence of two fair tokens both sides agree to the second order, so that ½ is the largest constant.",
    broken=[broken("half of the information", rhs=lambda a, P: _information(a, P) / 2)],
)
