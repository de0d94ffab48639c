"""Shares of matches with the emitted tokens do not order drafters as their acceptance rates do.

`select.matches` in two readings, with a correction: own statement on arXiv 2510.20064.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, at_most, bound, broken, law
from simspec.claims.folk.parts import at_top
from simspec.laws import overlap

__all__ = ["largest", "sampled_match"]

REFERENCE = "own statement, on Liu et al. 2025 (arXiv 2510.20064)"
MORE = "its tokens match the emitted ones more often"


def sampled_match(p: Array, q: Array) -> Any:
    """Probability that a sample of the drafter is the emitted token, Σ p q.

    >>> print(sampled_match(law("1/2", "1/2"), law(1, 0)))
    1/2
    """
    return (p * q).sum(axis=-1)


def largest(p: Array, q: Array) -> Any:
    """The largest mass that either law gives a token."""
    return np.maximum(p, q).max()


def _pair(draw: Draw) -> Instance:
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def _drafters(matches: Callable[[Array, Array], Any]) -> Callable[[Draw], Instance]:
    """A target and two drafters, the one with more matches first."""

    def instances(draw: Draw) -> Instance:
        vocab = draw.vocab(2)
        p = draw.law(vocab)
        q, rival = sorted((draw.law(vocab), draw.law(vocab)), key=lambda law: -matches(p, law))
        return {"p": p, "q": q, "rival": rival}

    return instances


GREEDY = bound(
    name="select.matches.greedy",
    statement=r"The drafter whose most likely token is the emitted one more often has the larger acceptance $\sum \min(p, q_i)$",
    reference=REFERENCE,
    instances=_drafters(at_top),
    assumes={MORE: lambda p, q, rival: at_top(p, q) > at_top(p, rival)},
    lhs=lambda p, q: overlap(p, q),
    relation=at_least,
    rhs=lambda p, rival: overlap(p, rival),
    sources=("exact",),
    outside={MORE: {"p": law("1/2", "1/2"), "q": law(1, 0), "rival": law("1/2", "1/2")}},
    corrected_by=("folk.drop-probs-corrected",),
    within=({"p": law("5/8", "3/8"), "q": law("7/8", "1/8"), "rival": law("7/16", "9/16")},),
    note="A match looks at one token of the draft. For a draft that is proposed greedily and reported as certain it is the "
    "acceptance rate; for a sampled one it may be larger or smaller.",
)

SAMPLED = bound(
    name="select.matches.sampled",
    statement=r"The drafter whose samples are the emitted token more often has the larger acceptance $\sum \min(p, q_i)$",
    reference=REFERENCE,
    instances=_drafters(sampled_match),
    assumes={MORE: lambda p, q, rival: sampled_match(p, q) > sampled_match(p, rival)},
    lhs=lambda p, q: overlap(p, q),
    relation=at_least,
    rhs=lambda p, rival: overlap(p, rival),
    sources=("exact",),
    outside={MORE: {"p": law("1/2", "1/2"), "q": law(1, 0), "rival": law("1/2", "1/2")}},
    corrected_by=("select.matches.sampled-corrected",),
    within=({"p": law("3/4", "1/4"), "q": law("15/16", "1/16"), "rival": law("3/4", "1/4")},),
    note="Independent samples match most often where the drafter bets on the target's mode, and not where it is the target.",
)

SAMPLED_CORRECTED = bound(
    name="select.matches.sampled-corrected",
    statement=r"The share of sampled matches is at most $M\,\alpha$, $\alpha = \sum_x \min(p(x), q(x))$ and $M$ the largest mass "
    r"of either law",
    reference="correction of an own statement, on Liu et al. 2025 (arXiv 2510.20064)",
    instances=_pair,
    lhs=sampled_match,
    relation=at_most,
    rhs=lambda p, q: largest(p, q) * overlap(p, q),
    tight=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2")}, {"p": law("1/2", "1/2"), "q": law(1, 0)}),
    sources=("exact",),
    note="So matches never exceed the acceptance rate, and say how large it is at least. Equality where every token that both "
    "have has the mass M in one of them.",
    broken=[broken("the largest mass of the target", rhs=lambda p, q: p.max() * overlap(p, q))],
)
