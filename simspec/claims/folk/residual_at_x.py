"""A residual that subtracts the draft's probability at the refused token only is lossless.

`folk.residual-at-x`, with its correction: xLLM #2175; EAGLE #20.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, broken, identity, law
from simspec.claims.folk.parts import few, top
from simspec.laws.unchecked import normalise

POINT = "q is a point mass"


def _law(p: Array, q: Array) -> Array:
    """A refused x is taken out of p alone: norm((p − q(x) [· = x])₊), after the ratio test on the whole of q."""
    law = np.minimum(p, q)
    for x, mass in enumerate(q - law):
        remaining = p.copy()
        remaining[x] = max(p[x] - q[x], p[x] * 0)
        law = law + mass * normalise(remaining, otherwise=p)
    return law


RESIDUAL_AT_X = identity(
    name="folk.residual-at-x",
    statement=r"After the ratio test on the full $q$, drawing from $\mathrm{norm}((p - q(x)\,[\cdot = x])_+)$: the output law "
    r"is $p$",
    reference="xLLM #2175; EAGLE #20",
    instances=few,
    lhs=_law,
    rhs=lambda p: p,
    sources=("exact",),
    corrected_by=("folk.residual-at-x-corrected",),
    within=({"p": law("1/4", "1/4", "1/2"), "q": law("1/3", "1/3", "1/3")},),
    note="Other tokens that the draft says as well are not made up for; with two tokens there is only one other.",
)

RESIDUAL_AT_X_CORRECTED = identity(
    name="folk.residual-at-x-corrected",
    statement=r"After the ratio test on the full $q$, drawing from $\mathrm{norm}((p - q(x)\,[\cdot = x])_+)$: the "
    r"output law is $p$ if $q$ is a point mass: then $(p - q)_+$ is $p$ without the drafted token",
    reference="correction of xLLM #2175 and EAGLE #20",
    instances=lambda draw: {**(drawn := few(draw)), "q": top(drawn["q"])},
    assumes={POINT: lambda q: q.max() == 1},
    lhs=_law,
    rhs=lambda p: p,
    outside={POINT: {"p": law("3/4", "1/4", 0), "q": law("1/4", "1/4", "1/2")}},
    sources=("exact",),
    note="Sampled drafts need the whole of q in the residual as in the ratio.",
    broken=[broken("the draft distribution", rhs=lambda p, q: q)],
)
