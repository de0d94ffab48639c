"""Two Gaussian logits of any correlation are both within three deviations with probability 99.46 % at least.

`rdk.two-events`, with its sharper form and where that is attained: RDK, B.4.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from simspec.claims import balls
from simspec.claims.authoring import Draw, F, Instance, broken, identity, probability
from simspec.claims.balls import ball
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import PRINTED
from simspec.laws import Scalar

__all__ = ["both_within"]


def _alone(size: Scalar = 3) -> Any:
    """P(|X| ≤ size) of one standard normal, three deviations if nothing else is said."""
    return (ball(size) / ball(2).sqrt()).erf()


def both_within(rho: F | None, size: Scalar = 3) -> Any:
    r"""Certified P(|X| ≤ t and |Y| ≤ t) of standard normals X, Y: jointly Gaussian of correlation ρ, t the `size`.

    :math:`\int_{-t}^{t} \varphi(x)\,[\Phi(\tfrac{t - \rho x}{s}) - \Phi(\tfrac{-t - \rho x}{s})]\,dx`, :math:`s^2 = 1 - \rho^2`.
    Without a correlation: the coupling whose two failures never occur together, which is not jointly Gaussian.

    >>> round(float(both_within(F(0))), 6), round(float(both_within(None)), 6)
    (0.994608, 0.9946)
    """
    if rho is None:
        return 1 - 2 * (1 - _alone(size))
    if abs(rho) == 1:
        return _alone(size)
    return _integral(abs(rho), size, balls.PRECISION)  # the sign of one of the two changes neither event


@lru_cache(maxsize=256)
def _integral(rho: F, size: Scalar, precision: int) -> Any:
    """`both_within` for a correlation from 0 to below 1, with enclosures of so many bits."""
    from flint import acb, arb

    slope = acb(ball(rho))
    width = acb((2 * ball(1 - rho * rho)).sqrt())
    scale = acb((2 * arb.pi()).sqrt())
    edge = acb(ball(size))

    def integrand(x: Any, _: bool) -> Any:
        return (
            (-x * x / 2).exp() / scale * (((edge - slope * x) / width).erf() - ((-edge - slope * x) / width).erf()) / 2
        )

    return acb.integral(integrand, -edge, edge).real


def _correlation(draw: Draw) -> Instance:
    step = draw.integer(0, 16)
    return {"rho": F(step if step <= 8 else 8 - step, 8)}


TWO_EVENTS = probability(
    name="rdk.two-events",
    statement=r"$P(|z_a - \mu_a| \le 3\sigma_a \text{ and } |z_b - \mu_b| \le 3\sigma_b) \ge 99.46\ \%$ for two Gaussian "
    r"logits of any correlation",
    reference="RDK, B.4",
    instances=_correlation,
    lhs=both_within,
    rhs=lambda: ball(PRINTED),
    tight=({"rho": None},),
    sources=("exact",),
    corrected_by=("rdk.two-events-sharp",),
    note="Union bound: 1 − 2(1 − erf(3/√2)) = 0.9946004. It needs only Gaussian margins, and the tightest coupling listed, with "
    "failures that never meet, attains that value; the printed figure is it, rounded down.",
    printed=Printed(
        place="RDK B.4",
        text="we know that with probability 99.46%, the following two events hold true simultaneously",
        read="Two Gaussian logits of any correlation are both within three standard deviations of their means.",
        restored="the two events",
    ),
    broken=[broken("the square of the probability", lhs=lambda rho: both_within(rho) ** 2)],
)

JOINT = "the two logits are jointly Gaussian"

TWO_EVENTS_SHARP = probability(
    name="rdk.two-events-sharp",
    statement=r"For jointly Gaussian logits the probability is at least $\mathrm{erf}(3/\sqrt2)^2 = 0.994608$",
    reference="own statement, after Šidák 1967",
    instances=_correlation,
    assumes={JOINT: lambda rho: rho is not None},
    lhs=both_within,
    rhs=lambda: _alone() ** 2,
    tight=({"rho": F(0)},),
    sources=("exact",),
    outside={JOINT: {"rho": None}},
    note="Šidák's inequality: correlation of either sign makes a symmetric box more likely. The proof of Theorem 5.3 needs only "
    "one side of each event, and of their difference: Φ(3) = 0.99865 (rdk.gaussian-advantage-corrected).",
    broken=[broken("the probability at correlation one", rhs=lambda: both_within(F(1)))],
)

TWO_EVENTS_ATTAINED = identity(
    name="rdk.two-events-sharp.attained",
    statement=r"For independent Gaussian logits $P(|z_a - \mu_a| \le t\sigma_a \text{ and } |z_b - \mu_b| \le t\sigma_b) = "
    r"\mathrm{erf}(t/\sqrt2)^2$ for every $t \ge 0$: at $t = 3$ it is the bound of rdk.two-events-sharp",
    reference="own statement, the extremal case of rdk.two-events-sharp",
    instances=lambda draw: {"size": draw.number(0, 6)},
    lhs=lambda size: both_within(F(0), size),
    rhs=lambda size: _alone(size) ** 2,
    tight=({"size": 3},),
    sources=("exact",),
    broken=[broken("half of the correlation", lhs=lambda size: both_within(F(1, 2), size))],
)
