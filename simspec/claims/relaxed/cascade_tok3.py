"""The total variation of the cascade Tok3 from the draft has a closed form.

`relaxed.cascade-tok3`: 2405.19261 (restored).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, broken, identity
from simspec.claims.relaxed.parts import pair
from simspec.laws import Scalar, normalise, tv
from simspec.methods.relaxed import tok3_law

__all__ = ["dropped"]


def dropped(p: Array, q: Array, alpha: Scalar) -> Array:
    """q on the tokens below (1 − a) max p, not normalised."""
    return np.where(p >= (1 - alpha) * p.max(axis=-1, keepdims=True), 0, q)


def _price(p: Array, q: Array, alpha: Scalar) -> Any:
    """q(Tᶜ) TV(p, norm(q on Tᶜ))."""
    bad = dropped(p, q, alpha)
    return bad.sum(axis=-1) * tv(p, normalise(bad, otherwise=p))


CASCADE_TOK3 = identity(
    name="relaxed.cascade-tok3",
    statement=r"`Tok3`: $\mathrm{TV}(\pi, q) = q(T^c)\,\mathrm{TV}(p, \mathrm{norm}(q \text{ on } T^c))$",
    reference="Narasimhan et al. 2024 (arXiv 2405.19261, restored)",
    instances=lambda draw: {**pair(draw), "alpha": draw.number(0, 1)},
    lhs=lambda p, q, alpha: tv(tok3_law(p, q, alpha), q),
    rhs=_price,
    sources=("exact",),
    broken=[broken("the total variation", rhs=lambda p, q: tv(p, q))],
)
