"""The two paths of EARS together accept a draft with probability min(1, p/q + t).

`ears.single-threshold`: EARS, Mechanism 2 and steps 4 to 6 of the verifier.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, F, broken, identity, law
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import HALF, both_paths, some_step, tolerance
from simspec.laws import Scalar
from simspec.methods import ears


def _accepted(p: Array, q: Array, beta: Scalar, second_coin: bool = False) -> Array:
    standard, pardon = both_paths(p, q, beta)
    if second_coin:
        pardon = (1 - standard) * (standard + pardon)
    acceptance = ears(beta).accept(p, q) / np.where(q > 0, q, 1)
    return np.where(q > 0, np.stack([standard + pardon, acceptance]), 0)


ONE_COIN = "both tests use the same coin"

SINGLE_THRESHOLD = identity(
    name="ears.single-threshold",
    statement=r"The two paths together accept a drafted token with probability $\min(1, p_x/q_x + t)$, $t = \beta(1 - "
    r"\max p)$",
    reference="EARS, Mechanism 2 and steps 4 to 6 of the verifier",
    instances=some_step,
    assumes={ONE_COIN: lambda second_coin=False: not second_coin},
    lhs=_accepted,
    rhs=lambda p, q, beta: np.stack(
        [np.where(q > 0, np.minimum(1, p / np.where(q > 0, q, 1) + tolerance(p, beta)), 0)] * 2
    ),
    outside={ONE_COIN: {"p": HALF, "q": law(1, 0), "beta": F(1, 2), "second_coin": True}},
    note="Left: lengths of the intervals of coins that pass the two tests, and the kept mass of the code over q. With "
    "one coin u the second test contains the first, R ≥ u or R ≥ u − t is R + t ≥ u. A second coin would accept with "
    "probability 1 − (1 − R)(1 − R − t).",
    printed=Printed(
        place="EARS, Mechanism 2",
        text="first checks standard condition R_i ≥ U_i, then checks R_i ≥ U_i - Tolerance_i for borderline cases",
        read="Both checks with one uniform number make one threshold.",
    ),
    broken=[
        broken(
            "the tolerance is left out", rhs=lambda p, q: np.where(q > 0, np.minimum(1, p / np.where(q > 0, q, 1)), 0)
        ),
        broken(
            "the ratio is multiplied by 1 + β(1 − max p)",
            rhs=lambda p, q, beta: np.where(
                q > 0, np.minimum(1, p / np.where(q > 0, q, 1) * (1 + tolerance(p, beta))), 0
            ),
        ),
    ],
)
