"""For every affinity, the general first-order form is off by O(τ⁻²), with an explicit constant.

`rdk.taylor-order-general`, its sharper form, how near one comes to that: RDK, Theorem 5.4, without its hypothesis.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import (
    Array,
    Broken,
    F,
    Instance,
    at_least,
    broken,
    exact,
    law,
    matrix,
    norm1,
    rate,
    swapped,
)
from simspec.claims.balls import enclose
from simspec.claims.claim import Printed
from simspec.claims.rdk.first_order import (
    any_omega,
    assembled,
    first_order_constant,
    near_best,
    remainder_constant,
    two_kinds,
)
from simspec.claims.rdk.softmax import eq2
from simspec.laws import Scalar
from simspec.methods import first_order


def _first_order_error(U: Array, lam: Array, diag: Array, q: Array, tau: Scalar) -> Any:
    r = enclose(q) @ eq2(assembled(U, lam, diag), tau)
    return norm1(enclose(first_order(U, lam, diag, tau)(q)) - r)


TAYLOR_ORDER_GENERAL = rate(
    name="rdk.taylor-order-general",
    statement=r"For every $\Omega$ the general first-order form satisfies $\lVert \hat r - M^\top q'\rVert_1 \le C/\tau^2$ with "
    r"$C = \tfrac14\sum_i q'_i\,(\max_j \Omega_{ij} - \min_j \Omega_{ij})^2$",
    reference="RDK, Theorem 5.4, without its hypothesis",
    instances=any_omega,
    lhs=_first_order_error,
    rhs=lambda U, lam, diag, q, tau: enclose(first_order_constant(U, lam, diag, q) / tau**2),
    tight=({"U": matrix("1", "1"), "lam": law(1), "diag": law(0, 0), "q": law(1, 0), "tau": F(1)},),
    corrected_by=("rdk.taylor-order-general-sharp",),
    note="Row by row the remainder bound at t = 1/τ. The form costs O(V·R) on a factored Ω and needs no alignment with the "
    "target. It sums to one, but is a law only for τ ≥ ū − min u.",
    printed=Printed(
        place="RDK 5.2, before Theorem 5.4",
        text="coincides with the exact, full RDK from Algorithm 1 up to first order in …",
        read="Of the first-order form for every covariance, without the hypothesis of rank one.",
        restored="the general form, from the expansion in B.2",
    ),
    broken=[
        broken(
            "1/24 in place of the constant",
            rhs=lambda U, lam, diag, q, tau: enclose(remainder_constant(U, lam, diag, q) / tau**2 / 24),
        ),
        Broken(
            "twice the diagonal",
            lambda claim: {"lhs": lambda U, lam, diag, q, tau: claim.lhs(U, lam, 2 * diag, q, tau)},
        ),
    ],
)

TAYLOR_ORDER_GENERAL_SHARP = rate(
    name="rdk.taylor-order-general-sharp",
    statement=r"For every $\Omega$ the general first-order form satisfies $\lVert \hat r - M^\top q'\rVert_1 \le "
    r"C/\tau^2$ with $C = \tfrac{\sqrt3}{18}\sum_i q'_i\,(\max_j \Omega_{ij} - \min_j \Omega_{ij})^2$",
    reference="own statement, sharpening RDK Theorem 5.4",
    instances=any_omega,
    lhs=_first_order_error,
    rhs=lambda U, lam, diag, q, tau: (
        enclose(first_order_constant(U, lam, diag, q) * 4 / tau**2) * np.sqrt(enclose(F(3))) / 18
        if q.dtype == object
        else first_order_constant(U, lam, diag, q) * 4 / tau**2 * 3**0.5 / 18
    ),
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
    "shares (1 ± 1/√3)/2 attain it; the shares being irrational, every V stays below: rdk.taylor-order-general-sharp.approached.",
    broken=[swapped()],
)


def _levels(upper: int, lower: int, tau: Scalar) -> Instance:
    """Ω = u uᵀ with u = 1 on the upper tokens and −1 on the lower ones; half of the draft on one of each."""
    q = exact([F(int(token in (0, upper)), 2) for token in range(upper + lower)])
    return {"U": exact([[1]] * upper + [[-1]] * lower), "lam": law(1), "diag": 0 * q, "q": q, "tau": tau}


TAYLOR_ORDER_GENERAL_APPROACHED = rate(
    name="rdk.taylor-order-general-sharp.approached",
    statement=r"$\Omega = u u^\top$, $u$ being $1$ on $m$ tokens and $-1$ on $n$, half of $q'$ on one of each: $\lVert \hat r - "
    r"M^\top q'\rVert_1 \ge \big(\tfrac{\sqrt3}{18} - 3(\tfrac m{m + n} - \hat w)^2 - \tfrac t{24}\big) \sum_i "
    r"q'_i\,(\max_j \Omega_{ij} - \min_j \Omega_{ij})^2/\tau^2$ with $\hat w = (1 - 1/\sqrt3)/2$ and $t = 2/\tau$: no factor "
    r"below $\tfrac{\sqrt3}{18}$ serves every $V$ and $\tau$",
    reference="own statement, sharpening RDK Theorem 5.4",
    instances=two_kinds,
    relation=at_least,
    lhs=lambda upper, lower, tau: _first_order_error(**_levels(upper, lower, tau)),
    rhs=lambda upper, lower, tau: near_best(upper, lower, 2 / tau),
    tight=({"upper": 4, "lower": 15, "tau": F(1000)},),
    sources=("exact",),
    note="The nearest m to ŵV misses it by 1/(2V) at most, so that the factor is at least √3/18 − 3/(4V²) − 1/(12τ).",
    broken=[broken("4√3/18 at the limit", rhs=lambda tau: np.sqrt(enclose(F(3))) / 18 * enclose(4 / tau**2))],
)
