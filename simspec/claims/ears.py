"""Claims about one step of EARS: when the emitted token still has the law p, and how large the tolerance is.

Which drafts are kept, and by which path: `simspec.claims.ears_paths`.  What is gained and paid:
`simspec.claims.ears_tradeoff`; the best that any rule can do: `simspec.claims.ears_best`.  Other uncertainty signals:
`simspec.claims.ears_signals`.  Blocks and whole texts: `simspec.claims.ears_texts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, equal
from simspec.claims.draw import Draw
from simspec.claims.sd import law
from simspec.laws import Array, exact, normalise
from simspec.methods import SD, Method, bias, ears, fresh, one_minus_max, output_law

__all__ = ["BETA", "CLAIMS", "HALF", "few_rows", "fresh_ears", "pardoned", "some_step", "tolerance"]

HALF = law("1/2", "1/2")
BETA: tuple[Any, Any] = (0, 2)
"""Range of β: the paper uses 0 to 0.2; beyond 1 every draft can be kept."""


def few_rows(draw: Draw, instance: dict[str, Any], rows: int = 48) -> dict[str, Any]:
    """The same with floating-point batches thinned: identities and bounds need few rows at full vocabulary size."""
    if draw.exact:
        return instance
    return {name: x[:: max(1, len(x) // rows)] if np.ndim(x) > 1 else x for name, x in instance.items()}


def some_step(draw: Draw, low: int = 1, also: Sequence[str] = (), rows: int = 48) -> dict[str, Any]:
    """A target, a draft and a β; further laws by name."""
    n = draw.vocab(low)
    p, q = draw.pair(n)
    laws = {"p": p, "q": q, **{name: draw.law(n) for name in also}}
    return {**few_rows(draw, laws, rows), "beta": draw.number(*BETA)}


def fresh_ears(beta: Any) -> Method:
    """EARS in the other printed reading of its last step: after a rejection a fresh draw from p."""
    return ears(beta)._replace(residual=fresh)


def tolerance(p: Array, beta: Any) -> Array:
    """β(1 − max p), with an axis for the tokens.

    >>> tolerance(law("3/4", "1/4"), F(1, 2)).tolist()
    [Fraction(1, 8)]
    """
    return beta * np.asarray(one_minus_max(p))[..., None]


def pardoned(p: Array, q: Array, beta: Any) -> Array:
    """Mass of each token that only the pardon path accepts, by the closed form min((q − p)₊, t q).

    >>> pardoned(law("3/4", "1/4"), law("1/4", "3/4"), F(1, 2)).tolist()
    [0, Fraction(3, 32)]
    """
    return np.minimum(np.maximum(q - p, 0), tolerance(p, beta) * q)


# --- where the output law is p --------------------------------------------------------------------------------------

BETA_ZERO_FRESH = Claim(
    name="ears.beta-zero.fresh",
    kind="identity",
    statement=r"At $\beta = 0$ the emitted token has the law $p$ (rejected: a fresh draw from $p$)",
    reference="EARS, first experiment 1 (β = 0), with step 6 read as a fresh draw",
    instances=some_step,
    lhs=lambda p, q: output_law(fresh_ears(0), p, q),
    rhs=lambda p: p,
    relation=equal,
    corrected_by=("ears.beta-zero.fresh-corrected", "ears.beta-zero.residual"),
    note="The output is min(p, q) + (1 − α)p: tokens that the draft proposes too often are already served by the "
    "drafts, and the fresh draw serves them again. TV to p is Σ(min(p, q) − αp)₊.",
)

BETA_ZERO_RESIDUAL = Claim(
    name="ears.beta-zero.residual",
    kind="identity",
    statement=r"At $\beta = 0$ the emitted token has the law $p$ (rejected: a draw from the residual)",
    reference="EARS, first experiment 1 (β = 0), with step 6 read as speculative decoding's residual",
    instances=some_step,
    lhs=lambda p, q: output_law(ears(0), p, q),
    rhs=lambda p: p,
    relation=equal,
    note="At β = 0 the rule is speculative decoding: claim sd.lossless.",
)


def _often_proportional(draw: Draw) -> Instance:
    """Steps whose draft is, every other time, proportional to the target where the target has mass."""
    step = some_step(draw)
    p, share, extra = step["p"], draw.number(0, 1), draw.law(len(step["p"]))
    if draw.integer(0, 1):
        outside = normalise(np.where(p > 0, 0, extra), otherwise=p)
        step["q"] = (1 - share) * p + share * outside
    return {**step, "beta": step["beta"] * draw.integer(0, 1)}


def _proportional(p: Array, q: Array) -> bool:
    """Whether q is a multiple of p (0 counts) on the support of p."""
    return bool((np.where(p > 0, q - np.where(p > 0, q, 0).sum() * p, 0) == 0).all())


def _truth(flag: Any) -> Any:
    return F(1) if flag else F(0)


BETA_ZERO_FRESH_CORRECTED = Claim(
    name="ears.beta-zero.fresh-corrected",
    kind="identity",
    statement=r"With a fresh draw after a rejection, $\beta = 0$ gives the law $p$ if and only if $q$ is proportional "
    r"to $p$ on the support of $p$",
    reference="correction of EARS at β = 0, fresh reading",
    instances=_often_proportional,
    lhs=lambda p, q: _truth(bias(fresh_ears(0), p, q) == 0),
    rhs=lambda p, q: _truth(_proportional(p, q)),
    relation=equal,
    sources=("exact",),
    note="min(p, q) + (1 − α)p = p exactly when min(p, q) = αp: for α < 1 that says q = αp wherever p > 0, for α = 1 "
    "that q = p. A draft that only wastes mass outside the support of p is harmless in both readings.",
)


def _fidelity(name: str, method: Any, reading: str, note: str, corrections: tuple[str, ...]) -> Claim:
    return Claim(
        name=name,
        kind="identity",
        statement=rf"EARS preserves “distributional fidelity”: the emitted token has the law $p$ ({reading})",
        reference="EARS, Mechanism 2 (open question 2)",
        instances=some_step,
        lhs=lambda p, q, beta: output_law(method(beta), p, q),
        rhs=lambda p: p,
        relation=equal,
        corrected_by=corrections,
        note=note,
    )


FIDELITY_FRESH = _fidelity(
    "ears.fidelity.fresh",
    fresh_ears,
    "rejected: a fresh draw",
    "Both the pardoned mass and the fresh draw push tokens with q > p above p; it fails even at β = 0.",
    ("ears.fidelity.fresh-corrected", "ears.bias.fresh"),
)
FIDELITY_RESIDUAL = _fidelity(
    "ears.fidelity.residual",
    ears,
    "rejected: the residual",
    "Pardoned mass lies on tokens whose whole target mass is kept already; none of it can be taken back after a rejection.",
    ("ears.fidelity.residual-corrected", "ears.bias.residual", "ears.fidelity.any-residual"),
)

FIDELITY_FRESH_CORRECTED = Claim(
    name="ears.fidelity.fresh-corrected",
    kind="identity",
    statement=r"With a fresh draw after a rejection EARS emits the law $p$ if and only if $q = p$, or $\beta(1 - \max "
    r"p) = 0$ and $q$ is proportional to $p$ on the support of $p$",
    reference="correction of EARS, Mechanism 2, fresh reading",
    instances=_often_proportional,
    lhs=lambda p, q, beta: _truth(bias(fresh_ears(beta), p, q) == 0),
    rhs=lambda p, q, beta: _truth((p == q).all() or (tolerance(p, beta)[0] == 0 and _proportional(p, q))),
    relation=equal,
    sources=("exact",),
    note="The output is p exactly when k = κp, κ = Σk ≤ 1. For t > 0 and q ≠ p some token has q > p, and there k > p; "
    "for t = 0 it is ears.beta-zero.fresh-corrected.",
)

FIDELITY_RESIDUAL_CORRECTED = Claim(
    name="ears.fidelity.residual-corrected",
    kind="identity",
    statement=r"With the residual after a rejection EARS emits the law $p$ if and only if $\beta(1 - \max p) = 0$ or "
    r"$q = p$: wherever it can pardon at all, it is biased",
    reference="correction of EARS, Mechanism 2, residual reading",
    instances=_often_proportional,
    lhs=lambda p, q, beta: _truth(bias(ears(beta), p, q) == 0),
    rhs=lambda p, q, beta: _truth((p == q).all() or tolerance(p, beta)[0] == 0),
    relation=equal,
    sources=("exact",),
    note="TV is the pardoned mass G = Σ min((q − p)₊, tq), claim ears.bias.residual; for q ≠ p some token has q > p.",
)

# --- the tolerance --------------------------------------------------------------------------------------------------


def _heated(draw: Draw) -> Instance:
    weights = draw.weights(draw.vocab())
    low, more = (draw.integer(0, 3) if draw.exact else draw.number(0, 3) for _ in range(2))
    return few_rows(draw, {"u": weights, "a": low + more, "b": low, "beta": draw.number(*BETA)})


HOTTER = "the second temperature is not lower: b ≤ a"

TEMPERATURE = Claim(
    name="ears.temperature",
    kind="bound",
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
)


def _certain(draw: Draw) -> Instance:
    step = some_step(draw)
    p = step["p"]
    hot = (np.arange(p.shape[-1]) == np.asarray(p.argmax(axis=-1))[..., None]).astype(int)
    return {**step, "p": exact(hot) if draw.exact else hot.astype(p.dtype)}


CERTAIN = "one token has probability one"

CERTAIN_TARGET = Claim(
    name="ears.certain-target",
    kind="identity",
    statement=r"Where $\max p = 1$ the acceptance rule is that of speculative decoding",
    reference="EARS, Mechanism 1",
    instances=_certain,
    assumes={CERTAIN: lambda p: bool(np.all(p.max(axis=-1) == 1))},
    lhs=lambda p, q, beta: ears(beta).keep(p, q),
    rhs=lambda p, q: SD.keep(p, q),
    relation=equal,
    outside={CERTAIN: {"p": HALF, "q": law(1, 0), "beta": F(1)}},
    note="The tolerance is β(1 − 1) = 0.",
)

CLAIMS = (
    BETA_ZERO_FRESH,
    BETA_ZERO_FRESH_CORRECTED,
    BETA_ZERO_RESIDUAL,
    FIDELITY_FRESH,
    FIDELITY_FRESH_CORRECTED,
    FIDELITY_RESIDUAL,
    FIDELITY_RESIDUAL_CORRECTED,
    TEMPERATURE,
    CERTAIN_TARGET,
)
