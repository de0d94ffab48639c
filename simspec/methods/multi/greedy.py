"""Greedy drafting and SpecHub: draft laws made so that the best verifier is simple, and those verifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array
from simspec.laws.unchecked import normalise
from simspec.methods.multi.drafting import outside_top
from simspec.methods.verifier.chance import Chance

__all__ = ["HubPlan", "greedy_acceptance", "greedy_verification", "hub_plan", "spechub", "spechub_acceptance"]


def greedy_verification(p: Array, q: Array, drafts: Sequence[int], chance: Chance) -> tuple[int, int | None]:
    """The best rule for `greedy_drafts`: speculative decoding of the last draft, where tokens drafted for sure are accepted too.

    With q̃ the law of the last draft: it is kept with min(1, p/q̃), else a token is drawn from (p − q̃)₊, normalised.
    Lossless, acceptance p(top) + Σ min(p, q̃) over the others: claim ``multi.greedy-attains``.

    Hu et al. 2025, arXiv 2502.18779.

    >>> from simspec.laws import exact
    >>> from simspec.methods.multi import greedy_drafts, step_law
    >>> found = step_law(greedy_verification, greedy_drafts, 2, exact([0.25, 0.5, 0.25]), exact([0.5, 0.25, 0.25]))
    >>> print(*found.law, found.acceptance)
    1/4 1/2 1/4 1
    """
    target = np.asarray(p)
    _, rest = outside_top(np.asarray(q), len(drafts))
    last = drafts[-1]
    if rest[last] > 0 and chance.keep(target[last], rest[last]):
        return last, len(drafts) - 1
    token = chance.draw(normalise(np.maximum(target - rest, 0), otherwise=target))
    return token, drafts.index(token) if token in drafts else None


def greedy_acceptance(p: Array, q: Array, k: int) -> Any:
    """Acceptance of greedy verification, and the best with greedy drafts: p(top) + Σ min(p, q̃).

    >>> print(greedy_acceptance(np.array([0.25, 0.5, 0.25]), np.array([0.5, 0.25, 0.25]), 2))
    1.0
    """
    top, rest = outside_top(q, k)
    return np.where(top, p, np.minimum(p, rest)).sum(axis=-1)


class HubPlan(NamedTuple):
    """How much of the mass of every pair SpecHub turns into which token; all arrays have the shape of a law.

    Attributes
    ----------
    first : mass of pair (i, a);  second : mass of pair (a, i)
    from_first, from_second : what of these is emitted as i
    hub_second, hub_first : mass emitted as a from what is left of the pairs (a, ·), and of the pairs (·, a) (..., 1)
    left : target mass that no pair has taken
    top : a as a mask
    """

    first: Array
    second: Array
    from_first: Array
    from_second: Array
    hub_second: Array
    hub_first: Array
    left: Array
    top: Array


def hub_plan(p: Array, q: Array) -> HubPlan:
    """SpecHub's plan: each of its four steps takes as much as it can from the target mass and the mass of the pairs.

    Where q has one token alone, that token is the second draft of the pair (a, a), of which a is taken in the third step.

    >>> plan = hub_plan(np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    >>> plan.from_first.tolist(), plan.from_second.tolist(), plan.hub_second.tolist()
    ([0.0, 0.25], [0.0, 0.25], [0.5])
    """
    top, rest = outside_top(q, 2)
    at_top = np.where(top, q, 0 * q).sum(axis=-1, keepdims=True)
    first = np.where(top, 0 * q, q)
    second = np.where(at_top == 1, np.where(top, q, 0 * q), at_top * rest)
    from_first = np.minimum(np.where(top, 0 * p, p), first)
    from_second = np.minimum(np.where(top, 0 * p, p) - from_first, second)
    top_target = np.where(top, p, 0 * p).sum(axis=-1, keepdims=True)
    hub_second = np.minimum(top_target, (second - from_second).sum(axis=-1, keepdims=True))
    hub_first = np.minimum(top_target - hub_second, (first - from_first).sum(axis=-1, keepdims=True))
    remaining = np.where(top, top_target - hub_second - hub_first, p - from_first - from_second)
    return HubPlan(
        first=first,
        second=second,
        from_first=from_first,
        from_second=from_second,
        hub_second=hub_second,
        hub_first=hub_first,
        left=remaining,
        top=top,
    )


def spechub(p: Array, q: Array, drafts: Sequence[int], chance: Chance) -> tuple[int, int | None]:
    """SpecHub for drafts of the law `hub`: lossless, claim ``multi.spechub-lossless``.

    Sun et al. 2024, arXiv 2411.05289.

    >>> from simspec.laws import exact
    >>> from simspec.methods.multi import hub, step_law
    >>> found = step_law(spechub, hub, 2, exact([0.5, 0.25, 0.25]), exact([0.25, 0.5, 0.25]))
    >>> print(*found.law, found.acceptance)
    1/2 1/4 1/4 1
    """
    target = np.asarray(p)
    draft_law = np.asarray(q)
    plan = hub_plan(target, draft_law)
    at_first = bool(plan.top[drafts[0]])
    mass, usable = (plan.second, plan.from_second) if at_first else (plan.first, plan.from_first)
    for_hub = (plan.hub_second if at_first else plan.hub_first)[0]
    place = len(drafts) - 1 if at_first else 0
    candidate = drafts[place]
    if chance.keep(usable[candidate], mass[candidate]):
        return candidate, place
    if chance.keep(for_hub, (mass - usable).sum()):
        return drafts[0 if at_first else 1], 0 if at_first else 1
    return chance.draw(normalise(plan.left, otherwise=target)), None


def spechub_acceptance(p: Array, q: Array) -> Any:
    """Acceptance of SpecHub: all that its four steps take.

    Parameters
    ----------
    p, q : laws (..., V)

    >>> print(spechub_acceptance(np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.5, 0.25])))
    1.0
    """
    plan = hub_plan(p, q)
    return (plan.from_first + plan.from_second).sum(axis=-1) + (plan.hub_second + plan.hub_first)[..., 0]
