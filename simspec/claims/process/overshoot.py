"""A rule whose accepted mass is at most c times the target's is at total variation at most (1 − 1/c) of its acceptance rate.

`process.overshoot`, with fresh draws beside the best residual: arXiv 2607.26627, of which only the words "distortion" and
"overshoot" were at hand; the formulas are restored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_most, bound, broken, exact, law
from simspec.laws import tv
from simspec.laws.unchecked import normalise
from simspec.methods.processors.overshoot import fresh_bound, overshoot_bound

__all__ = ["best_output", "fresh_output"]

REFERENCE = "arXiv 2607.26627, neither text nor abstract at hand (restored); on Leviathan et al. 2023"
SURE = {"p": law("1/2", "1/2"), "kept": law(1, 0), "c": F(2)}


def _rule(draw: Draw) -> Instance:
    """A target, and the mass that a rule accepts of each token of some draft: at most c times the target's."""
    p, q = draw.pair(draw.vocab())
    c = draw.number(1, 4)
    share = draw.number(0, 1)
    some = exact([draw.integer(0, 2) for _ in p]) / 2
    accepted = np.minimum(q, c * p) * np.maximum(some, share)
    return {"p": p, "kept": accepted, "c": c}


def best_output(p: Array, kept: Array) -> Array:
    """What is emitted with norm((p − k)₊) after a rejection, the residual of least total variation (relaxed.optimal-residual).

    >>> [str(m) for m in best_output(law("1/2", "1/2"), law("3/4", 0))]
    ['3/4', '1/4']
    """
    return kept + (1 - kept.sum()) * normalise(np.maximum(p - kept, 0), otherwise=p)


def fresh_output(p: Array, kept: Array) -> Array:
    """What is emitted with a fresh draw from the target after a rejection.

    >>> [str(m) for m in fresh_output(law("1/2", "1/2"), law("1/2", 0))]
    ['3/4', '1/4']
    """
    return kept + (1 - kept.sum()) * p


def _tv(p: Array, kept: Array) -> Any:
    return tv(best_output(p, kept), p)


OVERSHOOT = bound(
    name="process.overshoot",
    statement=r"A rule that accepts mass $k \le c\,p$ token by token, $c \ge 1$, and draws from $\mathrm{norm}((p - k)_+)$ after "
    r"a rejection has an output at total variation at most $(1 - 1/c) \sum k \le 1 - 1/c$ from $p$",
    reference=REFERENCE,
    instances=_rule,
    lhs=_tv,
    relation=at_most,
    rhs=lambda kept, c: overshoot_bound(c, kept.sum()),
    tight=(SURE, {"p": law("1/4", "3/4"), "kept": law("1/2", 0), "c": F(2)}),
    sources=("exact",),
    note="Attained by every rule that accepts c p or nothing of each token. At c = 1 nothing is lost: speculative decoding.",
    broken=[broken("half of the bound", rhs=lambda kept, c: (1 - 1 / c) * kept.sum() / 2)],
)

FRESH = bound(
    name="process.overshoot.fresh",
    statement=r"… and with a fresh draw from $p$ after a rejection at most $K (1 - K/c)$, $K = \sum k$",
    reference=REFERENCE,
    instances=_rule,
    lhs=lambda p, kept: tv(fresh_output(p, kept), p),
    relation=at_most,
    rhs=lambda kept, c: fresh_bound(c, kept.sum()),
    tight=(SURE, {"p": law("1/4", "3/4"), "kept": law("1/2", 0), "c": F(2)}),
    sources=("exact",),
    note="It is never less than with the best residual, and at most c/4 for c ≤ 2. At c = 1 it is not 0: fresh draws make a rule "
    "lossy that the residual would not.",
    broken=[broken("the bound of the best residual", rhs=lambda kept, c: overshoot_bound(c, kept.sum()))],
)
