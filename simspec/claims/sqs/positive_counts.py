"""Every count of a kept token is a positive integer.

`sqs.positive-counts`, with its correction and its sharper form: SQS, A.1.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken, identity, law, swapped
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import some_kept
from simspec.methods.sqs.quantised import quantise, sparsify


def _counts(q: Array, kept: Array, resolution: int) -> Array:
    return quantise(sparsify(q, kept), resolution, kept)


def _carrying(draw: Draw) -> Instance:
    """Kept tokens that all have mass, so that a count of zero is the quantiser's doing."""
    instance = some_kept(draw)
    return {**instance, "kept": instance["kept"] & (instance["q"] > 0)}


POSITIVE = identity(
    name="sqs.positive-counts",
    statement=r"Every count $b_i$ of a kept token is a positive integer",
    reference="SQS, A.1",
    instances=_carrying,
    lhs=lambda q, kept, resolution: ((_counts(q, kept, resolution) > 0) & kept).sum(axis=-1),
    rhs=lambda kept: kept.sum(axis=-1),
    against=({"q": law("3/4", "1/4"), "kept": np.array([True, True]), "resolution": 1},),
    within=({"q": law("999/1000", "1/1000"), "kept": np.array([True, True]), "resolution": 100},),
    corrected_by=("sqs.positive-counts-corrected", "sqs.positive-counts-sharp"),
    note="A kept token of small probability is rounded to 0, and at least K − ℓ of them are when K > ℓ. The lattice that "
    "Eq. 2 counts allows zeros; that of A.1, with positive counts, has C(ℓ−1, K−1) points (sqs.bits-sharp).",
    printed=Printed(
        place="SQS A.1",
        text="are positive integers and … is the lattice resolution parameter",
        read="Positive excludes zero.",
        restored="the symbols between the words",
    ),
)


def _whole(q: Array, kept: Array, resolution: int) -> tuple[Array, Array]:
    """ℓq̃ rounded down and up; in floating point with room for its rounding."""
    scaled = resolution * sparsify(q, kept)
    allowance = 0 if scaled.dtype == object else 1e-9
    low = np.floor(scaled + allowance)
    return low, low + np.where(scaled - low > allowance, 1, 0)


POSITIVE_CORRECTED = bound(
    name="sqs.positive-counts-corrected",
    statement=r"$\lfloor \ell \tilde q_i \rfloor \le b_i \le \lceil \ell \tilde q_i \rceil$ and $b_i \ge 0$: a kept token with "
    r"$\tilde q_i \ge 1/\ell$ has a positive count, and at most $\min(K, \ell)$ tokens have one",
    reference="correction of SQS A.1",
    instances=some_kept,
    lhs=lambda q, kept, resolution: np.concatenate(
        [
            _whole(q, kept, resolution)[0],
            _counts(q, kept, resolution),
            (_counts(q, kept, resolution) > 0).sum(axis=-1, keepdims=True),
        ],
        axis=-1,
    ),
    rhs=lambda q, kept, resolution: np.concatenate(
        [
            _counts(q, kept, resolution),
            _whole(q, kept, resolution)[1],
            np.minimum(kept.sum(axis=-1, keepdims=True), resolution),
        ],
        axis=-1,
    ),
    tight=({"q": law(1), "kept": np.array([True]), "resolution": 1},),
    note="The quantiser rounds each ℓq̃ᵢ down or up, never further (largest remainders). ℓ units reach at most ℓ tokens.",
    broken=[swapped()],
)

ENOUGH = "q̃ of every kept token exceeds (1 − 1/K)/ℓ"


def _enough(q: Array, kept: Array, resolution: int) -> bool:
    size = int(kept.sum())
    return bool((resolution * size * sparsify(q, kept)[kept] > size - 1).all())


def _ample(draw: Draw) -> Instance:
    """A law over K tokens, each above the least mass that always survives; ℓ must be at least K for that."""
    k = draw.integer(1, 5)
    resolution = k + draw.integer(0, 4)
    least_mass = F(k - 1, k * resolution)
    weight = draw.integer(0, 50)
    above = (weight * draw.law(k) + F(1, k)) / (weight + 1)
    return {"q": least_mass + (1 - k * least_mass) * above, "kept": np.ones(k, dtype=bool), "resolution": resolution}


POSITIVE_SHARP = identity(
    name="sqs.positive-counts-sharp",
    statement=r"All counts are positive when every kept token has $\tilde q_i > (1 - 1/K)/\ell$; the constant cannot be lowered",
    reference="own statement: a condition for SQS A.1",
    instances=_ample,
    assumes={ENOUGH: _enough},
    lhs=POSITIVE.lhs,
    rhs=POSITIVE.rhs,
    sources=("exact",),
    outside={ENOUGH: {"q": law("1/3", "1/3", "1/3"), "kept": np.ones(3, dtype=bool), "resolution": 2}},
    note="A token with ℓq̃ᵢ < 1 is rounded to 0 only when m others, m < K the sum of the fractional parts, have parts at least "
    "as large: then (m + 1)ℓq̃ᵢ ≤ m. K equal tokens at ℓ = K − 1 stand at the constant, and one of them is lost.",
    broken=[broken("distributions outside the assumption", assumes={}, instances=some_kept)],
)
