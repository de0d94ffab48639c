"""Linear-time RDK drafts from a mixture of two fixed distributions; the draft model sets only its weight.

`rdk.linear-is-mixture`: own statement, from RDK Eq. 3.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, broken, identity
from simspec.claims.rdk.parts import two_targets
from simspec.laws import Scalar, restrict
from simspec.methods import affine, normalised, rdk


def _mixtures(prior: Array, q: Array, shared: Array, c: Array, tau: Scalar) -> Array:
    vocab = prior.shape[-1]
    tilt = (restrict(q, shared) * c).sum(axis=-1, keepdims=True) / tau
    return np.stack([(1 - w) / vocab + w * prior for w in (tilt / vocab, tilt / (vocab + tilt))])


LINEAR_IS_MIXTURE = identity(
    name="rdk.linear-is-mixture",
    statement=r"Linear-time RDK is a mixture $(1 - w)\,\mathrm{uniform} + w\,\pi$ of two fixed laws, with $w = \frac{s}{\tau V}$ "
    r"(affine) or $w = \frac{s/\tau}{V + s/\tau}$ (normalised): the draft enters through the one number $s = \sum_i q'_i c_i$",
    reference="own statement, from RDK Eq. 3",
    instances=two_targets,
    lhs=lambda prior, q, shared, c, tau: np.stack(
        [rdk(shared, form(prior, c, tau)).propose(q) for form in (affine, normalised)]
    ),
    rhs=_mixtures,
    note="Collect the terms of Eq. 3. A law for 0 ≤ w ≤ 1. All that the draft model says beyond s is thrown away, so the "
    "obvious control is the same mixture with a fixed weight.",
    broken=[
        broken("the prior alone", rhs=lambda prior, q: np.stack([prior] * 2)),
        broken(
            "the forms with a temperature",
            lhs=lambda prior, q, c, tau: np.stack([form(prior, c, tau)(q) for form in (affine, normalised)]),
        ),
    ],
)
