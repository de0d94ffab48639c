"""What a rule at a node emits and how often it accepts, over every tuple of drafts and every uniform: exact on fractions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array
from simspec.methods.multi.drafting import DraftLaw
from simspec.methods.multi.recursive import Node
from simspec.methods.verifier.chance import every

__all__ = ["StepLaw", "step_law"]


class StepLaw(NamedTuple):
    """What one step does: law of the emitted token, and mass of each token that is emitted as an accepted draft."""

    law: Array
    accepted: Array

    @property
    def acceptance(self) -> Any:
        """Probability that the emitted token is an accepted draft."""
        return self.accepted.sum()


def step_law(node: Node, drafts: DraftLaw, k: int, p: Array, q: Array) -> StepLaw:
    """One step of a rule with K drafts, by enumeration.

    Parameters
    ----------
    node : rule at a node
    drafts : law of the drafts
    k : int; drafts
    p, q : laws (V,)

    >>> from simspec.laws import exact
    >>> from simspec.methods.multi import iid, recursive_rejection
    >>> p, q = exact([0.25, 0.75]), exact([0.5, 0.5])
    >>> found = step_law(recursive_rejection(), iid, 2, p, q)
    >>> print(*found.law, found.acceptance)
    1/4 3/4 7/8
    """
    law = p * 0
    accepted = p * 0
    for weight, candidates in drafts(q, k):
        for probability, (token, place) in every(lambda chance, x=candidates: node(p, q, x, chance)):  # type: ignore[misc]
            law[token] += weight * probability
            if place is not None:
                accepted[token] += weight * probability
    return StepLaw(np.asarray(law), np.asarray(accepted))
