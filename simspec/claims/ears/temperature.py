"""A higher temperature of the target never lowers the tolerance.

`ears.temperature`: EARS, design trade-offs (temperature).
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Broken, Draw, F, Instance, at_least, bound, broken, law
from simspec.claims.claim import Printed, at_most
from simspec.claims.ears.parts import BETA, few_rows, tolerance
from simspec.laws import normalise


def _heated(draw: Draw) -> Instance:
    weights = draw.weights(draw.vocab())
    low, further_heat = (draw.integer(0, 3) if draw.exact else draw.number(0, 3) for _ in range(2))
    return few_rows(draw, {"u": weights, "a": low + further_heat, "b": low, "beta": draw.number(*BETA)})


HOTTER = "the second temperature is not lower: b ≤ a"


def _exchanged(claim: Any, one: str, other: str) -> dict[str, Any]:
    """The instances of a claim with two values exchanged."""
    instances = claim.instances
    return {"instances": lambda draw: {**(i := instances(draw)), one: i[other], other: i[one]}, "assumes": {}}


TEMPERATURE = bound(
    name="ears.temperature",
    statement=r"Raising the target's temperature never lowers the tolerance: for $p^{(a)} \propto u^a$ and $b \le a$ "
    r"($a, b$ inverse temperatures) $\beta(1 - \max p^{(b)}) \ge \beta(1 - \max p^{(a)})$",
    reference="EARS, design trade-offs (temperature)",
    instances=_heated,
    assumes={HOTTER: lambda a, b: b <= a},
    lhs=lambda u, b, beta: tolerance(normalise(u**b), beta)[..., 0],
    rhs=lambda u, a, beta: tolerance(normalise(u**a), beta)[..., 0],
    relation=at_least,
    tight=({"u": law("1/2", "1/2"), "a": 2, "b": 1, "beta": F(1)},),
    outside={HOTTER: {"u": law("2/3", "1/3"), "a": 1, "b": 2, "beta": F(1)}},
    note="1/max p = Σ (u_x/max u)^a, a sum of terms that do not grow with a. Exact: u rational, a and b integers; "
    "floats: any a and b.",
    printed=Printed(
        place="EARS, design tradeoffs",
        text="Higher temperatures flatten P_t, automatically increasing tolerance",
        read="The tolerance never falls as the temperature rises.",
    ),
    broken=[
        Broken("the two temperatures are exchanged", lambda claim: _exchanged(claim, "a", "b")),
        broken("the relation is turned", relation=at_most),
        broken("9/8 of the tolerance", rhs=lambda u, b, beta: tolerance(normalise(u**b), beta)[..., 0] * F(9, 8)),
    ],
)
