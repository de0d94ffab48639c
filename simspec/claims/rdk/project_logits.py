"""Projecting the draft's logits by the affinity gives the same distribution as projecting its probabilities.

`rdk.project-logits`, with its correction: RDK 4, where Algorithm 1 projects probabilities.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, exact, eye, identity, law
from simspec.claims.claim import Printed
from simspec.laws import normalise

__all__ = ["arrivals", "by_logits", "by_probabilities"]


def _weights_and_map(draw: Draw) -> Instance:
    """Exponentials of draft logits, and the token to which each token's mass goes."""
    vocab = draw.vocab()
    return {"w": draw.weights(vocab), "to": np.array([draw.integer(0, vocab - 1) for _ in range(vocab)])}


def arrivals(to: Array) -> Array:
    """Σ_i M_ix: how many tokens the map sends to each token.

    >>> arrivals(np.array([0, 0])).tolist()
    [2, 0]
    """
    return np.bincount(to, minlength=len(to))


def by_logits(w: Array, to: Array) -> Array:
    """exp(Mᵀz) for z = log w: the weights that go to a token, multiplied.

    >>> by_logits(law(2, 3), np.array([0, 0])).tolist()
    [Fraction(6, 1), Fraction(1, 1)]
    """
    products = exact([1] * len(w))
    for weight, token in zip(w, to, strict=True):
        products[token] = products[token] * weight
    return products


def by_probabilities(w: Array, to: Array) -> Array:
    """Mᵀq for q = softmax(z).

    >>> by_probabilities(law(1, 3), np.array([0, 0])).tolist()
    [Fraction(1, 1), Fraction(0, 1)]
    """
    return normalise(w) @ eye(len(w), True)[to]


PROJECT_LOGITS = identity(
    name="rdk.project-logits",
    statement=r"Projecting the draft's logits, $\mathrm{softmax}(M^\top z)$, gives the law that Algorithm 1 drafts from, $M^\top "
    r"\mathrm{softmax}(z)$; all tokens shared, and $M$ sends each token to one",
    reference="RDK 4, text before Eq. 3, beside Algorithm 1",
    instances=_weights_and_map,
    lhs=lambda w, to: normalise(by_logits(w, to)),
    rhs=by_probabilities,
    sources=("exact",),
    against=({"w": law(1, 1), "to": np.array([0, 0])},),
    within=({"w": law(1, 2), "to": np.array([0, 0])},),
    corrected_by=("rdk.project-logits-corrected",),
    note="Logits add where masses do: a token that nothing goes to has logit 0, and so mass. A map that only renames tokens, the "
    "identity among them, gives the same by both.",
    printed=Printed(
        place="RDK 4",
        text="The projection function is then applied to the draft model’s logits at inference time",
        read="Beside Algorithm 1, which applies the matrix to probabilities: the same law.",
    ),
)


def _told(w: Array, to: Array) -> Array:
    """Z^c_x Π_i q_i^M_ix, one x a place."""
    mass: Any = w.sum()
    return by_logits(normalise(w), to) * np.array([mass ** int(c) for c in arrivals(to)], dtype=object)


PROJECT_LOGITS_CORRECTED = identity(
    name="rdk.project-logits-corrected",
    statement=r"Projected logits are logarithms of $Z^{c_x} \prod_i q_i^{M_{ix}}$, $q = \mathrm{softmax}(z)$, $Z = "
    r"\sum_i e^{z_i}$, "
    r"$c_x = \sum_i M_{ix}$: products in place of sums, and no function of $q$ alone unless all $c_x$ are equal",
    reference="correction of RDK 4",
    instances=_weights_and_map,
    lhs=by_logits,
    rhs=_told,
    sources=("exact",),
    note="A constant added to all logits changes no law; where c_x is above average it makes token x likelier. Columns that sum "
    "to one (c_x = 1) take that away and leave the geometric mean.",
    broken=[
        broken("the logits are normalised before they are projected", lhs=lambda w, to: by_logits(w / w.sum(), to)),
        broken(
            "the probabilities are scaled by the sum of the weights",
            rhs=lambda w, to: by_probabilities(w, to) * w.sum(),
        ),
    ],
)
