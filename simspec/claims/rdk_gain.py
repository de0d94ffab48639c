"""Own claims about when RDK beats TLI: conditions on M, the target and the draft under which the gain is known exactly.

What RDK can lose is in `simspec.claims.rdk_bounds`, where `rdk.never-worse-sharp` splits any change into gain and loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, equal
from simspec.claims.draw import Draw
from simspec.claims.rdk_bounds import ROWS, drift
from simspec.claims.rdk_parts import close, eye, mask, matrix, normal_rows, proposed, stochastic, weights
from simspec.claims.sd import law
from simspec.laws import Array, is_exact, overlap, restrict, tv

__all__ = ["CLAIMS", "arriving", "leaving", "surplus_only"]

SURPLUS = "M moves only what the draft has beyond the target"
NOT_TOO_MUCH = "no token receives more than it is in want of"
SURPLUS_GUESSED = "M moves only what the draft has beyond the guess"


def arriving(d: Array, M: Array) -> Array:
    """Mass that reaches each token from others, Σ_{i ≠ j} d_i M_ij.

    >>> arriving(law(1, 0), matrix("1/2 1/2", "0 1")).tolist()
    [Fraction(0, 1), Fraction(1, 2)]
    """
    return d @ M - d * np.diagonal(M)


def leaving(d: Array, M: Array) -> Array:
    """Mass that leaves each token, d_i (1 − M_ii).

    >>> leaving(law(1, 0), matrix("1/2 1/2", "0 1")).tolist()
    [Fraction(1, 2), Fraction(0, 1)]
    """
    return d * (1 - np.diagonal(M))


def surplus_only(p: Array, d: Array, M: Array) -> bool:
    """Whether M moves no more of any token than the draft d has beyond p.

    >>> surplus_only(law("1/2", "1/2"), law(1, 0), matrix("1/2 1/2", "0 1"))
    True
    """
    rounding = 0 if is_exact(d) else 1e-12
    return bool((leaving(d, M) <= np.maximum(d - p, 0) + rounding).all())


def _receives_little(p: Array, d: Array, M: Array) -> bool:
    rounding = 0 if is_exact(d) else 1e-12
    return bool((arriving(d, M) <= np.maximum(p - d, 0) + rounding).all())


def _one(draw: Draw, vocab: int) -> tuple[Array, Array]:
    """Target and draft of one context."""
    p, q = draw.pair(vocab)
    return (p, q) if p.ndim == 1 else (p[0], q[0])


def _share(d: Array, kernel: Array) -> Array:
    """The part of each token's draft mass that is drafter kernel, as a column."""
    return np.where(d > 0, kernel / np.where(d > 0, d, 1), 0 * d)[:, None]


def _moving(draw: Draw, guessed: bool = False, filling: bool = False) -> Instance:
    """A matrix that moves a part of the drafter kernel: anywhere, or in proportion to what is wanted."""
    n = draw.vocab(matrix=True)
    p, q = _one(draw, n)
    guess = _one(draw, n)[draw.integer(0, 1)] if guessed else p
    shared, share = draw.mask(n), draw.number(0, 1)
    d = restrict(q, shared)
    want, onto = np.maximum(guess - d, 0), draw.matrix(n)
    if (filling or draw.integer(0, 1)) and want.sum() > 0:
        onto = np.broadcast_to(want / want.sum(), (n, n))
    moved = share * _share(d, np.maximum(d - guess, 0))
    return {"p": p, "guess": guess, "q": q, "shared": shared, "M": (1 - moved) * eye(n, draw.exact) + moved * onto}


def _gain(p: Array, q: Array, shared: Array, M: Array) -> Any:
    """α of RDK minus α of TLI."""
    return overlap(p, proposed(q, shared, M)) - overlap(p, restrict(q, shared))


def _received(p: Array, d: Array, M: Array) -> Any:
    """Σ_j min{(p_j − d_j)_+, arriving_j}."""
    return np.minimum(np.maximum(p - d, 0), arriving(d, M)).sum(axis=-1)


_ALL: dict[str, Any] = {"shared": mask("11")}
_EVEN: dict[str, Any] = {**_ALL, "p": law("1/2", "1/2"), "guess": law("1/2", "1/2")}
_CERTAIN: dict[str, Any] = {**_EVEN, "q": law(1, 0)}

GAIN = Claim(
    name="rdk.gain",
    kind="identity",
    statement=r"When $M$ is row-stochastic and moves only surplus, $q'_i (1 - M_{ii}) \le (q'_i - p_i)_+$, then "
    r"$\alpha(p, M^\top q') - \alpha(p, q') = \sum_j \min\{(p_j - q'_j)_+, \sum_{i \ne j} q'_i M_{ij}\}$: RDK beats TLI exactly "
    r"when something that $M$ moves reaches a token in want",
    reference="own statement: a sufficient condition for the advantage that RDK §4 claims",
    instances=_moving,
    assumes={
        ROWS: stochastic,
        SURPLUS: lambda p, q, shared, M: surplus_only(p, restrict(q, shared), M),
    },
    lhs=_gain,
    rhs=lambda p, q, shared, M: _received(p, restrict(q, shared), M),
    relation=equal,
    outside={
        ROWS: {**_ALL, "p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "M": matrix("1 0", "-1/2 1")},
        SURPLUS: {**_ALL, "p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "M": matrix("0 1", "0 1")},
    },
    note="Where the target exceeds the draft nothing leaves, so the overlap grows by what arrives, up to what is wanted; "
    "elsewhere at least p remains, and the overlap is p before and after. The condition can be checked from M, p and q'.",
)

GAIN_MOVED = Claim(
    name="rdk.gain-moved",
    kind="identity",
    statement=r"When moreover no token receives more than it wants, $\sum_{i \ne j} q'_i M_{ij} \le (p_j - q'_j)_+$, then all "
    r"that $M$ moves is gained: $\alpha(p, M^\top q') - \alpha(p, q') = \sum_i q'_i (1 - M_{ii})$, positive unless $M$ moves "
    r"nothing, and all of $1 - \alpha(p, q')$ when $M$ moves all surplus",
    reference="own statement",
    instances=lambda draw: _moving(draw, filling=True),
    assumes={
        ROWS: stochastic,
        SURPLUS: lambda p, q, shared, M: surplus_only(p, restrict(q, shared), M),
        NOT_TOO_MUCH: lambda p, q, shared, M: _receives_little(p, restrict(q, shared), M),
    },
    lhs=_gain,
    rhs=lambda q, shared, M: leaving(restrict(q, shared), M).sum(axis=-1),
    relation=equal,
    outside={
        ROWS: {**_CERTAIN, "M": matrix("1/2 0", "0 1")},
        SURPLUS: {
            **{"p": law("1/4", "1/2", "1/4"), "q": law("1/2", "1/2", 0), "shared": mask("111")},
            "M": matrix("1 0 0", "0 1/2 1/2", "0 0 1"),
        },
        NOT_TOO_MUCH: {
            **{"p": law("1/2", "1/2", 0), "q": law(1, 0, 0), "shared": mask("111")},
            "M": matrix("1/2 0 1/2", "0 1 0", "0 0 1"),
        },
    },
    note="What leaves arrives, as rows sum to one, and all of it is wanted: rdk.gain. The largest gain possible, since "
    "1 − α(p, q') is the mass of the drafter kernel (sd.acceptance).",
)

GAIN_GUESSED = Claim(
    name="rdk.gain-guessed",
    kind="bound",
    statement=r"No drafter knows $p$. With a guess $\hat p$ in its place in the condition, "
    r"$\alpha(p, M^\top q') - \alpha(p, q') \ge \sum_j \min\{(\hat p_j - q'_j)_+, \sum_{i \ne j} q'_i M_{ij}\} - "
    r"2\,\mathrm{TV}(p, \hat p)$: RDK beats TLI whenever it would gain more than $2\,\mathrm{TV}(p, \hat p)$ if the guess "
    r"were true",
    reference="own statement",
    instances=lambda draw: _moving(draw, guessed=True),
    assumes={
        SURPLUS_GUESSED: lambda guess, q, shared, M: surplus_only(guess, restrict(q, shared), M),
    },
    lhs=_gain,
    rhs=lambda p, guess, q, shared, M: _received(guess, restrict(q, shared), M) - 2 * tv(p, guess),
    relation=at_least,
    tight=(
        {
            **_ALL,
            "p": law("1/2", "1/2"),
            "guess": law("1/4", "3/4"),
            "q": law("1/2", "1/2"),
            "M": matrix("1/2 1/2", "0 1"),
        },
        {**_CERTAIN, "M": matrix("1/2 1/2", "0 1")},
    ),
    outside={
        SURPLUS_GUESSED: {**_EVEN, "q": law("1/2", "1/2"), "M": matrix("0 1", "0 1")},
    },
    note="An acceptance rate changes by at most TV(p, p̂) when p̂ takes the place of p; used twice. The constant 2 is attained "
    "by a draft that is the target and a wrong guess.",
)

# --- targets for which Eq. 2 never loses ----------------------------------------------------------------------------

SYMMETRIC = "W = exp(Ω/τ) is symmetric"


def _spread(W: Array, p: Array) -> Any:
    """½ Σ W_ij (p_i/s_i − p_j/s_j)² with the row sums s of W."""
    f = p / W.sum(axis=-1)
    return (W * (f[..., :, None] - f[..., None, :]) ** 2).sum(axis=(-2, -1)) / 2


def _work(W: Array, p: Array) -> Any:
    """Σ_j (p_j/s_j) (p_j − (Mᵀp)_j) with M the rows of W, normalised."""
    return (p / W.sum(axis=-1) * (p - p @ normal_rows(W))).sum(axis=-1)


def _drift_of_row_sums(W: Array, p: Array) -> Any:
    sums = W.sum(axis=-1)
    return drift(normal_rows(W), sums / sums.sum()) + 0 * p.sum(axis=-1)


STATIONARY_TARGET = Claim(
    name="rdk.stationary-target",
    kind="identity",
    statement=r"For $M$ of Eq. 2, with $W = e^{\Omega/\tau}$ and row sums $s_i = \sum_k W_{ik}$: every law has "
    r"$\tfrac12 \sum_{ij} W_{ij} (p_i/s_i - p_j/s_j)^2 = \sum_j (p_j/s_j) (p_j - (M^\top p)_j)$, and $p \propto s$ has "
    r"$M^\top p = p$. So that is the one target with which RDK loses to TLI with no draft",
    reference="own statement: the only target of rdk.any-drafter-corrected",
    instances=lambda draw: {"W": weights(draw, n := draw.vocab(matrix=True)), "p": draw.law(n)},
    assumes={SYMMETRIC: lambda W: close(W, W.T)},
    lhs=lambda W, p: np.stack([_spread(W, p), _drift_of_row_sums(W, p)]),
    rhs=lambda W, p: np.stack([_work(W, p), 0 * p.sum(axis=-1)]),
    relation=equal,
    outside={SYMMETRIC: {"W": matrix("1 2", "1 1"), "p": law("1/2", "1/2")}},
    note="The Dirichlet form of a reversible chain. If Mᵀp = p, the right side is zero, and as W is positive, p_i/s_i is the "
    "same for all tokens.",
)

CLAIMS = (GAIN, GAIN_MOVED, GAIN_GUESSED, STATIONARY_TARGET)
