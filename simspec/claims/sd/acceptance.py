"""`sd.acceptance`: RDK, Definitions 2.1, 2.2 and Lemma 2.3."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import identity
from simspec.claims.claim import Printed
from simspec.claims.sd.parts import pair_of_laws
from simspec.laws import tv
from simspec.methods import SD, drafter_kernel

ACCEPTANCE = identity(
    name="sd.acceptance",
    statement=r"$\alpha = \sum_x \min(p_x, q_x) = 1 - \mathrm{TV}(p, q) = 1 - \lVert k \rVert_1$ with the drafter "
    "kernel $k = (q - p)_+$",
    reference="RDK, Definitions 2.1, 2.2 and Lemma 2.3",
    instances=pair_of_laws,
    lhs=lambda p, q: np.stack([SD.keep(p, q).sum(axis=-1)] * 2),
    rhs=lambda p, q: np.stack([1 - tv(p, q), 1 - drafter_kernel(p, q).sum(axis=-1)]),
    note="min(a, b) = (a + b − |a − b|)/2 = b − (b − a)₊ term by term; summing uses only Σp = Σq = 1.",
    printed=Printed(
        place="RDK, Definition 2.1 and Lemma 2.3",
        text="In particular, minimizing … or … increases the acceptance rate",
        read="Both sides as identities: acceptance is overlap, one minus total variation, one minus the mass "
        "of the drafter kernel.",
        restored="the formulas of both definitions and of the lemma",
    ),
)
