"""With well separated Gaussian logits, RDK accepts at least as often as TLI with probability 99.46 %.

`rdk.gaussian-advantage`, with its readings and corrections: RDK, Theorem 5.3 (restored).

Probabilities are certified by ball arithmetic.  The logits of the instances take two values, so that every law is a
function of one Gaussian difference D and "RDK is no worse" is a union of intervals of D with exact end points.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, broken, exact, eye, law, matrix, other_claim, probability
from simspec.claims.balls import ball
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import PRINTED, stochastic
from simspec.laws import Scalar
from simspec.laws.unchecked import overlap

__all__ = ["normal_cdf", "not_worse", "probability_beside_none", "probability_not_worse", "target"]


def normal_cdf(x: Any) -> Any:
    """Certified Φ(x) of a fraction or ball.

    >>> float(normal_cdf(0)), bool(normal_cdf(3) > 0.9986)
    (0.5, True)
    """
    return (-ball(x) / ball(2).sqrt()).erfc() / 2


def target(mass: Scalar, above: int, vocab: int) -> Array:
    """Target law whose first `above` tokens share `mass` equally, the others the rest.

    >>> target(F(1, 2), 1, 3).tolist()
    [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    """
    return exact([mass / above] * above + [(1 - mass) / (vocab - above)] * (vocab - above))


def not_worse(above: int, d: Array, M: Array, share: Scalar = 1) -> list[tuple[F, F]]:
    """Intervals of the mass t of the upper group on which α(p, Mᵀd) ≥ Σ min(p, share·d), up to single points.

    Both acceptance rates are linear in t between the masses at which some p_x meets an entry of share·d or of Mᵀd.

    >>> not_worse(1, law(0, 1), matrix("1 0", "1/2 1/2"))
    [(Fraction(1, 4), Fraction(1, 1))]
    """
    vocab = len(d)
    r = d @ M
    plain = share * d

    def gain(t: F) -> Any:
        p = target(t, above, vocab)
        return overlap(p, r) - overlap(p, plain)

    meets = [above * x for x in (*plain[:above], *r[:above])]
    meets += [1 - (vocab - above) * x for x in (*plain[above:], *r[above:])]
    ends = sorted({F(0), F(1), *(F(t) for t in meets if 0 < t < 1)})
    out: list[tuple[F, F]] = []
    for low, high in itertools.pairwise(ends):
        a = gain(low)
        b = gain(high)
        if min(a, b) < 0 and max(a, b) <= 0:
            continue
        root = low + (high - low) * a / (a - b) if min(a, b) < 0 < max(a, b) else None
        low_end, right = (root or low, high) if a < 0 else (low, root if b < 0 and root is not None else high)
        if out and out[-1][1] == low_end:
            low_end = out.pop()[0]
        out.append((low_end, right))
    return out


def probability_not_worse(above: int, mu_a: F, mu_b: F, sigma_a: F, sigma_b: F, rho: F, d: Array, M: Array) -> Any:
    r"""Certified P(α(p, Mᵀd) ≥ α(p, d)) for logits z_a on the first `above` tokens and z_b on the others.

    (z_a, z_b) is Gaussian with means μ, deviations σ and correlation ρ, so that D = z_a − z_b is Gaussian, or certain where
    ρ = 1 and σ_a = σ_b; the upper group's mass t solves :math:`t/(1-t) = e^D\,|A|/|B|`.

    >>> p = probability_not_worse(1, F(6), F(0), F(1), F(1), F(0), law(0, 1), matrix("1 0", "0 1"))
    >>> float(p)
    1.0
    """
    return _probability(above, mu_a - mu_b, _spread(sigma_a, sigma_b, rho), d, M, 1)


def probability_beside_none(share: Scalar, above: int, d: Array, M: Array, **normal: F) -> Any:
    """The same beside no redistribution: P(α(p, Mᵀd) ≥ Σ min(p, share·d)), `share` the draft's mass q(I).

    >>> normal = dict(mu_a=F(6), mu_b=F(0), sigma_a=F(1), sigma_b=F(1), rho=F(0))
    >>> float(probability_beside_none(F(1, 2), 1, law(0, 1), matrix("1 0", "0 1"), **normal))
    1.0
    """
    spread = _spread(normal["sigma_a"], normal["sigma_b"], normal["rho"])
    return _probability(above, normal["mu_a"] - normal["mu_b"], spread, d, M, share)


def _spread(sigma_a: F, sigma_b: F, rho: F) -> F:
    """Variance of z_a − z_b."""
    return sigma_a**2 + sigma_b**2 - 2 * rho * sigma_a * sigma_b


def _probability(above: int, mean: F, variance: F, d: Array, M: Array, share: Scalar) -> Any:
    below = len(d) - above
    if variance == 0 and mean == 0:
        p = target(F(above, len(d)), above, len(d))
        return ball(int(overlap(p, d @ M) >= overlap(p, share * d)))

    def cdf(t: F) -> Any:
        if t in (0, 1):
            return ball(t)
        limit = ball(t * below / ((1 - t) * above)).log() - ball(mean)
        # a certain D ≠ 0 is rational, and so never the logarithm of a rational number
        return normal_cdf(limit / ball(variance).sqrt()) if variance else ball(int(limit > 0))

    return sum((cdf(high) - cdf(low) for low, high in not_worse(above, d, M, share)), start=ball(0))


APART = "μ_a − 3σ_a ≥ μ_b + 3σ_b"
ROWS = "M is row-stochastic"


def _gaussian(draw: Draw) -> dict[str, Any]:
    sigma_a = F(draw.integer(1, 3))
    sigma_b = F(draw.integer(1, 3))
    mu_a = 3 * (sigma_a + sigma_b) + draw.integer(0, 2)
    step = draw.integer(0, 15)
    rho = F(step if step < 8 else step - 16, 8)
    return {"mu_a": mu_a, "mu_b": F(0), "sigma_a": sigma_a, "sigma_b": sigma_b, "rho": rho, "above": draw.integer(1, 2)}


def _pruned_above(draw: Draw) -> Instance:
    """Every pruned token has a logit above every shared one: the drafter knows only the lower group."""
    gaussian = _gaussian(draw)
    below = draw.integer(1, 2)
    d = np.concatenate([exact([0] * gaussian["above"]), draw.law(below)])
    return {**gaussian, "d": d, "M": draw.matrix(len(d))}


def _apart(mu_a: F, mu_b: F, sigma_a: F, sigma_b: F) -> bool:
    return mu_a - 3 * sigma_a >= mu_b + 3 * sigma_b


_UNIT: dict[str, Any] = {"sigma_a": F(1), "sigma_b": F(1), "rho": F(0), "above": 1}
_CLEAR: dict[str, Any] = {"mu_a": F(6), "mu_b": F(0), **_UNIT}

GAUSSIAN_ADVANTAGE = probability(
    name="rdk.gaussian-advantage",
    statement=r"Gaussian logits with $\mu_a - 3\sigma_a \ge \mu_b + 3\sigma_b$: with probability at least 99.46 %, for any "
    r"row-stochastic $M$, $\alpha_{\mathrm{RDK}} \ge \alpha_{\mathrm{TLI}}$ (reading kindest to the theorem: it holds for "
    r"every pruned token $a$ and every shared token $b$)",
    reference="RDK, Theorem 5.3 (restored)",
    instances=_pruned_above,
    assumes={
        APART: _apart,
        ROWS: stochastic,
        "the drafter knows the lower tokens only": lambda d, above: (d[:above] == 0).all(),
    },
    lhs=probability_not_worse,
    rhs=lambda: ball(PRINTED),
    sources=("exact",),
    outside={
        APART: {**_CLEAR, "mu_a": F(0), "mu_b": F(6), "d": law(0, 1), "M": matrix("1 0", "1 0")},
        ROWS: {**_CLEAR, "d": law(0, 1), "M": matrix("1 0", "-1 2")},
        "the drafter knows the lower tokens only": {**_CLEAR, "d": law(1, 0), "M": matrix("0 1", "0 1")},
    },
    within=(
        {
            **_CLEAR,
            "d": law(0, "1/2", "1/2"),
            "M": matrix("1/100 1/100 49/50", "1/100 1/100 49/50", "1/100 1/100 49/50"),
        },
    ),
    corrected_by=("rdk.gaussian-advantage-corrected",),
    proof_steps=("rdk.two-events",),
    note="M may move mass from one shared token onto another, which helps with no pruned token. Readings considered: some pair "
    "a, b; and (as here) every pruned a above every shared b. A counterexample to the second refutes the first too.",
    printed=Printed(
        place="RDK, Theorem 5.3",
        text="Then with probability 99.46%, under 4.1, we have …",
        read=r"The kindest reading: of logits with $\mu_a - 3\sigma_a \ge \mu_b + 3\sigma_b$, for every "
        "row-stochastic matrix.",
        restored="the condition on the logits and the conclusion, from B.4",
    ),
)


def _from_b(draw: Draw) -> Instance:
    """A drafter with half of its mass or more on the first token of the lower group, and a matrix that moves the excess."""
    gaussian = _gaussian(draw)
    below = draw.integer(1, 2)
    above = gaussian["above"]
    M = eye(above + below, True)
    d = (draw.law(above + below) + M[above]) / 2
    moved_share = draw.number(0, 1) * (d[above] - F(1, 2)) / d[above]
    M[above] = (1 - moved_share) * M[above] + moved_share * draw.law(above + below)
    return {**gaussian, "d": d, "M": M}


def _moves_excess(above: int, d: Array, M: Array) -> bool:
    others = [i for i in range(len(d)) if i != above]
    return bool(all(M[i, i] == 1 or d[i] == 0 for i in others) and d[above] * M[above, above] >= F(1, 2))


EXCESS = "M takes mass from b only, and leaves b at least one half"

GAUSSIAN_ADVANTAGE_CORRECTED = probability(
    name="rdk.gaussian-advantage-corrected",
    statement=r"Gaussian logits with $\mu_a - 3\sigma_a \ge \mu_b + 3\sigma_b$ and a row-stochastic $M$ that takes mass from $b$ "
    r"only and leaves $q'_b M_{bb} \ge \tfrac12$: $\alpha_{\mathrm{RDK}} \ge \alpha_{\mathrm{TLI}}$ with probability at "
    r"least $\Phi(3) = 99.865\ \%$, whatever the correlation",
    reference="correction of RDK, Theorem 5.3",
    instances=_from_b,
    assumes={APART: _apart, ROWS: stochastic, EXCESS: _moves_excess},
    lhs=probability_not_worse,
    rhs=lambda: normal_cdf(3),
    sources=("exact",),
    outside={
        APART: {**_CLEAR, "mu_a": F(0), "d": law(0, 1), "M": matrix("1 0", "1/2 1/2")},
        ROWS: {**_CLEAR, "d": law(0, 1), "M": matrix("1 0", "-1 1")},
        EXCESS: {**_CLEAR, "d": law(0, "1/2", "1/2"), "M": matrix("1 0 0", "0 1 0", "0 1 0")},
    },
    note="z_a − z_b has mean ≥ 3(σ_a + σ_b) and deviation ≤ σ_a + σ_b, so P(z_a > z_b) ≥ Φ(3), with equality at ρ = −1; then "
    "p_b < ½, and what M takes from b is drafter kernel (rdk.never-worse-corrected). At ρ = 1 and σ_a = σ_b it is certain.",
    broken=[
        broken("Φ(4) in place of the bound", rhs=lambda: normal_cdf(4)),
        broken(
            "the two means are exchanged",
            lhs=lambda above, mu_a, mu_b, sigma_a, sigma_b, rho, d, M: probability_not_worse(
                above=above, mu_a=mu_b, mu_b=mu_a, sigma_a=sigma_a, sigma_b=sigma_b, rho=rho, d=d, M=M
            ),
        ),
    ],
)


def _with_share(instances: Callable[[Draw], Instance]) -> Callable[[Draw], Instance]:
    return lambda draw: {**instances(draw), "share": F(draw.integer(1, 8), 8)}


SHARE = "share is the draft's mass on the shared vocabulary, positive and at most 1"
_OVER: dict[str, Any] = {**_CLEAR, "d": law(0, "9999/10000", "1/10000"), "M": eye(3, True), "share": F(2)}
_HALVES: dict[str, Any] = {"d": law(0, "1/2", "1/2"), "M": matrix("1 0 0", "0 0 1", "0 0 1")}

VANILLA = probability(
    name="rdk.gaussian-advantage.vanilla",
    statement=r"Gaussian logits, those of pruned tokens above the shared ones ($\mu_a - 3\sigma_a \ge \mu_b + 3\sigma_b$): with "
    r"probability at least 99.46 %, for any row-stochastic $M$, RDK accepts at least as often as the sampler without "
    r"redistribution, $\alpha_{\mathrm{RDK}} \ge \sum_{x \in I} \min(p_x, q_x)$",
    reference="RDK, lead-in of Theorem 5.3, abstract and 7",
    instances=_with_share(_pruned_above),
    assumes={**GAUSSIAN_ADVANTAGE.assumes, SHARE: lambda share: 0 < share <= 1},
    lhs=probability_beside_none,
    rhs=lambda: ball(PRINTED),
    sources=("exact",),
    against=({**_CLEAR, **_HALVES, "share": F(1, 2)},),
    outside={
        **{name: {**case, "share": F(1)} for name, case in GAUSSIAN_ADVANTAGE.outside.items()},
        SHARE: _OVER,
    },
    within=(
        {
            **_CLEAR,
            "d": law(0, "1/2", "1/2"),
            "M": matrix(
                "98/100 1/100 1/100", "1/1000000 1/1000000 999998/1000000", "1/1000000 1/1000000 999998/1000000"
            ),
            "share": F(1, 2),
        },
    ),
    corrected_by=("rdk.gaussian-advantage.vanilla-corrected",),
    note="Without redistribution a draft proposes q on I and nothing else: share times the law d of TLI. It is TLI "
    "where the draft has all "
    "its mass there, and the same useless M loses to it; with half of the mass it loses too.",
)


def _all_shared(draw: Draw) -> Instance:
    """A draft with all its mass on the shared vocabulary: no redistribution is TLI."""
    return {**other_claim("rdk.gaussian-advantage.vanilla-corrected").instances(draw), "share": F(1)}


VANILLA_CORRECTED = probability(
    name="rdk.gaussian-advantage.vanilla-corrected",
    statement=r"Gaussian logits with $\mu_a - 3\sigma_a \ge \mu_b + 3\sigma_b$ and a row-stochastic $M$ that takes mass from $b$ "
    r"only and leaves $q'_b M_{bb} \ge \tfrac12$: $\alpha_{\mathrm{RDK}} \ge \sum_{x \in I} \min(p_x, q_x)$ with probability "
    r"at least $\Phi(3) = 99.865\ \%$",
    reference="correction of RDK, lead-in of Theorem 5.3",
    instances=_with_share(_from_b),
    assumes={**GAUSSIAN_ADVANTAGE_CORRECTED.assumes, SHARE: lambda share: 0 < share <= 1},
    lhs=probability_beside_none,
    rhs=lambda: normal_cdf(3),
    sources=("exact",),
    outside={
        **{name: {**case, "share": F(1)} for name, case in GAUSSIAN_ADVANTAGE_CORRECTED.outside.items()},
        SHARE: _OVER,
    },
    note="TLI accepts at least what no redistribution accepts, token by token (rdk.tli-vs-none), and RDK at least what TLI "
    "accepts (rdk.gaussian-advantage-corrected).",
    broken=[
        broken(
            "all mass shared, where no redistribution is TLI, against Φ(4)",
            instances=_all_shared,
            rhs=lambda: normal_cdf(4),
        ),
        broken(
            "the two means are exchanged",
            lhs=lambda mu_a, mu_b, **rest: probability_beside_none(mu_a=mu_b, mu_b=mu_a, **rest),
        ),
    ],
)
