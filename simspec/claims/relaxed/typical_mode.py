"""`relaxed.typical-mode`: Medusa (restored)."""

from __future__ import annotations

from simspec.claims.authoring import Draw, F, Instance, at_least, bound
from simspec.claims.balls import ball, enclose
from simspec.claims.relaxed.parts import HALF
from simspec.claims.relaxed.typical_more import entropic


def _instance(draw: Draw) -> Instance:
    return {"p": draw.law(draw.vocab()), "delta": draw.number(0, 2)}


TYPICAL_MODE = bound(
    name="relaxed.typical-mode",
    statement=r"The mode of $p$ is above the entropic limit, $\max p - \delta e^{-H(p)} \ge (1 - \delta) \max p$: for $\delta < "
    r"1$ it is always accepted",
    reference="Cai et al. 2024 (Medusa, restored)",
    instances=_instance,
    lhs=lambda p, delta: enclose(p.max() * 1) - ball(delta) * entropic(p),
    rhs=lambda p, delta: enclose((1 - delta) * p.max()),
    relation=at_least,
    tight=({"p": HALF, "delta": F(1, 2)},),
    sources=("exact",),
    note="exp(−H) is a mean of the masses, by their logarithms: no more than the largest.",
)
