"""Pardoned tokens are never closer to the target than tokens accepted by the standard path.

`ears.two-paths-order`: own statement, answering EARS, next check 3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simspec.claims import balls
from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken, law
from simspec.claims.ears.parts import HALF, closeness, some_step
from simspec.laws import Scalar, normalise, overlap
from simspec.methods import ears


def _surely_pardoned(draw: Draw) -> Instance:
    """Steps in which something is pardoned: an uncertain target and another draft."""
    step = some_step(draw, low=2)
    p = step["p"]
    if not draw.exact:  # rounding: the pardoned mass of a nearly certain target is lost beside p
        step["p"] = np.where(p.max(axis=-1, keepdims=True) > 0.99, 0.9 * p + 0.1 / p.shape[-1], p)
    return {**step, "beta": step["beta"] + (F(1, 8) if draw.exact else 0.125)}


def _chain(p: Array, q: Array, beta: Scalar) -> tuple[Array, Array]:
    """The smaller and the larger sides: closeness of the pardon path, p(S), α, closeness of the standard path; the
    closeness is exp(−KL), then 1 − TV."""
    overlap_mass = np.minimum(p, q)
    extra = ears(beta).accept(p, q) - overlap_mass
    standard = normalise(overlap_mass, otherwise=p)
    pardon = normalise(extra, otherwise=p)
    within = np.where(q > p, p, 0).sum(axis=-1)
    alpha = overlap_mass.sum(axis=-1)
    smaller = [closeness(pardon, p), within, balls.enclose(alpha), overlap(pardon, p), alpha]
    larger = [balls.enclose(within), alpha, closeness(standard, p), within, overlap(standard, p)]
    return np.stack(smaller), np.stack(larger)


PARDONS = "something can be pardoned: t > 0 and q ≠ p"


def _order(change: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    """One side of the chain, made of its smaller and its larger sides."""
    return lambda p, q, beta: change(*_chain(p, q, beta))


TWO_PATHS_ORDER = bound(
    name="ears.two-paths-order",
    statement="Pardoned tokens are never closer to the target than those of the standard path: "
    r"$\mathrm{KL}(\text{pardon} \Vert p) \ge -\log p(S) \ge -\log\alpha \ge \mathrm{KL}(\text{standard} \Vert p)$ and "
    r"$\mathrm{TV}(\text{pardon}, p) \ge 1 - p(S) \ge 1 - \alpha \ge \mathrm{TV}(\text{standard}, p)$, $S = \{q > p\}$",
    reference="own statement, answering EARS, next check 3",
    instances=_surely_pardoned,
    assumes={PARDONS: lambda p, q, beta: bool(np.all((ears(beta).accept(p, q) > np.minimum(p, q)).any(axis=-1)))},
    lhs=lambda p, q, beta: _chain(p, q, beta)[0],
    rhs=lambda p, q, beta: _chain(p, q, beta)[1],
    sums=64,  # a law normalised by a pardoned mass of a thousandth keeps thirteen digits
    tight=({"p": HALF, "q": law(0, 1), "beta": F(1)},),
    outside={PARDONS: {"p": law("3/4", "1/4"), "q": law("1/4", "3/4"), "beta": F(0)}},
    note="Compared as exp(−KL) and 1 − TV. The pardon path accepts in S only, and a law on S is that far from p (data "
    "processing); α = p(S) + q(not S); min(p, q)/α ≤ p/α. The standard path's KL is finite whenever α > 0, the pardon "
    "path's is infinite as soon as a token with p = 0 is pardoned. (With nothing pardoned the law p stands in.)",
    broken=[
        broken("the two chains are exchanged", lhs=_order(lambda a, b: b), rhs=_order(lambda a, b: a)),
        broken("the third entry is replaced by the first", rhs=_order(lambda a, b: b[[0, 1, 0, 3, 4]])),
        broken("the last entry is replaced by the one before it", rhs=_order(lambda a, b: b[[0, 1, 2, 3, 3]])),
    ],
)
