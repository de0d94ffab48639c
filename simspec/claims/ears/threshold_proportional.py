"""What is taken off the rejection threshold is proportional to the target's uncertainty.

`ears.threshold-proportional`, with the literal reading, an own statement: EARS, Mechanism 1.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Draw, F, Instance, identity, shifted
from simspec.claims.claim import Printed
from simspec.laws import Scalar

__all__ = ["threshold"]


def _two_uncertainties(draw: Draw) -> Instance:
    """A coin, a β, an uncertainty, and how many times as uncertain another target is."""
    return {
        "coin": draw.number(0, 1),
        "beta": draw.number(0, 2),
        "uncertainty": draw.number(0, F(1, 2)),
        "times": draw.number(F(1, 2), 2),
    }


def threshold(coin: Scalar, beta: Scalar, uncertainty: Scalar) -> Any:
    """What p/q of the draft is compared with in the end, u − βU.

    >>> threshold(F(1, 2), F(1, 10), F(1, 2))
    Fraction(9, 20)
    """
    return coin - beta * uncertainty


PROPORTIONAL = identity(
    name="ears.threshold-proportional",
    statement=r"What is taken off the rejection threshold, $\beta U$ of $u$, is proportional to the uncertainty "
    r"$U = 1 - \max p$: where the target is $k$ times as uncertain, $k$ times as much is taken off",
    reference="EARS, Mechanism 1",
    instances=_two_uncertainties,
    lhs=lambda coin, beta, uncertainty, times: coin - threshold(coin, beta, times * uncertainty),
    rhs=lambda coin, beta, uncertainty, times: times * (coin - threshold(coin, beta, uncertainty)),
    sources=("exact",),
    note="The next sentence of the source says that the threshold falls, so that it cannot be proportional itself: that "
    "literal "
    "reading is ears.threshold-proportional.literal.",
    printed=Printed(
        place="EARS, Mechanism 1",
        text="Makes the rejection threshold proportional to model uncertainty",
        read="Of what is taken off the threshold, as the next sentence asks: it falls as the uncertainty rises.",
    ),
    broken=[shifted(F(1, 100))],
)

LITERAL = identity(
    name="ears.threshold-proportional.literal",
    statement=r"The rejection threshold is proportional to the uncertainty $U = 1 - \max p$: where the target is $k$ "
    r"times as "
    r"uncertain, the threshold $u - \beta U$ is $k$ times as high",
    reference="own statement: the literal reading of EARS, Mechanism 1",
    instances=_two_uncertainties,
    lhs=lambda coin, beta, uncertainty, times: threshold(coin, beta, times * uncertainty),
    rhs=lambda coin, beta, uncertainty, times: times * threshold(coin, beta, uncertainty),
    sources=("exact",),
    within=({"coin": F(1, 2), "beta": F(1, 10), "uncertainty": F(1, 4), "times": F(2)},),
    corrected_by=("ears.threshold-proportional",),
    note="It falls with the uncertainty, and is the coin itself where the target is certain; "
    "the next sentence of the source says that it falls.",
)
