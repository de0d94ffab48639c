"""For every total variation there are distributions that attain the bound on agreement by shared noise.

`coupling.minhash-attained`: laws for which the coupling does no better than the minhash number, at every distance (own).
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, F, broken, exact, identity
from simspec.laws import Scalar, tv
from simspec.methods.coupling import match_probability

__all__ = ["one_shared"]


def one_shared(distance: Scalar) -> tuple[Array, Array]:
    """Laws of three tokens that share the first with mass 1 − t, and nothing else.

    >>> [[str(mass) for mass in law] for law in one_shared(F(1, 4))]
    [['3/4', '1/4', '0'], ['3/4', '0', '1/4']]
    """
    return exact([1 - distance, distance, F(0)]), exact([1 - distance, F(0), distance])


MINHASH_ATTAINED = identity(
    name="coupling.minhash-attained",
    statement=r"For every $0 \le t \le 1$ there are laws with $\mathrm{TV}(p, q) = t$ and $P(X = Y) = (1 - t)/(1 + t)$: the "
    r"bound of coupling.minhash-bound is the best in total variation alone",
    reference="own statement, the extremal case of Daliri et al. 2024",
    instances=lambda draw: {"distance": draw.number(0, 1)},
    lhs=lambda distance: exact([tv(*one_shared(distance)), match_probability(*one_shared(distance))]),
    rhs=lambda distance: exact([distance, (1 - distance) / (1 + distance)]),
    tight=({"distance": F(0)}, {"distance": F(1)}),
    sources=("exact",),
    note="One token of mass 1 − t in both laws, and a token of its own for each.",
    broken=[
        broken("the complement of the distance", rhs=lambda distance: np.array([distance, 1 - distance], dtype=object))
    ],
)
