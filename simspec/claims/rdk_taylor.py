r"""Claims about the order of RDK's linear-time forms in the temperature, each with an explicit constant.

All rest on one bound: :math:`f(t) = \mathrm{softmax}(t x)` has :math:`\lVert f''(t)\rVert_1 \le 2\,\mathrm{Var}_{f}(x)
\le \tfrac12\,\mathrm{range}(x)^2`, so the first-order remainder is at most :math:`t^2\,\mathrm{range}(x)^2/4`.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.balls import enclose
from simspec.claims.claim import Claim, Evidence, Instance, at_most
from simspec.claims.data import Data
from simspec.claims.draw import Draw
from simspec.claims.rdk_parts import close, factors, matrix, norm1, positive
from simspec.claims.rdk_series import eq2
from simspec.claims.sd import law
from simspec.laws import Array, exact
from simspec.methods import affine, exponential, first_order, normalised

__all__ = ["CLAIMS", "assembled"]

FORMS = (affine, normalised, exponential)
RANK_ONE = "Ω_ij = c_i p_j exactly"
TILT = "s is not negative"


def _tilt(q: Array, c: Array) -> Any:
    return (q * c).sum(axis=-1)


def _range(x: Array) -> Any:
    return x.max(axis=-1) - x.min(axis=-1)


def _errors(p: Array, q: Array, c: Array, omega: Array, tau: Any) -> Array:
    """‖r̂ − Mᵀq'‖₁ of the affine, normalised and exponential form."""
    prior, v = enclose(p), enclose(q)
    r = v @ eq2(omega, tau)
    return np.stack([norm1(form(prior, enclose(c), enclose(tau))(v) - r) for form in FORMS])


def _normalised_term(p: Array, s: Any) -> Any:
    """τ²‖normalised − affine‖₁ is at most this for s ≥ 0."""
    return s * s * norm1(p - F(1, len(p)) if p.dtype == object else p - 1 / len(p)) / len(p) ** 2


def _rank_one(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    p, q = draw.pair(n)
    p = p if p.ndim == 1 else p[0]
    c = factors(draw, n)
    return {"p": p, "q": q, "c": c, "omega": c[:, None] * p, "tau": positive(draw)}


def _rank_one_constants(p: Array, q: Array, c: Array, tau: Any) -> Array:
    s, square, spread = _tilt(q, c), (q * c * c).sum(axis=-1), _range(p) ** 2 / 4
    constants = [spread * square, spread * square + _normalised_term(p, s), spread * (square - s * s)]
    return np.stack([enclose(k / tau**2) for k in constants])


def _fitted(data: Data) -> list[Evidence]:
    """Exponents of the error in 1/τ fitted over a factor of 64 of temperatures, V = 256, softmax of random logits."""
    from simspec.claims.draw import FloatDraw

    draw = FloatDraw(data.seed, 256, rows=1, matrix=256)
    p, q = (x[0] for x in draw.pair(256))
    omega = 64 * p[:, None] * p
    taus = [float(omega.max()) * 2.0**k for k in range(1, 8)]
    errors = np.array([_errors(p, q, 64 * p, omega, tau) for tau in taus])
    slopes = np.polyfit(-np.log(taus), np.log(np.maximum(errors, 1e-300)), 1)[0]
    return [
        Evidence(f"exponent of 1/τ in the error of the {form.__name__} form", None, len(taus), float(e), None, None)
        for form, e in zip(FORMS, slopes, strict=True)
    ]


_BLOW_UP: dict[str, Any] = {"p": law(1, 0), "q": law(1, 0), "c": law("-19/10", 0), "tau": F(1)}

TAYLOR_ORDER = Claim(
    name="rdk.taylor-order",
    kind="rate",
    statement=r"If $\Omega_{ij} = c_i p_j$ then $\lVert \hat r - M^\top q'\rVert_1 \le C/\tau^2$ for each of the three variants, "
    r"with $C = \tfrac14\rho^2\sum_i q'_i c_i^2$ (affine), plus $s^2\lVert p - 1/V\rVert_1/V^2$ (normalised), "
    r"$\tfrac14\rho^2\sum_i q'_i (c_i - s)^2$ (exponential), $\rho = \max p - \min p$, $s \ge 0$",
    reference="RDK, Theorem 5.4",
    instances=_rank_one,
    assumes={
        RANK_ONE: lambda omega, c, p: close(omega, c[:, None] * p),
        TILT: lambda q, c: bool(np.all(_tilt(q, c) >= 0)),
    },
    lhs=_errors,
    rhs=_rank_one_constants,
    relation=at_most,
    tight=({"p": law(1, 0), "q": law(1, 0), "c": law(0, 0), "omega": matrix("0 0", "0 0"), "tau": F(1)},),
    outside={
        RANK_ONE: {
            **{"p": law("1/2", "1/2"), "q": law(1, 0), "c": law(0, 0), "omega": matrix("1 0", "0 1"), "tau": F(1)},
        },
        TILT: {**_BLOW_UP, "omega": matrix("-19/10 0", "0 0")},
    },
    evidence=_fitted,
    corrected_by=("rdk.taylor-order-sharp",),
    note="Each row is softmax(c_i p/τ). For a covariance the hypothesis forces Ω = κppᵀ with κ ≥ 0, so s ≥ 0; and rows of a "
    "covariance of probabilities or one-hot tokens sum to zero, so there it forces Ω = 0 and the theorem is empty. Only the "
    "normalised form needs s ≥ 0. The "
    "exponential form is exact where c is constant.",
)


def _sharp_rank_one_constants(p: Array, q: Array, c: Array, tau: Any) -> Array:
    s, square = enclose(_tilt(q, c)), enclose((q * c * c).sum(axis=-1))
    root = np.sqrt(enclose(F(3))) / 18 if p.dtype == object else 3**0.5 / 18
    spread, normalising = root * enclose(_range(p) ** 2), enclose(_normalised_term(p, _tilt(q, c)))
    constants = [spread * square, spread * square + normalising, spread * (square - s * s)]
    return np.stack([k / enclose(tau**2) for k in constants])


_QUARTER_MASS = exact([F(1, 4)] * 4 + [0] * 15)

TAYLOR_ORDER_SHARP = Claim(
    name="rdk.taylor-order-sharp",
    kind="rate",
    statement=r"The same with $\tfrac{\sqrt3}{18}$ in place of each $\tfrac14$; no smaller factor serves the affine and the "
    r"exponential form for every $V$",
    reference="own statement, sharpening RDK Theorem 5.4",
    instances=_rank_one,
    assumes=TAYLOR_ORDER.assumes,
    lhs=_errors,
    rhs=_sharp_rank_one_constants,
    relation=at_most,
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
    "The second derivative as in rdk.taylor-order-general-sharp, whose two levels are softmax(t p) for p uniform on some tokens.",
)


def _any_omega(draw: Draw) -> dict[str, Any]:
    """Ω = U diag(λ) Uᵀ + diag, of any sign."""
    n = draw.vocab(matrix=True)
    if draw.exact:
        rank = draw.integer(1, 2)
        U = exact([[draw.integer(-1, 2) for _ in range(rank)] for _ in range(n)])
        lam, diag = (exact([draw.integer(-1, 1) for _ in range(k)]) for k in (rank, n))
        return {"U": U, "lam": lam, "diag": diag, "q": draw.law(n), "tau": positive(draw)}
    U = draw.law(n)[:3].T
    lam, diag = np.array([draw.number(-1, 1) for _ in U.T]), draw.number(-1, 1) * draw.law(n)[0]
    scale = float(abs(assembled(U, lam, diag)).max())
    return {"U": U, "lam": lam, "diag": diag, "q": draw.law(n), "tau": positive(draw) * scale}


def assembled(U: Array, lam: Array, diag: Array) -> Array:
    """U diag(λ) Uᵀ + diag(diag), dense.

    >>> assembled(exact([[1], [2]]), exact([1]), exact([1, 0])).tolist()[0]
    [Fraction(2, 1), Fraction(2, 1)]
    """
    return (U * lam) @ U.T + np.diag(diag)


def _first_order_error(U: Array, lam: Array, diag: Array, q: Array, tau: Any) -> Any:
    r = enclose(q) @ eq2(assembled(U, lam, diag), tau)
    return norm1(enclose(first_order(U, lam, diag, tau)(q)) - r)


def _first_order_constant(U: Array, lam: Array, diag: Array, q: Array) -> Any:
    return (q * _range(assembled(U, lam, diag)) ** 2).sum(axis=-1) / 4


TAYLOR_ORDER_GENERAL = Claim(
    name="rdk.taylor-order-general",
    kind="rate",
    statement=r"For every $\Omega$ the general first-order form satisfies $\lVert \hat r - M^\top q'\rVert_1 \le C/\tau^2$ with "
    r"$C = \tfrac14\sum_i q'_i\,(\max_j \Omega_{ij} - \min_j \Omega_{ij})^2$",
    reference="RDK, Theorem 5.4, without its hypothesis",
    instances=_any_omega,
    lhs=_first_order_error,
    rhs=lambda U, lam, diag, q, tau: enclose(_first_order_constant(U, lam, diag, q) / tau**2),
    relation=at_most,
    tight=({"U": matrix("1", "1"), "lam": law(1), "diag": law(0, 0), "q": law(1, 0), "tau": F(1)},),
    corrected_by=("rdk.taylor-order-general-sharp",),
    note="Row by row the remainder bound at t = 1/τ. The form costs O(V·R) on a factored Ω and needs no alignment with the "
    "target. It sums to one, but is a law only for τ ≥ ū − min u.",
)

TAYLOR_ORDER_GENERAL_SHARP = Claim(
    name="rdk.taylor-order-general-sharp",
    kind="rate",
    statement=r"The same with $C = \tfrac{\sqrt3}{18}\sum_i q'_i\,(\max_j \Omega_{ij} - \min_j \Omega_{ij})^2$, and no smaller "
    r"factor serves every $V$",
    reference="own statement, sharpening RDK Theorem 5.4",
    instances=_any_omega,
    lhs=_first_order_error,
    rhs=lambda U, lam, diag, q, tau: (
        enclose(_first_order_constant(U, lam, diag, q) * 4 / tau**2) * np.sqrt(enclose(F(3))) / 18
        if q.dtype == object
        else _first_order_constant(U, lam, diag, q) * 4 / tau**2 * 3**0.5 / 18
    ),
    relation=at_most,
    tight=tuple(
        # two levels, the upper on 4 of 19 tokens: nearly the share (1 - 1/√3)/2 at which the bound is met as τ grows
        {
            **{"U": exact([[1]] * 4 + [[0]] * 15), "lam": law(1), "diag": law(*[0] * 19)},
            **{"q": law(1, *[0] * 18), "tau": tau},
        }
        for tau in (F(10), F(1000))
    ),
    note="Half of the largest E|(X − μ)² − σ²| over laws on an interval of length one, which is √3/9: where the nearer end is "
    "within σ of μ, (σ² − u²)₊ lies below a parabola that vanishes at the farther end, else below a chord. Two levels with "
    "shares (1 ± 1/√3)/2 attain it; the shares being irrational, every V stays below.",
)

# --- Ω only nearly of the printed form ------------------------------------------------------------------------------


def _nearly(draw: Draw) -> Instance:
    """Ω = κppᵀ plus a diagonal of at most one per cent of κp_i²: a covariance, nearly of the form c_i p_j with c = κp."""
    n = draw.vocab(matrix=True)
    p, q = (x if x.ndim == 1 else x[0] for x in draw.pair(n))
    kappa = positive(draw)
    share = exact([F(draw.integer(0, 2), 200) for _ in range(n)]) if draw.exact else draw.number(0, 0.01)
    return {"p": p, "q": q, "kappa": kappa, "diag": share * kappa * p * p}


def _is_near(p: Array, kappa: Any, diag: Array) -> bool:
    return bool((diag >= 0).all() and (diag * 100 <= kappa * p * p * (1 + F(1, 10**9))).all())


def _coefficient(p: Array, c: Any, q: Array, U: Array, lam: Array, diag: Array) -> Any:
    """Coefficient of 1/τ in ‖r̂ − Mᵀq'‖₁: both first-order forms are linear in 1/τ, so their distance at τ = 1."""
    return norm1(affine(p, c, 1)(q) - first_order(U, lam, diag, 1)(q))


def _best_coefficient(p: Array, q: Array, kappa: Any, diag: Array) -> Any:
    """The smallest coefficient over all choices of the numbers c_i: it is convex and piecewise linear in s = Σ q'_i c_i."""
    rank_one = p[:, None], np.array([kappa])
    wanted = first_order(*rank_one, diag, 1)(q) * len(p) - 1  # u − ū
    slope = p - (F(1, len(p)) if p.dtype == object else 1 / len(p))
    bends = [w / x for w, x in zip(wanted, slope, strict=True) if x != 0]
    return min(_coefficient(p, s, q, *rank_one, diag) for s in (0, *bends))


NEAR = "Ω_ij is within one per cent of c_i p_j"

TAYLOR_ORDER_APPROXIMATE = Claim(
    name="rdk.taylor-order-approximate",
    kind="rate",
    statement=r"The three variants have $\lVert \hat r - M^\top q'\rVert_1 = O(\tau^{-2})$ where $\Omega_{ij} \approx c_i p_j$ "
    r"only approximately: if $|\Omega_{ij} - c_i p_j| \le c_i p_j/100$, then with the best choice of $c$ the coefficient "
    r"$\frac1V\lVert u - \bar u - s(p - \tfrac1V)\rVert_1$ of $\tau^{-1}$ is zero",
    reference="RDK, Theorem 5.4, with (6) as printed",
    instances=_nearly,
    assumes={NEAR: _is_near},
    lhs=_best_coefficient,
    rhs=lambda: 0,
    relation=at_most,
    outside={NEAR: {"p": law("1/2", "1/2"), "q": law(1, 0), "kappa": F(1), "diag": law(1, 0)}},
    corrected_by=("rdk.taylor-order-approximate-corrected", "rdk.taylor-order-general"),
    note="An error in Ω of any fixed size enters at order 1/τ, so “coincides up to first order” fails at first order. That the "
    "coefficient decides is rdk.taylor-order-approximate-corrected. Here Ω = κppᵀ + diag, and all c_i are tried.",
)


def _any_fit(draw: Draw) -> Instance:
    base = _any_omega(draw)
    n = base["q"].shape[-1]
    p = draw.law(n)
    return {**base, "p": p if p.ndim == 1 else p[0], "c": factors(draw, n) / (1 if draw.exact else n)}


def _distance_from_first_order(p: Array, q: Array, c: Array, U: Array, lam: Array, diag: Array, tau: Any) -> Array:
    """|‖r̂ − Mᵀq'‖₁ − coefficient/τ| of the three variants."""
    return abs(_errors(p, q, c, assembled(U, lam, diag), tau) - enclose(_coefficient(p, c, q, U, lam, diag) / tau))


def _fit_constants(p: Array, q: Array, c: Array, U: Array, lam: Array, diag: Array, tau: Any) -> Array:
    s, rest = _tilt(q, c), _first_order_constant(U, lam, diag, q)
    extra = [0 * s, _normalised_term(p, s), s * s * _range(p) ** 2 / 4]
    return np.stack([enclose((rest + e) / tau**2) for e in extra])


TAYLOR_ORDER_APPROXIMATE_CORRECTED = Claim(
    name="rdk.taylor-order-approximate-corrected",
    kind="rate",
    statement=r"For every $\Omega$, $c$ and $p$ with $s \ge 0$ the three variants have $\big|\lVert \hat r - M^\top q'\rVert_1 - "
    r"\frac{1}{\tau V}\lVert u - \bar u - s(p - \tfrac1V)\rVert_1\big| \le C/\tau^2$, "
    r"$C = \tfrac14\sum_i q'_i\,\mathrm{range}(\Omega_i)^2$ plus $0$ (affine), "
    r"$s^2\lVert p - 1/V\rVert_1/V^2$ (normalised), $\tfrac14 s^2\rho^2$ (exponential)",
    reference="correction of RDK, Theorem 5.4",
    instances=_any_fit,
    assumes={TILT: lambda q, c: bool(np.all(_tilt(q, c) >= 0))},
    lhs=_distance_from_first_order,
    rhs=_fit_constants,
    relation=at_most,
    tight=(
        {
            **{"p": law(1, 0), "q": law(1, 0), "c": law(0, 0), "tau": F(1)},
            **{"U": matrix("0", "0"), "lam": law(1), "diag": law(0, 0)},
        },
    ),
    outside={TILT: {**_BLOW_UP, "U": matrix("0", "0"), "lam": law(1), "diag": law(0, 0)}},
    note="Triangle inequality through the general first-order form, both ways: the error is of order 1/τ² if and only if the "
    "coefficient vanishes, that is if u − ū is s(p − 1/V).",
)

CLAIMS = (
    TAYLOR_ORDER,
    TAYLOR_ORDER_SHARP,
    TAYLOR_ORDER_GENERAL,
    TAYLOR_ORDER_GENERAL_SHARP,
    TAYLOR_ORDER_APPROXIMATE,
    TAYLOR_ORDER_APPROXIMATE_CORRECTED,
)
