"""`coupling.minhash-bound`: Daliri et al. 2024."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, at_least, bound, law
from simspec.claims.coupling.parts import pair
from simspec.laws import tv
from simspec.methods.coupling import match_probability


def _chain(p: Array, q: Array) -> tuple[Any, Any, Any]:
    distance = tv(p, q)
    return match_probability(p, q), (1 - distance) / (1 + distance), 1 - 2 * distance


MINHASH_BOUND = bound(
    name="coupling.minhash-bound",
    statement=r"$P(X = Y) \ge (1 - \mathrm{TV})/(1 + \mathrm{TV}) \ge 1 - 2\,\mathrm{TV}$",
    reference="Daliri et al. 2024, abstract",
    instances=pair,
    lhs=lambda p, q: np.stack(_chain(p, q)[:2]),
    rhs=lambda p, q: np.stack(_chain(p, q)[1:]),
    relation=at_least,
    sources=("exact", "float"),
    tight=({"p": law("1/2", "1/2", 0), "q": law("1/2", 0, "1/2")}, {"p": law(1), "q": law(1)}),
    note="Equality in the first bound where both laws have one token with the same mass, and nothing else in common.",
)
