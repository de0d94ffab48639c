"""`ears.certain-target`: EARS, Mechanism 1."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Draw, F, Instance, exact, identity, law
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import HALF, some_step
from simspec.methods import SD, ears


def _certain(draw: Draw) -> Instance:
    step = some_step(draw)
    p = step["p"]
    hot = (np.arange(p.shape[-1]) == np.asarray(p.argmax(axis=-1))[..., None]).astype(int)
    return {**step, "p": exact(hot) if draw.exact else hot.astype(p.dtype)}


CERTAIN = "one token has probability one"

CERTAIN_TARGET = identity(
    name="ears.certain-target",
    statement=r"Where $\max p = 1$ the acceptance rule is that of speculative decoding",
    reference="EARS, Mechanism 1",
    instances=_certain,
    assumes={CERTAIN: lambda p: bool(np.all(p.max(axis=-1) == 1))},
    lhs=lambda p, q, beta: ears(beta).keep(p, q),
    rhs=lambda p, q: SD.keep(p, q),
    outside={CERTAIN: {"p": HALF, "q": law(1, 0), "beta": F(1)}},
    note="The tolerance is β(1 − 1) = 0.",
    printed=Printed(
        place="EARS, Mechanism 1",
        text="Makes the rejection threshold proportional to model uncertainty",
        read="Without uncertainty the rule is that of speculative decoding.",
    ),
)
