"""With equal models, exact match accepts with the sum of squares, and the ratio rule always.

`folk.sampled-match-price`: mlx-lm #1709.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity
from simspec.claims.folk.parts import first_token
from simspec.methods import SD, acceptance_rate
from simspec.methods.verifier.match import exact_match
from simspec.methods.verifier.verifier import outcomes


def _law(draw: Draw) -> Instance:
    return {"p": draw.law(draw.integer(1, 4))}


def _both(p: Array) -> Array:
    outcome_list = outcomes(exact_match, lambda x: p, lambda x: p, 1)
    return np.array([first_token(outcome_list, len(p), 1).sum(), acceptance_rate(SD, p, p)])


SAMPLED_MATCH_PRICE = identity(
    name="folk.sampled-match-price",
    statement=r"$p = q$: exact match accepts with $\sum_x p(x)^2$, the ratio rule with 1",
    reference="mlx-lm #1709",
    instances=_law,
    lhs=_both,
    rhs=lambda p: np.array([(p * p).sum(), p.sum()]),
    sources=("exact",),
    broken=[broken("the whole mass as the first entry", rhs=lambda p: np.array([p.sum(), (p * p).sum()]))],
)
