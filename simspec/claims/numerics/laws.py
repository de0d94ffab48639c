"""Logits that differ by at most ε give laws that differ by at most tanh(ε/(2T)) in total variation, and little in divergence.

`numerics.tv`, `numerics.kl`, and `numerics.kl-half` with its correction: own statements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, at_most, bound, broken
from simspec.claims.balls import ball, log
from simspec.claims.numerics.parts import CLOSE, OWN, is_close, laws_of, twice
from simspec.claims.relaxed.parts import divergence
from simspec.laws import tv

__all__ = ["extreme", "most", "tanh"]

TIGHT = {"w": np.array([F(1), F(3)]), "change": np.array([F(3), F(1, 3)]), "rho": F(3)}
"""ε/T = log 3: (1/4, 3/4) against (3/4, 1/4)."""
FURTHER = {"w": np.array([F(1), F(3)]), "change": np.array([F(9), F(1, 9)]), "rho": F(3)}
"""Logits that differ by twice as much."""


def tanh(rho: F) -> Any:
    """tanh(ε/(2T)) = (ρ − 1)/(ρ + 1)."""
    return F(rho - 1) / (rho + 1)


TV = bound(
    name="numerics.tv",
    statement=r"$\mathrm{TV}(p, \hat p) \le \tanh(\varepsilon/(2T))$",
    reference=OWN,
    instances=twice,
    assumes={CLOSE: is_close},
    lhs=lambda w, change: tv(*laws_of(w, change)),
    rhs=tanh,
    tight=[TIGHT],
    outside={CLOSE: FURTHER},
    sources=("exact",),
    note="With ρ = exp(ε/T) it is (ρ − 1)/(ρ + 1), attained by p = (1, ρ)/(1 + ρ) and p̂ = (ρ, 1)/(1 + ρ). Only "
    "half the range of the "
    "differences counts: adding a number to all logits changes no law.",
    broken=[broken("half of it", rhs=lambda rho: tanh(rho) / 2)],
)


def _divergences(w: Array, change: Array) -> Array:
    p, p_hat = laws_of(w, change)
    forward = divergence(p, p_hat)
    return np.array([forward, forward + divergence(p_hat, p)], dtype=object)


KL = bound(
    name="numerics.kl",
    statement=r"$\mathrm{KL}(p \Vert \hat p) \le \varepsilon^2/(2T^2)$, and the symmetrised $\mathrm{KL}(p \Vert "
    r"\hat p) + "
    r"\mathrm{KL}(\hat p \Vert p) \le 2 (\varepsilon/T) \tanh(\varepsilon/(2T))$",
    reference=OWN,
    instances=twice,
    assumes={CLOSE: is_close},
    lhs=_divergences,
    rhs=lambda rho: np.array([log(ball(rho)) * log(ball(rho)) / 2, 2 * log(ball(rho)) * ball(tanh(rho))], dtype=object),
    tight=[{"w": np.array([F(1)]), "change": np.array([F(1)]), "rho": F(1)}],
    outside={CLOSE: FURTHER},
    sources=("exact",),
    note="Hoeffding's lemma for a log-ratio with a range of 2ε/T. The second is attained by two tokens at every ε; "
    "of the first the constant is "
    "the best for small ε, and numerics.kl-half-corrected the best at each.",
    broken=[
        broken(
            "a quarter of the square",
            rhs=lambda rho: np.array(
                [log(ball(rho)) * log(ball(rho)) / 4, 2 * log(ball(rho)) * ball(tanh(rho))], dtype=object
            ),
        )
    ],
)


def _forward(w: Array, change: Array) -> Any:
    return divergence(*laws_of(w, change))


KL_HALF = bound(
    name="numerics.kl-half",
    statement=r"$\mathrm{KL}(p \Vert \hat p) \le (\varepsilon/T) \tanh(\varepsilon/(2T))$, half of the symmetrised "
    r"bound",
    reference=OWN,
    instances=twice,
    assumes={CLOSE: is_close},
    lhs=_forward,
    rhs=lambda rho: log(ball(rho)) * ball(tanh(rho)),
    outside={CLOSE: FURTHER},
    sources=("exact",),
    corrected_by=("numerics.kl-half-corrected",),
    against=({"w": np.array([F(1), F(2)]), "change": np.array([F(3), F(1, 3)]), "rho": F(3)},),
    within=({"w": np.array([F(1), F(2)]), "change": np.array([F(3), F(1, 3)]), "rho": F(3)},),
    note="The two directions are not equally large: (1/3, 2/3) against (9/11, 2/11) has more than half.",
)


def most(rho: F) -> Any:
    """log((ρ² − 1)/h) − 1 + h/(ρ² − 1), h = 2 log ρ."""
    range_ = 2 * log(ball(rho))
    spread = ball(rho * rho - 1)
    return log(spread / range_) - 1 + range_ / spread


def extreme(rho: F) -> Any:
    """KL(p‖p̂) of two tokens, p = (a, 1 − a), a = 1/h − 1/(ρ² − 1), whose first weight grows by ρ and whose second falls by ρ."""
    range_ = 2 * log(ball(rho))
    share = 1 / range_ - 1 / ball(rho * rho - 1)
    weights = np.array([share * ball(rho), (1 - share) / ball(rho)], dtype=object)
    return divergence(np.array([share, 1 - share], dtype=object), weights / weights.sum())


KL_HALF_CORRECTED = bound(
    name="numerics.kl-half-corrected",
    statement=r"$\mathrm{KL}(p \Vert \hat p) \le \log\frac{e^h - 1}{h} - 1 + \frac{h}{e^h - 1}$, $h = "
    r"2\varepsilon/T > 0$, and this is "
    r"the best bound at each $\varepsilon$: attained by two tokens",
    reference="correction of an own statement on Leviathan et al. 2023",
    instances=lambda draw: twice(draw, F(9, 8)),
    assumes={CLOSE: is_close},
    lhs=lambda w, change, rho: np.array([_forward(w, change), extreme(rho), -extreme(rho)], dtype=object),
    rhs=lambda rho: np.array([most(rho), most(rho), -most(rho)], dtype=object),
    relation=at_most,
    tight=[TIGHT],
    outside={CLOSE: FURTHER},
    sources=("exact",),
    note="At ε = 0 both sides are 0. It is ε²/(2T²) − … for small ε, below 2ε/T − log(2ε/T) − 1 + … for large ones.",
    broken=[broken("half of it", rhs=lambda rho: np.array([most(rho) / 2, most(rho), -most(rho)], dtype=object))],
)
