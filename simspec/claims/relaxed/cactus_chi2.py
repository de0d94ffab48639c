"""The χ² divergence of the modified target of Cactus is at most 2δ.

`relaxed.cactus-chi2.positive`, of a token that the target may say; `relaxed.cactus-chi2`, which asks for equality also of tokens
that it never says and fails, with its correction: own statement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, broken, identity, law
from simspec.claims.balls import ball, enclose
from simspec.claims.relaxed.parts import HALF, at_cap, lifted
from simspec.laws import Scalar


def _token(draw: Draw) -> Instance:
    p = draw.law(draw.vocab())
    return {"p": p, "token": draw.integer(0, len(p) - 1), "delta": draw.number(0, 2)}


def _likely_token(draw: Draw) -> Instance:
    instance = dict(_token(draw))
    instance["token"] = int(np.argmax(instance["p"])) if not instance["p"][instance["token"]] else instance["token"]
    return instance


def _half_chi2(p: Array, token: int, delta: Scalar) -> Any:
    """½ Σ (H_x − p)²/p over the tokens that p has."""
    lifted_law = lifted(p, token, delta)
    return sum(((a - ball(b)) * (a - ball(b)) / ball(b) for a, b in zip(lifted_law, p, strict=True) if b), ball(0)) / 2


def _printed(p: Array, token: int, delta: Scalar) -> Any:
    """δ where h < 1; elsewhere what it is, which has to be at most δ."""
    value = _half_chi2(p, token, delta)
    return enclose(delta) if not at_cap(p, delta)[token] else value if value <= ball(delta) else enclose(delta)


def _least(p: Array, token: int, delta: Scalar) -> Any:
    """min(δ, (1 − p(x))/(2p(x))), and 0 where p(x) is 0."""
    m = p[token]
    return enclose(min(delta, (1 - m) / (2 * m)) if m else F(0))


MASS = "the target may say the token: p(x) > 0"

CHI2_POSITIVE = identity(
    name="relaxed.cactus-chi2.positive",
    statement=r"For every token with $p(x) > 0$: $\tfrac12 \sum_y (H_x(y) - p(y))^2 / p(y) = \min\left(\delta, "
    r"\frac{1 - p(x)}{2 p(x)}\right)$, so it is at most $\delta$, and $\delta$ where $h(x) < 1$",
    reference="own statement, on Hao and Mou 2026 (Cactus)",
    instances=_likely_token,
    assumes={MASS: lambda p, token: bool(p[token] > 0)},
    lhs=_half_chi2,
    rhs=lambda p, token, delta: enclose(min(delta, (1 - p[token]) / (2 * p[token])) if p[token] else delta),
    tight=({"p": HALF, "token": 0, "delta": F(1, 2)},),
    outside={MASS: {"p": law(0, 1), "token": 0, "delta": F(1)}},
    sources=("exact",),
    note="A draft that the target never says is not raised: relaxed.cactus-chi2 asks for it too, and fails there only.",
    broken=[broken("δ in place of the bound", rhs=lambda delta: enclose(delta))],
)

CHI2 = identity(
    name="relaxed.cactus-chi2",
    statement=r"$\tfrac12 \sum_y (H_x(y) - p(y))^2 / p(y) \le \delta$, with equality where $h(x) < 1$",
    reference="own statement, on Hao and Mou 2026 (Cactus)",
    instances=_token,
    lhs=_half_chi2,
    rhs=_printed,
    sources=("exact",),
    corrected_by=("relaxed.cactus-chi2.positive", "relaxed.cactus-chi2-corrected"),
    within="none exists: where every token has mass, $p(x) > 0$, and the sum is $\\delta$ wherever $h(x) < 1$",
    note="A token that the target never says is not raised: with p(x) = 0 also h(x) = 0 < 1, and the sum is 0. The bound "
    "holds.",
)

CHI2_CORRECTED = identity(
    name="relaxed.cactus-chi2-corrected",
    statement=r"$\tfrac12 \sum_y (H_x(y) - p(y))^2 / p(y) = \min\left(\delta, \frac{1 - p(x)}{2 p(x)}\right)$ where "
    r"$p(x) > 0$, and 0 where $p(x) = 0$",
    reference="correction of own statement, on Hao and Mou 2026 (Cactus)",
    instances=_token,
    lhs=_half_chi2,
    rhs=_least,
    tight=({"p": HALF, "token": 0, "delta": F(1, 2)}, {"p": law(0, 1), "token": 0, "delta": F(1)}),
    sources=("exact",),
    note="For δ > 0 it is δ exactly when p(x) > 0 and 2 δ p(x) ≤ 1 − p(x).",
    broken=[broken("δ in place of the bound", rhs=lambda delta: enclose(delta))],
)
