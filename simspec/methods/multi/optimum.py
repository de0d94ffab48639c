"""The best that any lossless verifier of several drafts can do, exactly, with a certificate that is checked without a solver.

A lossless rule that accepts only drafts is a joint law of drafts X ~ D and emitted token Y ~ p; its acceptance is the
probability that Y is among them.  The largest is a maximum flow from the sets of drafts to their tokens, and by duality
the least over sets H of tokens of p(H) + 1 − D(all drafts in H).  Quick forms for large vocabularies: `thresholds`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from simspec.laws import Array
from simspec.methods.block import Prefix

__all__ = ["Certificate", "certified", "draft_sets", "optimum", "selected", "subset_form", "subset_value", "two_step"]

LARGEST = 16
"""Most tokens over whose subsets a minimum is taken."""

Masses = Sequence[Any] | Array

Sets = dict[frozenset[int], Any]
"""Mass of every set of drafts: order and repetitions of drafts do not matter to the optimum."""


def draft_sets(drafts: Iterable[tuple[Any, Prefix]]) -> Sets:
    """Mass of every set of drafts, from pairs (probability, drafts).

    >>> draft_sets([(0.25, (0, 0)), (0.5, (0, 1)), (0.25, (1, 0))])
    {frozenset({0}): 0.25, frozenset({0, 1}): 0.75}
    """
    masses: Sets = {}
    for weight, tokens in drafts:
        masses[frozenset(tokens)] = masses.get(frozenset(tokens), 0) + weight
    return masses


def subset_value(p: Masses, sets: Sets, subset: Iterable[int]) -> Any:
    """p(H) + 1 − D(all drafts in H) for one set H of tokens: a bound on the acceptance of every lossless rule.

    >>> subset_value([0.25, 0.75], {frozenset({0}): 0.25, frozenset({0, 1}): 0.75}, [0])
    1.0
    """
    within = set(subset)
    return sum(p[token] for token in within) + sum(mass for drafts, mass in sets.items() if not drafts <= within)


def subset_form(p: Masses, sets: Sets) -> Any:
    """The least `subset_value` over all sets of tokens: the optimum, claim ``multi.subset``.

    >>> subset_form([0.25, 0.75], {frozenset({0}): 0.75, frozenset({0, 1}): 0.25})
    0.5
    """
    if len(p) > LARGEST:
        raise ValueError(f"p: {len(p)} tokens; expected at most {LARGEST}, a minimum over their subsets is taken")
    inside = [p[0] * 0] * 2 ** len(p)
    for drafts, mass in sets.items():
        inside[sum(1 << token for token in drafts)] += mass
    outside = [p[0] * 0] * 2 ** len(p)
    for token, mass in enumerate(p):
        bit = 1 << token
        for subset in range(2 ** len(p)):
            if subset & bit:
                inside[subset] += inside[subset ^ bit]
                outside[subset] += mass
    return min(o + inside[-1] - i for o, i in zip(outside, inside, strict=True))


class Certificate(NamedTuple):
    """An optimum and why it is one.

    Attributes
    ----------
    value : largest acceptance
    flow : {(set of drafts, token): mass} that attains it; the token is one of the drafts
    chosen : set of tokens whose `subset_value` it is
    """

    value: Any
    flow: dict[tuple[frozenset[int], int], Any]
    chosen: frozenset[int]


def optimum(p: Masses, sets: Sets) -> Certificate:
    """Largest acceptance of a lossless rule for drafts of a given law, by augmenting paths; exact on fractions.

    Parameters
    ----------
    p : law (V,)
    sets : mass of every set of drafts, of `draft_sets`

    Khisti et al. 2024, arXiv 2410.18234; Hu et al. 2025, arXiv 2502.18779.

    >>> from simspec.laws import exact
    >>> from simspec.methods.multi import iid
    >>> found = optimum(exact([0.25, 0.75]), draft_sets(iid(exact([0.75, 0.25]), 2)))
    >>> print(found.value, sorted(found.chosen))
    11/16 [0]
    """
    capacity = dict(enumerate(p))
    supply = {drafts: mass for drafts, mass in sets.items() if mass > 0}
    flow = {(drafts, token): mass * 0 for drafts, mass in supply.items() for token in drafts}
    while True:
        reached, way = _search(capacity, supply, flow)
        if way is None:
            value = sum(flow.values())
            return Certificate(value, {at: mass for at, mass in flow.items() if mass > 0}, reached)
        increment = min(supply[way[0][0]], capacity[way[-1][1]], *(flow[back] for back in _backwards(way)))
        for at in way:
            flow[at] += increment
        for back in _backwards(way):
            flow[back] -= increment
        supply[way[0][0]] -= increment
        capacity[way[-1][1]] -= increment


def certified(certificate: Certificate, p: Masses, sets: Sets) -> bool:
    """Whether a certificate proves its value, by sums and comparisons alone.

    The flow is no rule's unless it is within the masses of drafts and target; no rule does better than a `subset_value`.

    >>> half = {frozenset({0}): 0.5, frozenset({1}): 0.5}
    >>> certified(Certificate(1.0, {(frozenset({0}), 0): 0.5, (frozenset({1}), 1): 0.5}, frozenset()), [0.5, 0.5], half)
    True
    """
    by_token = dict.fromkeys(range(len(p)), 0)
    by_drafts = dict.fromkeys(sets, 0)
    for (drafts, token), mass in certificate.flow.items():
        if mass < 0 or token not in drafts or drafts not in by_drafts or token not in by_token:
            return False
        by_token[token] += mass
        by_drafts[drafts] += mass
    within = all(by_token[t] <= p[t] for t in by_token) and all(by_drafts[s] <= sets[s] for s in sets)
    has_known_tokens = certificate.chosen <= set(by_token)
    return bool(
        within
        and has_known_tokens
        and sum(by_token.values()) == certificate.value == subset_value(p, sets, certificate.chosen)
    )


def selected(certificate: Certificate, sets: Sets, vocab: int) -> list[Any]:
    """Law of one draft selected from each set as in a certificate; what its flow leaves open goes to the first draft.

    >>> selected(Certificate(0.5, {(frozenset({0, 1}), 1): 0.5}, frozenset()), {frozenset({0, 1}): 1.0}, 2)
    [0.5, 0.5]
    """
    law = [0 * mass for mass in list(sets.values())[:1]] * vocab
    for drafts, mass in sets.items():
        rest = mass
        for token in drafts:
            share = certificate.flow.get((drafts, token), 0)
            law[token] += share
            rest = rest - share
        law[min(drafts)] += rest
    return law


def two_step(p: Masses, sets: Sets) -> Any:
    """Acceptance where a draft is selected as the optimum selects, and then judged by speculative decoding: Σ min(p, s).

    >>> two_step([0.5, 0.5], {frozenset({0, 1}): 1.0})
    1.0
    """
    law = selected(optimum(p, sets), sets, len(p))
    return sum(min(mass, selected_mass) for mass, selected_mass in zip(p, law, strict=True))


Edge = tuple[frozenset[int], int]


def _search(capacity: dict[int, Any], supply: Sets, flow: dict[Edge, Any]) -> tuple[frozenset[int], list[Edge] | None]:
    """Tokens that more mass can reach, and edges along which it comes to one with room: back and forth between sets."""
    came: dict[int, Edge] = {}
    visited = {drafts for drafts, mass in supply.items() if mass > 0}
    before: dict[frozenset[int], int] = {}
    waiting = deque(visited)
    while waiting:
        drafts = waiting.popleft()
        for token in sorted(drafts - came.keys()):
            came[token] = (drafts, token)
            if capacity[token] > 0:
                return frozenset(came), _way(token, came, before)
            for neighbour in supply:
                if neighbour not in visited and flow.get((neighbour, token), 0) > 0:
                    visited.add(neighbour)
                    before[neighbour] = token
                    waiting.append(neighbour)
    return frozenset(came), None


def _way(token: int, came: dict[int, Edge], before: dict[frozenset[int], int]) -> list[Edge]:
    """Edges that get more mass, the first from a set with mass to spare, the last into a token with room."""
    way = [came[token]]
    while way[0][0] in before:
        way.insert(0, came[before[way[0][0]]])
    return way


def _backwards(way: Sequence[Edge]) -> list[Edge]:
    """Edges that give mass back: from each token but the last to the set that comes after it."""
    return [(later[0], edge[1]) for edge, later in pairwise(way)]
