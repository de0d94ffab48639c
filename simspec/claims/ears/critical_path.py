"""The pardon path lengthens the critical path by a second comparison for each draft.

`ears.critical-path`: EARS, critical path and failure signatures.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, at_least, procedure
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import PRINTED, both_paths, some_step, tolerance
from simspec.laws import Scalar


def _comparisons(p: Array, q: Array, beta: Scalar) -> Array:
    """Comparisons of p/q with a number that decide as the rule does, for each token that can be drafted: 1 or 2.

    The coins that either path lets through are compared with those of the second test alone.
    """
    standard, pardon = both_paths(p, q, beta)
    second = np.minimum(1, p / np.where(q > 0, q, 1) + tolerance(p, beta))
    return np.where((q > 0) & (standard + pardon != second), 2, 1)


CRITICAL_PATH = procedure(
    name="ears.critical-path",
    statement="The pardon path lengthens the critical path: the rule needs two comparisons for each draft",
    reference="EARS, critical path and failure signatures",
    instances=some_step,
    lhs=_comparisons,
    rhs=lambda: 2,
    relation=at_least,
    sources=("exact",),
    within=(PRINTED,),
    corrected_by=("ears.single-threshold",),
    note="The second test, p/q ≥ u − t, passes whatever passes the first, p/q ≥ u: it decides alone, at the price of one "
    "subtraction for each draft. Two comparisons are needed only by whoever counts how often each path accepts.",
    printed=Printed(
        place="EARS, critical path",
        text="second comparison directly adds to per-token verification time",
        read="The rule cannot be decided with one comparison for each draft.",
    ),
)
