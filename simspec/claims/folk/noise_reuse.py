"""Drawing the recovery token with the noise that drew the draft leaves the output to the target.

`folk.noise-reuse`, with its correction: vLLM #47386, #54282.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, identity, law, other_claim
from simspec.claims.folk.parts import replaced, rest_of_p

__all__ = ["race_again"]


def race_again(q: Array, r: Array) -> Array:
    """Law of argmin E/r given that a token without mass in r won argmin E/q, the same exponentials E in both; three tokens.

    The winner's time is m, exponential of mean 1; the others are at m q plus fresh exponentials.  In the second race, where y
    starts at s_y = q_y/r_y, the later one of the two overtakes if the earlier has not arrived by then.

    >>> from simspec.claims.authoring import exact
    >>> print(*race_again(exact([0.5, 0.5, 0]), exact([0, 0.5, 0.5])))
    0 1/3 2/3
    """
    racing = [y for y in range(len(r)) if r[y] > 0]
    if len(racing) == 1:
        return r
    early, late = sorted(racing, key=lambda y: q[y] / r[y])
    law = r * 0
    law[late] = r[late] / (1 + r[early] * (q[late] / r[late] - q[early] / r[early]))
    law[early] = 1 - law[late]
    return law


def _three(draw: Draw) -> Instance:
    return {"p": draw.law(3), "q": draw.law(3)}


def _law(p: Array, q: Array) -> Array:
    residual = rest_of_p(p, q)
    return replaced(np.minimum(p, q), race_again(q, residual) if (p != q).any() else residual)


NOISE_REUSE = identity(
    name="folk.noise-reuse",
    statement=r"The recovery token is drawn by Gumbel-max with the noise that drew the draft token: output law $p$",
    reference="vLLM #47386, #54282",
    instances=_three,
    lhs=_law,
    rhs=lambda p: p,
    sources=("exact",),
    corrected_by=("folk.noise-reuse-corrected",),
    within=({"p": law("1/6", "1/3", "1/2"), "q": law("1/2", "1/6", "1/3")},),
    note="That x won the first race says that the others were late, the more so the likelier they were: the recovery "
    "leans to "
    "tokens that the draft hardly says. With two tokens there is no choice, and no harm.",
)

NOISE_REUSE_CORRECTED = identity(
    name="folk.noise-reuse-corrected",
    statement=r"Drawn by Gumbel-max with noise of its own, the recovery token has the law $\mathrm{norm}((p - q)_+)$, "
    r"and the output law is $p$",
    reference="correction of vLLM #47386, #54282",
    instances=_three,
    lhs=lambda p, q: replaced(np.minimum(p, q), rest_of_p(p, q)),
    rhs=lambda p: p,
    sources=("exact",),
    broken=[Broken("the printed left side", lambda _: {"lhs": other_claim("folk.noise-reuse").lhs})],
)
