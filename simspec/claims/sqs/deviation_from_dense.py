"""`sqs.deviation-from-dense`, with its correction: SQS, abstract and 1, contributions, on C-SQS."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, bound, law
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import sent_law, sizes, some_kept, worst_rounding
from simspec.laws.unchecked import tv
from simspec.methods.sqs.quantised import dropped_mass, quantise


def _apart(q: Array, kept: Array, resolution: int) -> Array:
    """Distance between what is sent of the sparsified law and of all of it."""
    return tv(sent_law(q, kept, resolution), quantise(q, resolution) / resolution)


_SHARP = {"q": law("3/4", "1/4"), "kept": np.array([True, False]), "resolution": 2}

DEVIATION = bound(
    name="sqs.deviation-from-dense",
    statement=r"The deviation from the dense quantised law is bounded by what is dropped, the quantity that Theorem 2 "
    r"controls: $\mathrm{TV}(Q_\ell(\tilde q), Q_\ell(q)) \le \sum_{x \notin X} q(x)$",
    reference="SQS, abstract and 1, contributions, on C-SQS",
    instances=some_kept,
    lhs=_apart,
    rhs=lambda q, kept: dropped_mass(q, kept),
    sources=("exact",),
    against=(_SHARP,),
    within=({"q": law("9949/10000", "51/10000"), "kept": np.array([True, False]), "resolution": 100},),
    corrected_by=("sqs.deviation-from-dense-corrected",),
    note="Lattice points are 1/ℓ apart: a little mass that is dropped can move a whole unit. Before quantising the bound is an "
    "identity (sqs.dropped-mass).",
    printed=Printed(
        place="SQS, abstract",
        text="adaptively adjusts the retained token set via online conformal prediction to ensure bounded "
        "deviation from the dense distribution",
        read="From the dense quantised law, by the mass that is dropped.",
    ),
)

DEVIATION_CORRECTED = bound(
    name="sqs.deviation-from-dense-corrected",
    statement=r"With $\delta = \sum_{x \notin X} q(x)$: $\mathrm{TV}(Q_\ell(\tilde q), Q_\ell(q)) \le 2\delta + 2(1 - \delta) "
    r"\frac{m(K - m)}{K\ell}$, $m = \min(\ell, \lfloor K/2 \rfloor)$: at most $2\delta + K/(2\ell)$",
    reference="correction of SQS 1, contributions, on C-SQS",
    instances=some_kept,
    lhs=_apart,
    rhs=lambda q, kept, resolution: (
        2 * (dropped_mass(q, kept) + (1 - dropped_mass(q, kept)) * worst_rounding(sizes(kept, q), resolution))
    ),
    tight=(_SHARP,),
    sources=("exact",),
    note="All of q is rounded to its nearest lattice point, so that neither point is farther from q than what is sent of the "
    "sparsified law (sqs.dense-closest, sqs.total-distortion-sharp). Averaged over a text it is twice the α of Theorem 2, and "
    "rounding. The vocabulary does not enter.",
)
