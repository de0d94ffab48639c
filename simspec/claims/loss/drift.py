"""When the target moves by a policy step, the acceptance rate moves by at most their total variation.

`loss.drift`: own statement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_most, bound, broken, law
from simspec.claims.balls import ball
from simspec.claims.greedy.parts import positive_law
from simspec.claims.relaxed.parts import divergence
from simspec.laws import overlap, tv


def _step(draw: Draw) -> Instance:
    vocab = draw.vocab()
    return {"p": draw.law(vocab), "after": positive_law(draw, vocab), "q": draw.law(vocab)}


def _moved(p: Array, after: Array, q: Array) -> Array:
    change: Any = abs(overlap(after, q) - overlap(p, q))
    return np.array([ball(change), ball(2 * change * change)], dtype=object)


DRIFT = bound(
    name="loss.drift",
    statement=r"$|\alpha(p', q) - \alpha(p, q)| \le \mathrm{TV}(p, p') \le \sqrt{\mathrm{KL}(p \Vert p')/2}$, "
    r"whatever the draft: a policy step of "
    r"divergence $\varepsilon$ costs at most $\sqrt{\varepsilon/2}$ of acceptance",
    reference="own statement, on Leviathan et al. 2023",
    instances=_step,
    lhs=_moved,
    relation=at_most,
    rhs=lambda p, after: np.array([ball(tv(p, after)), divergence(p, after)], dtype=object),
    tight=[{"p": law("1/4", "3/4"), "after": law("1/2", "1/2"), "q": law("1/4", "3/4")}],
    sources=("exact",),
    note="The first is attained by a draft that was perfect, q = p. For small steps ½ is the largest constant in "
    "the second.",
    broken=[
        broken(
            "half of the variation",
            rhs=lambda p, after: np.array([ball(tv(p, after) / 2), divergence(p, after)], dtype=object),
        )
    ],
)
