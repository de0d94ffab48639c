"""With the Jensen–Shannon divergence, the bias of fuzzy speculative decoding is at most √(2T).

`relaxed.fsd-js`, with its sharp form and where that is attained: own statement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken, exact, identity, law
from simspec.claims.balls import ball, enclose
from simspec.claims.relaxed.parts import FAR, HALF, fsd_score, pair, xlogx
from simspec.laws import Scalar, tv

__all__ = ["keeps", "phi"]


def _instance(draw: Draw) -> Instance:
    return {**pair(draw), "threshold": draw.number(0, 1)}


def keeps(p: Array, q: Array, threshold: Scalar) -> bool:
    """Whether the divergence is at most T; two equal laws are at 0."""
    return bool((p == q).all() or fsd_score(p, q) <= ball(threshold))


def _apart(p: Array, q: Array, threshold: Scalar) -> Any:
    """TV(output, p), replacement from p."""
    return tv(q if keeps(p, q, threshold) else p, p)


def phi(t: Scalar) -> Any:
    """((1 + t) log(1 + t) + (1 − t) log(1 − t))/2: the Jensen–Shannon divergence of ((1 ± t)/2) and its reverse."""
    return (xlogx(1 + t, F(1)) + xlogx(1 - t, F(1))) / 2


FSD_JS = bound(
    name="relaxed.fsd-js",
    statement=r"FSD by Jensen–Shannon divergence (nats), replacement from $p$: $\mathrm{TV}(\text{output}, p) \le "
    r"\sqrt{2T}$",
    reference="own statement, on Holsman et al. 2025 (arXiv 2502.20704)",
    instances=_instance,
    lhs=lambda p, q, threshold: enclose(_apart(p, q, threshold)),
    rhs=lambda threshold: np.sqrt(enclose(2 * threshold)),
    tight=({"p": HALF, "q": HALF, "threshold": F(0)},),
    sources=("exact",),
    corrected_by=("relaxed.fsd-js-sharp",),
    note="Pinsker's inequality for the middle of two laws; the constant is the best as T falls to 0.",
    broken=[broken("the threshold itself", rhs=lambda threshold: enclose(threshold))],
)

FSD_JS_SHARP = bound(
    name="relaxed.fsd-js-sharp",
    statement=r"$\tfrac12 ((1 + t) \log(1 + t) + (1 - t) \log(1 - t)) \le T$ with $t = \mathrm{TV}(\text{output}, p)$",
    reference="own statement, on Holsman et al. 2025 (arXiv 2502.20704)",
    instances=_instance,
    lhs=lambda p, q, threshold: phi(_apart(p, q, threshold)),
    rhs=lambda threshold: enclose(threshold),
    tight=(
        {"p": HALF, "q": FAR, "threshold": F(0)},
        {"p": law("3/4", "1/4"), "q": law("3/4", "1/4"), "threshold": F(0)},
    ),
    sources=("exact",),
    broken=[broken("half of the squared threshold", rhs=lambda threshold: enclose(threshold * threshold / 2))],
)


def _reversed(t: Scalar) -> tuple[Array, Array]:
    """((1 + t)/2, (1 − t)/2) and its reverse."""
    return exact([(1 + t) / 2, (1 - t) / 2]), exact([(1 - t) / 2, (1 + t) / 2])


FSD_JS_ATTAINED = identity(
    name="relaxed.fsd-js-sharp.attained",
    statement=r"$p = (\tfrac{1 + t}2, \tfrac{1 - t}2)$ and $q$, its reverse, have total variation $t$ and Jensen–Shannon "
    r"divergence $\tfrac12 ((1 + t) \log(1 + t) + (1 - t) \log(1 - t))$: with that as $T$ every draft is kept, and no rule of "
    r"the kind emits a law farther from $p$, for every $0 \le t \le 1$",
    reference="own statement, on Holsman et al. 2025 (arXiv 2502.20704)",
    instances=lambda draw: {"t": draw.number(0, 1)},
    lhs=lambda t: np.array([fsd_score(*_reversed(t)), tv(*_reversed(t))], dtype=object),
    rhs=lambda t: np.array([phi(t), t], dtype=object),
    tight=({"t": F(0)}, {"t": F(1)}),
    sources=("exact",),
    note="That none is farther is relaxed.fsd-js-sharp: the right side rises with t.",
    broken=[
        broken("half of the threshold as second entry", rhs=lambda t: np.array([phi(t), t / 2], dtype=object)),
        broken("the threshold as second entry", rhs=lambda t: np.array([enclose(t * t / 2), t], dtype=object)),
    ],
)
