"""Some tolerance strictly between none and the largest balances acceptance and total variation best.

`ears.beta-optimal`, with its correction: EARS, Key Results.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, at_most, bound, law, shifted
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import PRINTED, some_step
from simspec.laws import Scalar
from simspec.methods import acceptance_rate, ears, tv

__all__ = ["worth"]


def _weighed(draw: Draw) -> Instance:
    """A step, weights of speed and of fidelity, and a share of the largest β."""
    instance = dict(some_step(draw))
    return {**instance, "speed": draw.number(0, 2), "fidelity": draw.number(0, 2), "share": draw.number(0, 1)}


def worth(p: Array, q: Array, beta: Scalar, speed: Scalar, fidelity: Scalar) -> Any:
    """Weighed acceptance less weighed bias, a TV.

    >>> worth(law(1, 0), law("1/2", "1/2"), F(1), F(1), F(1))
    Fraction(1, 2)
    """
    return speed * acceptance_rate(ears(beta), p, q) - fidelity * tv(ears(beta), p, q)


def _ends(p: Array, q: Array, beta: Scalar, speed: Scalar, fidelity: Scalar) -> Any:
    return np.maximum(worth(p, q, beta * 0, speed, fidelity), worth(p, q, beta, speed, fidelity))


BETA_OPTIMAL = bound(
    name="ears.beta-optimal",
    statement=r"Some $\beta$ between 0 and the largest is the optimal balance: for an objective that weighs acceptance and "
    r"total variation, a share of $\beta$ inside is strictly better than both ends",
    reference="EARS, Key Results",
    instances=_weighed,
    lhs=lambda p, q, beta, speed, fidelity, share: (
        (worth(p, q, share * beta, speed, fidelity) > _ends(p, q, beta, speed, fidelity)) * 1
    ),
    rhs=lambda: 1,
    relation=at_least,
    sources=("exact",),
    within=({**PRINTED, "speed": F(1), "fidelity": F(1, 2), "share": F(1, 2)},),
    corrected_by=("ears.beta-optimal-corrected",),
    note="In no case: what β gains in acceptance it pays in TV, one for one (ears.bias), so that such an objective rises or "
    "falls in β throughout. An optimum inside needs an objective that bends, and then lies where that objective puts it.",
    printed=Printed(
        place="EARS, Key Results",
        text="β=0.1 hyperparameter provides optimal balance between throughput and accuracy",
        read="Some weighed sum of acceptance and total variation is largest at a β inside.",
    ),
)

BETA_OPTIMAL_CORRECTED = bound(
    name="ears.beta-optimal-corrected",
    statement=r"For every pair of laws and all weights, no $\beta$ is better than the better of 0 and any larger one",
    reference="correction of EARS, Key Results",
    instances=_weighed,
    lhs=lambda p, q, beta, speed, fidelity, share: worth(p, q, share * beta, speed, fidelity),
    rhs=_ends,
    relation=at_most,
    sources=("exact",),
    tight=({"p": law(1), "q": law(1), "beta": F(1), "speed": F(1), "fidelity": F(1), "share": F(1, 2)},),
    note="With the residual of speculative decoding; for one pair of laws, and so for any average over contexts.",
    broken=[shifted(F(1, 8))],
)
