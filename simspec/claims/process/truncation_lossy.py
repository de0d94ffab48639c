"""Accepting every draft above a threshold of the target distorts the truncated target by what it accepts beyond it.

`process.truncation-lossy`, with the largest distortion: arXiv 2607.26627, of which only the words "distortion" and "overshoot"
were at hand; the formulas are restored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_most, bound, broken, identity, law
from simspec.laws import Scalar, restrict, tv
from simspec.methods import Method, output_law

__all__ = ["accepts_likely", "beyond", "truncated"]

REFERENCE = "arXiv 2607.26627, neither text nor abstract at hand (restored); on Leviathan et al. 2023"


def _threshold(draw: Draw) -> Instance:
    """A pair of laws and a threshold that the target's mode reaches."""
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q, "theta": draw.number(0, 1) * p.max()}


def truncated(p: Array, theta: Scalar) -> Array:
    """The target on the tokens with p(x) ≥ θ."""
    return restrict(p, p >= theta)


def accepts_likely(theta: Scalar) -> Method:
    """The rule that accepts a draft x exactly where p(x) ≥ θ, and else draws from the truncated target.

    >>> from simspec.methods import acceptance_rate
    >>> print(acceptance_rate(accepts_likely(F(1, 2)), law("1/2", "1/2"), law(1, 0)))
    1
    """
    return Method(
        propose=lambda q: q,
        accept=lambda p, d: np.where(p >= theta, d, d * 0),
        residual=lambda p, d: truncated(p, theta),
    )


def _distortion(p: Array, q: Array, theta: Scalar) -> Any:
    return tv(output_law(accepts_likely(theta), p, q), truncated(p, theta))


def beyond(p: Array, q: Array, theta: Scalar) -> Any:
    """What the rule accepts beyond a draw of the truncated target that is accepted as often: Σ over S of (q − q(S) p_S)₊."""
    accepted = np.where(p >= theta, q, q * 0)
    return np.maximum(accepted - accepted.sum() * truncated(p, theta), 0).sum()


def _most(p: Array, q: Array, theta: Scalar) -> Any:
    likely = p >= theta
    return q[likely].sum() * (1 - theta / p[likely].sum())


TRUNCATION_LOSSY = identity(
    name="process.truncation-lossy",
    statement=r"Accept a draft if $p(x) \ge \theta$, else draw from the truncated target $p_S$, $S = \{p \ge \theta\}$: the "
    r"output is at total variation $\sum_{x \in S} (q(x) - q(S)\, p_S(x))_+ = q(S)\, \mathrm{TV}(q_S, p_S)$ from $p_S$",
    reference=REFERENCE,
    instances=_threshold,
    lhs=_distortion,
    rhs=beyond,
    tight=({"p": law("1/2", "1/2"), "q": law(1, 0), "theta": F(1, 2)},),
    sources=("exact",),
    note="A draft that is the target on S is accepted without distortion, however much it says outside S.",
    broken=[
        broken("the draft outside S counts too", rhs=lambda p, q, theta: np.maximum(q - truncated(p, theta), 0).sum())
    ],
)

MOST = bound(
    name="process.truncation-lossy.most",
    statement=r"… and that is at most $q(S)\,(1 - \theta/p(S)) \le 1 - \theta$",
    reference=REFERENCE,
    instances=_threshold,
    lhs=_distortion,
    relation=at_most,
    rhs=_most,
    tight=(
        {"p": law("1/2", "1/2"), "q": law(1, 0), "theta": F(1, 2)},
        {"p": law("1/4", "1/4", "1/2"), "q": law(1, 0, 0), "theta": F(1, 4)},
    ),
    sources=("exact",),
    note="Attained by a draft that is sure of a token at the threshold.",
    broken=[
        broken(
            "twice the threshold", rhs=lambda p, q, theta: q[p >= theta].sum() * (1 - 2 * theta / p[p >= theta].sum())
        )
    ],
)
