"""`rdk.sharpness`: RDK, Eq. 2."""

from __future__ import annotations

from simspec.claims.authoring import Draw, F, Instance, bound, matrix
from simspec.claims.balls import plogp
from simspec.claims.claim import Printed
from simspec.claims.rdk.softmax import eq2, some_omega, some_temperature


def _two_temperatures(draw: Draw) -> Instance:
    omega = some_omega(draw, draw.vocab(matrix=True))
    tau = some_temperature(draw, omega)
    return {"omega": omega, "tau": tau, "hotter": tau * draw.number(1, 4)}


HOTTER = "the second temperature is not lower"

SHARPNESS = bound(
    name="rdk.sharpness",
    statement=r"$\tau$ controls the sharpness: the entropy of each row of $M$ is non-decreasing in $\tau$",
    reference="RDK, Eq. 2",
    instances=_two_temperatures,
    assumes={HOTTER: lambda tau, hotter: hotter >= tau},
    lhs=lambda omega, tau: -plogp(eq2(omega, tau)).sum(axis=-1),
    rhs=lambda omega, hotter: -plogp(eq2(omega, hotter)).sum(axis=-1),
    tight=({"omega": matrix("1 1", "1 1"), "tau": F(1), "hotter": F(2)},),
    outside={HOTTER: {"omega": matrix("1 0", "0 1"), "tau": F(2), "hotter": F(1)}},
    note="For weights e^{βx} the entropy has derivative −β Var(x) in β = 1/τ. True for any Ω; strict unless a row is constant. "
    "It speaks of the rows of M: how sharp r = Mᵀq' is depends on the draft too.",
    printed=Printed(
        place="RDK 4, Eq. 2",
        text="a temperature parameter that controls the sharpness of the redistribution",
        read=r"The entropy of each row of $M$ does not fall as $\tau$ rises.",
        restored="Eq. 2, from its description as a softmax of the covariance",
    ),
)
