"""Along text of a relaxed rule no drafter's acceptance rate is measured without bias: the text is not the target's.

`select.relaxed`, with its correction: own statement on arXiv 2510.20064.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_most, bound, broken, law, procedure
from simspec.claims.process.overshoot import best_output
from simspec.claims.process.parts import table
from simspec.laws import Scalar, overlap, tv

__all__ = ["after_first", "emitted"]

ROWS = np.stack([law("1/2", "1/2"), law(1, 0), law(1, 0)])
RIVAL = np.stack([law(1, 0), law(1, 0), law(0, 1)])
SURE = {"p": ROWS, "q": law(1, 0), "rival": RIVAL, "c": F(2)}


def _models(draw: Draw) -> Instance:
    """A target, the draft law at the first token, another drafter, and by how much a rule accepts more than the target allows."""
    vocab = draw.integer(1, 3)
    return {"p": table(draw, vocab), "q": draw.law(vocab), "rival": table(draw, vocab), "c": draw.number(1, 4)}


def emitted(p: Array, q: Array, c: Scalar) -> Array:
    """Law of the first token under the rule that accepts min(q, c p), with the best residual.

    >>> [str(m) for m in emitted(ROWS, law(1, 0), F(3, 2))]
    ['3/4', '1/4']
    """
    return best_output(p[0], np.minimum(q, c * p[0]))


def after_first(p: Array, rival: Array) -> Array:
    """Acceptance rate of another drafter at the second token, by the first one.

    >>> [str(rate) for rate in after_first(ROWS, RIVAL)]
    ['1', '0']
    """
    return overlap(p[1:], rival[1:])


RELAXED = procedure(
    name="select.relaxed",
    statement=r"Along text that a relaxed rule emits, $\sum \min(p, q_i)$ is unbiased for every drafter $i$, as along losslessly "
    r"emitted text",
    reference="own statement, on Liu et al. 2025 (arXiv 2510.20064)",
    instances=_models,
    lhs=lambda p, q, rival, c: (emitted(p, q, c) * after_first(p, rival)).sum(),
    rhs=lambda p, rival: (p[0] * after_first(p, rival)).sum(),
    sources=("exact",),
    corrected_by=("select.relaxed-corrected",),
    within=(
        {
            "p": np.stack([law("1/2", "1/2"), law("3/4", "1/4"), law("3/4", "1/4")]),
            "q": law("3/4", "1/4"),
            "rival": np.stack([law("1/2", "1/2"), law("3/4", "1/4"), law("1/4", "3/4")]),
            "c": F(3, 2),
        },
    ),
    note="The rule leads to texts that its own drafter likes; what others would accept there is measured where they are not "
    "used.",
)


def _bias(p: Array, q: Array, rival: Array, c: Scalar) -> Any:
    return abs(((emitted(p, q, c) - p[0]) * after_first(p, rival)).sum())


def _bound(p: Array, q: Array, rival: Array, c: Scalar) -> Any:
    rates = after_first(p, rival)
    return tv(emitted(p, q, c), p[0]) * (rates.max() - rates.min())


RELAXED_CORRECTED = bound(
    name="select.relaxed-corrected",
    statement=r"The bias at the next token is at most $\mathrm{TV}(o, p)\,(\max_x \alpha_i(x) - \min_x \alpha_i(x))$, $o$ the "
    r"law that the rule emits and $\alpha_i(x)$ the acceptance of drafter $i$ after $x$",
    reference="correction of an own statement, on Liu et al. 2025 (arXiv 2510.20064)",
    instances=_models,
    lhs=_bias,
    relation=at_most,
    rhs=_bound,
    tight=(SURE,),
    sources=("exact",),
    note="Of text of the rule itself it is unbiased, and the first token after text that was given is measured without bias by "
    "any rule. With process.overshoot TV is at most 1 − 1/c of the acceptance rate.",
    broken=[broken("half of the bound", rhs=lambda p, q, rival, c: _bound(p, q, rival, c) / 2)],
)
