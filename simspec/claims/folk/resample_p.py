"""Drawing from the target instead of the residual after a rejection changes the output distribution.

`folk.resample-p` in two readings, with a correction: Spec-RL #14.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, broken, identity, law
from simspec.claims.folk.parts import pair, some_bias
from simspec.laws import tv
from simspec.methods import SD, output_law

FRESH = replace(SD, residual=lambda p, d: p)
"""Speculative decoding that draws from p after a rejection."""

DIFFERENT = "p is not q"
HALF = law("1/2", "1/2")
SURE = law(1, 0)


def _apart(p: Array, q: Array) -> Array:
    """Total variation between the output law and p."""
    return tv(output_law(FRESH, p, q), p)


def _moved(p: Array, q: Array) -> Array:
    """Half the ℓ1 distance between what is kept and α p."""
    return abs(np.minimum(p, q) - np.minimum(p, q).sum(axis=-1, keepdims=True) * p).sum(axis=-1) / 2


def _different(draw: Draw) -> Instance:
    p, q = draw.pair(draw.vocab(2))
    return (
        {"p": p, "q": q}
        if (p != q).any()
        else {"p": p, "q": np.roll(p, 1) if (np.roll(p, 1) != p).any() else _point(p)}
    )


def _point(p: Array) -> Array:
    law = p * 0
    law[0] = 1
    return law


SOME = identity(
    name="folk.resample-p.some",
    statement=r"Drawing from $p$ instead of $\mathrm{norm}((p - q)_+)$ after a rejection changes the output law, for some $p "
    r"\ne q$: by a total variation of 1/4 for $p = (1/2, 1/2)$, $q = (1, 0)$",
    reference="Spec-RL #14",
    instances=lambda draw: {"p": HALF, "q": SURE},
    lhs=_apart,
    rhs=lambda: F(1, 4),
    sources=("exact",),
    note="The refused half of the drafts is drawn again from p, and half of it is the first token again. folk.resample-p.every-"
    "corrected says how much it is in general.",
    broken=[broken("ℓ1 distance of target and draft", lhs=lambda p, q: abs(p - q).sum())],
)

EVERY = identity(
    name="folk.resample-p.every",
    statement=r"Drawing from $p$ instead of $\mathrm{norm}((p - q)_+)$ after a rejection changes the output law for "
    r"every $p \ne q$",
    reference="Spec-RL #14",
    instances=_different,
    assumes={DIFFERENT: lambda p, q: bool((p != q).any())},
    lhs=lambda p, q: some_bias(output_law(FRESH, p, q), p),
    rhs=lambda: 1,
    relation=at_least,
    sources=("exact",),
    outside={DIFFERENT: {"p": HALF, "q": HALF}},
    corrected_by=("folk.resample-p.every-corrected",),
    within="none exists: where the target says every token, $p$ is the residual only if $p > q$ everywhere, and both sum to one",
    note="Where the draft wastes mass on tokens that the target never says, and is right in proportion on the others, a fresh "
    "draw from p is the residual.",
)

EVERY_CORRECTED = identity(
    name="folk.resample-p.every-corrected",
    statement=r"The output law is $\tfrac12 \sum_x \lvert \min(p(x), q(x)) - \alpha\,p(x) \rvert$ away from $p$",
    reference="correction of Spec-RL #14",
    instances=pair,
    lhs=_apart,
    rhs=_moved,
    sources=("exact", "float"),
    note="So it is p exactly when what is kept is proportional to p.",
    broken=[broken("the sum of all distances", lhs=lambda p, q: abs(output_law(FRESH, p, q) - p).sum(axis=-1))],
)
