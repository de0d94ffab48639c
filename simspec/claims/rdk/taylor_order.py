"""For an affinity of rank one, the linear-time approximations are off by O(τ⁻²), with an explicit constant.

`rdk.taylor-order`, its sharper form, how near one comes to that: RDK, Theorem 5.4.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import (
    Array,
    Broken,
    Draw,
    F,
    Instance,
    at_least,
    broken,
    close,
    exact,
    law,
    matrix,
    positive,
    rate,
    swapped,
)
from simspec.claims.balls import enclose
from simspec.claims.claim import Evidence, Printed
from simspec.claims.deciding.data import Data
from simspec.claims.rdk.first_order import (
    BLOW_UP,
    FORMS,
    TILT,
    errors_of_forms,
    near_best,
    normalised_term,
    spread_of,
    tilt_of,
    two_kinds,
)
from simspec.claims.rdk.parts import factors
from simspec.laws import Scalar

RANK_ONE = "Ω_ij = c_i p_j exactly"


def _rank_one(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    p, q = draw.pair(n)
    p = p if p.ndim == 1 else p[0]
    c = factors(draw, n)
    return {"p": p, "q": q, "c": c, "omega": c[:, None] * p, "tau": positive(draw)}


def _rank_one_constants(p: Array, q: Array, c: Array, tau: Scalar) -> Array:
    s = tilt_of(q, c)
    square = (q * c * c).sum(axis=-1)
    spread = spread_of(p) ** 2 / 4
    constants = [spread * square, spread * square + normalised_term(p, s), spread * (square - s * s)]
    return np.stack([enclose(k / tau**2) for k in constants])


def _fitted(data: Data) -> list[Evidence]:
    """Exponents of the error in 1/τ fitted over a factor of 64 of temperatures, V = 256, softmax of random logits."""
    from simspec.claims.draw import FloatDraw

    draw = FloatDraw(data.seed, 256, rows=1, matrix=256)
    p, q = (x[0] for x in draw.pair(256))
    omega = 64 * p[:, None] * p
    taus = [float(omega.max()) * 2.0**k for k in range(1, 8)]
    errors = np.array([errors_of_forms(p, q, 64 * p, omega, tau) for tau in taus])
    slopes = np.polyfit(-np.log(taus), np.log(np.maximum(errors, 1e-300)), 1)[0]
    return [
        Evidence(f"exponent of 1/τ in the error of the {form.__name__} form", None, len(taus), float(e))
        for form, e in zip(FORMS, slopes, strict=True)
    ]


TAYLOR_ORDER = rate(
    name="rdk.taylor-order",
    statement=r"If $\Omega_{ij} = c_i p_j$ then $\lVert \hat r - M^\top q'\rVert_1 \le C/\tau^2$ for each of the three variants, "
    r"with $C = \tfrac14\rho^2\sum_i q'_i c_i^2$ (affine), plus $s^2\lVert p - 1/V\rVert_1/V^2$ (normalised), "
    r"$\tfrac14\rho^2\sum_i q'_i (c_i - s)^2$ (exponential), $\rho = \max p - \min p$, $s \ge 0$",
    reference="RDK, Theorem 5.4",
    instances=_rank_one,
    assumes={
        RANK_ONE: lambda omega, c, p: close(omega, c[:, None] * p),
        TILT: lambda q, c: bool(np.all(tilt_of(q, c) >= 0)),
    },
    lhs=errors_of_forms,
    rhs=_rank_one_constants,
    tight=({"p": law(1, 0), "q": law(1, 0), "c": law(0, 0), "omega": matrix("0 0", "0 0"), "tau": F(1)},),
    outside={
        RANK_ONE: {
            **{"p": law("1/2", "1/2"), "q": law(1, 0), "c": law(0, 0), "omega": matrix("1 0", "0 1"), "tau": F(1)}
        },
        TILT: {**BLOW_UP, "omega": matrix("-19/10 0", "0 0")},
    },
    evidence=_fitted,
    corrected_by=("rdk.taylor-order-sharp",),
    note="Each row is softmax(c_i p/τ). For a covariance the hypothesis forces Ω = κppᵀ with κ ≥ 0, so s ≥ 0; and rows "
    "of a covariance of probabilities or one-hot tokens sum to zero, so there it forces Ω = 0 and the theorem is "
    "empty. Only the normalised form needs s ≥ 0. The exponential form is exact where c is constant.",
    printed=Printed(
        place="RDK 5.2, before Theorem 5.4",
        text="coincides with the exact, full RDK from Algorithm 1 up to first order in …",
        read=r"The ℓ1 distance is at most a constant over $\tau^2$, where the covariance is exactly $c_i p_j$.",
        restored="the theorem, from B.2, and Eq. 3 in three forms",
    ),
    broken=[
        Broken("a third of the bound", lambda claim: {"rhs": lambda p, q, c, tau: claim.rhs(p, q, c, tau) / 3}),
        Broken(
            "the bounds in reverse order", lambda claim: {"rhs": lambda p, q, c, tau: claim.rhs(p, q, c, tau)[::-1]}
        ),
    ],
)


def _sharp_rank_one_constants(p: Array, q: Array, c: Array, tau: Scalar) -> Array:
    s = enclose(tilt_of(q, c))
    square = enclose((q * c * c).sum(axis=-1))
    root = np.sqrt(enclose(F(3))) / 18 if p.dtype == object else 3**0.5 / 18
    spread = root * enclose(spread_of(p) ** 2)
    normalising = enclose(normalised_term(p, tilt_of(q, c)))
    constants = [spread * square, spread * square + normalising, spread * (square - s * s)]
    return np.stack([k / enclose(tau**2) for k in constants])


_QUARTER_MASS = exact([F(1, 4)] * 4 + [0] * 15)

TAYLOR_ORDER_SHARP = rate(
    name="rdk.taylor-order-sharp",
    statement=r"If $\Omega_{ij} = c_i p_j$ then $\lVert \hat r - M^\top q'\rVert_1 \le C/\tau^2$ with $C = "
    r"\tfrac{\sqrt3}{18}\rho^2\sum_i q'_i c_i^2$ (affine), plus $s^2\lVert p - 1/V\rVert_1/V^2$ (normalised), "
    r"$\tfrac{\sqrt3}{18}\rho^2\sum_i q'_i (c_i - s)^2$ (exponential), $\rho = \max p - \min p$, $s \ge 0$",
    reference="own statement, sharpening RDK Theorem 5.4",
    instances=_rank_one,
    assumes=TAYLOR_ORDER.assumes,
    lhs=errors_of_forms,
    rhs=_sharp_rank_one_constants,
    tight=(
        *TAYLOR_ORDER.tight,
        # a target uniform on 4 of 19 tokens: nearly the share (1 - 1/√3)/2 at which the affine bound is met as τ grows
        {
            **{"p": _QUARTER_MASS, "q": law(1, *[0] * 18), "c": law(4, *[0] * 18), "tau": F(1000)},
            "omega": exact([4] + [0] * 18)[:, None] * _QUARTER_MASS,
        },
    ),
    outside=TAYLOR_ORDER.outside,
    note="All rows lie on the curve softmax(t p/τ), at t = c_i; the affine form is its tangent at 0, the exponential one at s. "
    "The second derivative as in rdk.taylor-order-general-sharp, whose two levels are softmax(t p) for p uniform on some tokens. "
    "No smaller factor serves every V: rdk.taylor-order-sharp.approached.",
    broken=[swapped()],
)


def _errors_of_levels(upper: int, lower: int, tau: Scalar) -> Array:
    """The errors of the three forms: a target uniform on the upper tokens, factors m and −m on half of the draft each."""
    vocab = upper + lower
    p = exact([F(int(token < upper), upper) for token in range(vocab)])
    q, c = (
        exact([half_of_first, half_of_second] + [0] * (vocab - 2))
        for half_of_first, half_of_second in ((F(1, 2), F(1, 2)), (upper, -upper))
    )
    return errors_of_forms(p, q, c, c[:, None] * p, tau)


TAYLOR_ORDER_APPROACHED = rate(
    name="rdk.taylor-order-sharp.approached",
    statement=r"$p$ uniform on $m$ of $m + n$ tokens, half of $q'$ on a token with $c = m$ and half on one with $c = -m$: for "
    r"each of the three forms $\lVert \hat r - M^\top q'\rVert_1 \ge \big(\tfrac{\sqrt3}{18} - 3(\tfrac m{m + n} - \hat w)^2 - "
    r"\tfrac1{24\tau}\big)\,\rho^2 \sum_i q'_i c_i^2/\tau^2$ with $\hat w = (1 - 1/\sqrt3)/2$: no factor below "
    r"$\tfrac{\sqrt3}{18}$ serves every $V$ and $\tau$",
    reference="own statement, sharpening RDK Theorem 5.4",
    instances=two_kinds,
    relation=at_least,
    lhs=_errors_of_levels,
    rhs=lambda upper, lower, tau: np.stack([near_best(upper, lower, 1 / tau)] * 3),
    tight=({"upper": 4, "lower": 15, "tau": F(1000)},),
    sources=("exact",),
    note="Here s = Σ q' c is 0, ρ is 1/m and ρ² Σ q' c² is 1; every form is the uniform law.",
    broken=[
        broken("√3/18 at the limit", rhs=lambda tau: np.stack([np.sqrt(enclose(F(3))) / 18 / enclose(tau**2)] * 3))
    ],
)
