"""What is known of a rule for several drafts of a step: how they are drawn, and how often it accepts one of them.

`simspec.methods.registry` holds the rules themselves, by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simspec.checks import whole_number
from simspec.laws import Array, overlap
from simspec.methods.multi.greedy import hub_plan
from simspec.methods.multi.thresholds import optimal_acceptance

__all__ = [
    "MOST_DRAFTS",
    "Accepts",
    "Siblings",
    "acceptance_of",
    "first_is_overlap",
    "hub_alone",
    "most_of",
    "top_alone",
    "top_mass",
]

MOST_DRAFTS = 64
"""Most drafts of one step."""

Accepts = Callable[[Array, Array], Any]
"""Laws p and q (..., V) -> acceptance (...)."""


@dataclass(frozen=True)
class Siblings:
    """How a rule for several drafts of a step treats them.

    Attributes
    ----------
    drafts : how they are drawn: "iid", "swor" (without replacement), "hub", "greedy" or "top"
    acceptance : (p, q, K) -> probability that one of them is accepted
    fixed : their number, where the rule allows only one
    first : (p, q, K) -> probability that one certain draft is the one that is accepted: the first to be tested, or the most
        likely; None where that is not known, of a bound, and where a whole tree is judged together
    is_bound : whether this is the best of all rules and no rule that can be run
    judges_tree : whether all levels of a call are judged together
    """

    drafts: str
    acceptance: Callable[[Array, Array, int], Any]
    fixed: int | None = None
    first: Callable[[Array, Array, int], Any] | None = None
    is_bound: bool = False
    judges_tree: bool = False

    def number(self, drafts: Any = None) -> int:
        """The number of drafts, checked; the fixed one where there is one."""
        if self.fixed is not None:
            return self.fixed
        return whole_number("K", drafts, 1, MOST_DRAFTS, f"a number of drafts from 1 to {MOST_DRAFTS}")


def first_is_overlap(p: Array, q: Array, k: int) -> Any:
    """The first of the drafts is accepted as often as a single one is."""
    return overlap(p, q)


def top_alone(p: Array, q: Array, k: int) -> Any:
    """Target mass of the draft's most likely token, which greedy drafts hold for sure where they are several."""
    return np.take_along_axis(p, q.argmax(axis=-1)[..., None], axis=-1)[..., 0] if k > 1 else overlap(p, q)


def hub_alone(p: Array, q: Array, k: int) -> Any:
    """Mass with which SpecHub accepts its hub, the draft's most likely token."""
    plan = hub_plan(p, q)
    return (plan.hub_second + plan.hub_first)[..., 0]


def top_mass(p: Array, q: Array, k: int) -> Any:
    """Target mass of the draft's K most likely tokens, the first of equals: what is accepted of them at most, and at best.

    Claims ``tree.same-acceptance`` and ``tree.deterministic``.

    Parameters
    ----------
    p, q : laws (..., V); exact on fractions
    k : int >= 1; drafts, all tokens where there are fewer

    >>> float(top_mass(np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5]), 2))
    0.75
    """
    order = np.argsort(-q, axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(p, order, axis=-1).sum(axis=-1)


def acceptance_of(siblings: Siblings, drafts: Any = None) -> Accepts:
    """Laws p and q -> acceptance, with a number of drafts.

    >>> float(acceptance_of(Siblings("top", top_mass), 1)(np.array([0.25, 0.75]), np.array([0.75, 0.25])))
    0.25
    """
    k = siblings.number(drafts)
    return lambda p, q: siblings.acceptance(p, q, k)


def most_of(siblings: Siblings, drafts: Any = None) -> Accepts:
    """The most that any lossless rule accepts with drafts drawn as this rule draws them.

    >>> float(most_of(Siblings("iid", top_mass), 2)(np.array([0.25, 0.75]), np.array([0.75, 0.25])))
    0.6875
    """
    k = siblings.number(drafts)
    if siblings.drafts == "top":
        return lambda p, q: top_mass(p, q, k)
    return lambda p, q: optimal_acceptance(p, q, k, siblings.drafts)
