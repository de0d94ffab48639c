"""The best acceptance of several drafts is a minimum over sets of tokens.

`multi.subset`, `multi.two-step`, `multi.equivalent`, `multi.accept-all` and `multi.diminishing`: the optimum.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, bound, broken, identity, swapped
from simspec.claims.multi.parts import iid_best, sets_of, some_sets
from simspec.laws import overlap
from simspec.methods.multi.drafting import iid
from simspec.methods.multi.optimum import Sets, draft_sets, optimum, selected, subset_form, two_step

__all__ = ["drawn"]


def _missing(p: Array, sets: Sets) -> Any:
    """The least over sets of one token or none."""
    return min(1, *(p[t] + 1 - sets[frozenset({t})] for t in range(len(p))))


SUBSET = identity(
    name="multi.subset",
    statement=r"$\alpha^*(p, D) = \min_H p(H) + 1 - D(\text{all drafts in } H)$, for every law $D$ of the drafts",
    reference="2502.18779, abstract",
    instances=some_sets,
    lhs=lambda p, sets: optimum(p, sets).value,
    rhs=subset_form,
    sources=("exact",),
    note="A flow from sets of drafts to their tokens, and a cut: order and repetitions of drafts do not matter.",
    broken=[broken("sets of one token or none only", rhs=_missing)],
)


def _no_flow(p: Array, sets: Sets) -> Any:
    """The two-step form with the smallest token of each set selected."""
    law = selected(optimum(p, sets)._replace(flow={}), sets, len(p))
    return sum(map(min, p, law))


TWO_STEP = identity(
    name="multi.two-step",
    statement=r"$\alpha^*$ is the largest $\sum \min(p, s)$ over rules that select one of the drafts, $s$ being the law of "
    r"the selected token",
    reference="2410.18234, abstract",
    instances=some_sets,
    lhs=lambda p, sets: optimum(p, sets).value,
    rhs=two_step,
    sources=("exact",),
    note="No selection does better than the optimum, since what speculative decoding accepts of it is a draft; one that "
    "selects as the optimum emits does as well.",
    broken=[broken("no flow between the sets", rhs=_no_flow)],
)


def _first_drafts(p: Array, sets: Sets) -> Any:
    """What is accepted where the first of the drafts is always selected."""
    law = [sum(mass for drafts, mass in sets.items() if min(drafts) == token) for token in range(len(p))]
    return sum(map(min, p, law))


EQUIVALENT = identity(
    name="multi.equivalent",
    statement=r"The linear program, the subset form and the two-step form have the same value",
    reference="2511.15898, abstract",
    instances=some_sets,
    lhs=lambda p, sets: np.array([optimum(p, sets).value, two_step(p, sets)]),
    rhs=lambda p, sets: np.array([subset_form(p, sets)] * 2),
    sources=("exact",),
    broken=[
        broken(
            "the first draft is always selected",
            lhs=lambda p, sets: np.array([subset_form(p, sets), _first_drafts(p, sets)]),
        )
    ],
)


def _small(draw: Draw) -> Instance:
    p, q = draw.pair(draw.integer(1, 4))
    return {"p": p, "q": q}


def _excess(p: Array, q: Array) -> Any:
    """The largest q(H)² − p(H)."""
    over = (
        sum(q[token] for token in token_set) ** 2 - sum(p[token] for token in token_set)
        for token_set in sets_of(len(p))
    )
    return max(0, *over)


def drawn(q: Array, k: int = 2) -> Sets:
    """Sets of independent drafts."""
    return draft_sets(iid(q, k))


ACCEPT_ALL = identity(
    name="multi.accept-all",
    statement=r"Two independent drafts: $1 - \alpha^*$ is the largest $q(H)^2 - p(H)$; so $\alpha^* = 1$ if and only if "
    r"$p(H) \ge q(H)^2$ for every $H$",
    reference="2410.18234, abstract",
    instances=_small,
    lhs=lambda p, q: 1 - optimum(p, drawn(q)).value,
    rhs=_excess,
    sources=("exact",),
    broken=[broken("the rejected mass", lhs=lambda p, q: 1 - overlap(p, q))],
)


def _growing(draw: Draw) -> Instance:
    instance = _small(draw)
    return {**instance, "k": draw.integer(1, 4)}


DIMINISHING = bound(
    name="multi.diminishing",
    statement=r"$\alpha^*(p, \text{i.i.d. } K)$ is non-decreasing and concave in K",
    reference="own statement",
    instances=_growing,
    lhs=lambda p, q, k: np.array([iid_best(p, q, k), iid_best(p, q, k) + iid_best(p, q, k + 2)]),
    rhs=lambda p, q, k: np.array([iid_best(p, q, k + 1), 2 * iid_best(p, q, k + 1)]),
    sources=("exact",),
    note="So is p(H) + 1 − q(H)^K for every H, and a least of such functions is one.",
    broken=[swapped()],
)
