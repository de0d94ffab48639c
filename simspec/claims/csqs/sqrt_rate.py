"""With step size and target of order T^(−1/2), the average dropped probability meets its target at that rate.

`csqs.sqrt-rate`: SQS, Eq. 30.
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, law, rate
from simspec.claims.claim import Printed
from simspec.claims.csqs.parts import averages, both, number, positive, rates, sequence
from simspec.laws import Scalar
from simspec.methods.csqs.conformal import draft_thresholds


def _roots(draw: Draw) -> Instance:
    """T = S² tokens, so that √T is exact; few different laws."""
    if draw.exact:
        root = draw.integer(1, 3)
        pool = sequence(draw, 3)
        q = np.stack([pool[n % len(pool)] for n in range(root**2)])
    else:
        q = sequence(draw)
        root = isqrt(len(q))
        q = q[: root**2]
    start = number(draw, 0, 2) - draw.integer(0, 2)
    step_rates = rates(draw)
    return {
        "q": q,
        "root": root,
        "start": start,
        "c": step_rates["step_size"],
        "d": root * step_rates["dropped_target"],
    }


def _at_root(q: Array, root: int, start: Scalar, c: Scalar, d: Scalar, keep_top: bool) -> Array:
    dropped = draft_thresholds(q, start, c / root, d / root, keep_top).dropped
    return np.array([abs(averages(dropped)[-1] - d / root), dropped.sum()])


def _orders(root: int, start: Scalar, c: Scalar, d: Scalar) -> Array:
    constant = max(d, positive(start) / c + (1 - d / root) / root)
    return np.array([constant / root, (constant + d) * root])


SQRT_RATE = rate(
    name="csqs.sqrt-rate",
    statement=r"With $\eta = cT^{-1/2}$ and $\alpha = dT^{-1/2} < 1$: $\big|\frac1T \sum_{n \le T} \alpha_n - "
    r"\alpha\big| \le C T^{-1/2}$ and $\sum_{n \le T} \alpha_n \le (C + d) \sqrt T$, with $C = \max\big(d,\ "
    r"(\beta_1)_+/c + (1 - \alpha)T^{-1/2}\big)$",
    reference="SQS, Eq. 30",
    instances=_roots,
    lhs=lambda q, root, start, c, d: both(lambda top: _at_root(q, root, start, c, d, top)),
    rhs=_orders,
    tight=({"q": np.stack([law(1)] * 4), "root": 2, "start": F(0), "c": F(1), "d": F(1)},),
    note="Above: csqs.average-dropped-sharp divided out. Below: an average is not negative, so it misses α by at most "
    "α, which is of the order claimed; certain draft laws attain that. As α is of this order too, Eq. 30 says no more "
    "than that the average is O(T^−½).",
    printed=Printed(
        place="SQS A.3, Eq. 30",
        text="Furthermore, if … and … with …, then …",
        read="Both orders of Eq. 30 with explicit constants.",
    ),
    broken=[
        Broken("half of the bound", lambda claim: {"rhs": lambda root, start, c, d: claim.rhs(root, start, c, d) / 2})
    ],
)
