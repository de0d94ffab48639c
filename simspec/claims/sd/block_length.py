"""With independent steps the mean number of tokens per target step is (1 − α^(γ+1))/(1 − α).

`sd.block-length`, with its correction: Leviathan et al. 2023, Eq. 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, broken, exact, identity
from simspec.claims.sd.parts import mean_tokens
from simspec.laws import Scalar
from simspec.methods import mean_acceptance_length


def _coin_laws(alpha: Scalar) -> tuple[Array, Array]:
    """A pair of laws whose acceptance rate is alpha at every step: independent acceptance."""
    p = [alpha, 1 - alpha]
    q = [1, 0]
    return (np.array(p), np.array(q, dtype=float)) if isinstance(alpha, float) else (exact(p), exact(q))


def _enumerated(alpha: Scalar, gamma: int, later: Scalar) -> Any:
    """Mean tokens of a block whose first step accepts with probability alpha and every later one with `later`."""
    first = _coin_laws(alpha)
    rest = _coin_laws(later)
    return mean_tokens(lambda x: (rest if x else first)[0], lambda x: (rest if x else first)[1], gamma)


def _independent(draw: Draw, top: Scalar) -> Instance:
    alpha = draw.number(0, top)
    return {"alpha": alpha, "later": alpha, "gamma": draw.integer(0, 6)}


SAME = "acceptance is the same at every step"

BLOCK_LENGTH = identity(
    name="sd.block-length",
    statement=r"Independent steps of acceptance $\alpha < 1$: expected tokens per target call $= \frac{1 - "
    r"\alpha^{\gamma + 1}}{1 - \alpha}$",
    reference="Leviathan et al. 2023, Eq. 1",
    instances=lambda draw: _independent(draw, F(9999, 10_000) if draw.exact else F(63, 64)),
    assumes={SAME: lambda alpha, later: alpha == later, "α is below one": lambda alpha: alpha < 1},
    lhs=_enumerated,
    rhs=lambda alpha, gamma: (1 - alpha ** (gamma + 1)) / (1 - alpha),
    sources=("exact", "float"),
    sums=64,  # dividing by 1 − α ≥ 1/64 magnifies the rounding of the numerator at most 64 times
    outside={SAME: {"alpha": F(1, 2), "later": F(0), "gamma": 2}},
    corrected_by=("sd.block-length-corrected",),
    note="The left side enumerates every outcome of a block. At α = 1 the printed quotient is 0/0, so nothing can be "
    "compared there; the sum has no such gap.",
    broken=[
        broken("one token too few: γ in place of γ + 1", rhs=lambda alpha, gamma: (1 - alpha**gamma) / (1 - alpha))
    ],
)

BLOCK_LENGTH_CORRECTED = identity(
    name="sd.block-length-corrected",
    statement=r"Independent steps of any acceptance $0 \le \alpha \le 1$: expected tokens per target call $= "
    r"\sum_{i=0}^{\gamma} \alpha^i$, which is $\gamma + 1$ at $\alpha = 1$",
    reference="Leviathan et al. 2023, Eq. 1, extended to α = 1",
    instances=lambda draw: _independent(draw, 1),
    assumes={SAME: lambda alpha, later: alpha == later},
    lhs=_enumerated,
    rhs=lambda alpha, gamma: mean_acceptance_length(alpha, gamma),
    sources=("exact", "float"),
    outside={SAME: {"alpha": F(1, 2), "later": F(0), "gamma": 2}},
    broken=[broken("every draft is accepted by itself: 1 + γα", rhs=lambda alpha, gamma: 1 + gamma * alpha)],
)
