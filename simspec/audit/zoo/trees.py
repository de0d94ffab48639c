"""Rules of the zoo for several drafts: (target laws, draft laws, drafts, chance) -> (tokens emitted, drafts accepted).

Laws are functions of the prefix.  How trees are drafted stands in `simspec.audit.drafting`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any, TypeAlias

from simspec.audit.drafting import Tree
from simspec.audit.zoo.member import residual
from simspec.methods.block import Model, Prefix
from simspec.methods.verifier.chance import Chance

__all__ = [
    "closed_coin",
    "one_uniform",
    "per_candidate",
    "recursive",
    "reported_certain",
    "thresholds",
]

Ending: TypeAlias = tuple[Prefix, int]


def _without(law: Sequence[Any], tokens: Sequence[int]) -> list[Any]:
    """Weights without some tokens; all of them where nothing is left."""
    remaining = [0 if y in tokens else mass for y, mass in enumerate(law)]
    return remaining if any(remaining) else list(law)


def _scaled(weights: Sequence[Any]) -> list[Any]:
    total = sum(weights)
    return [w / total for w in weights]


def per_candidate(
    target: Model, draft: Model, paths: Sequence[Prefix], chance: Chance, *, shared: bool = False
) -> Ending:
    """The longest of the matches of each path with draws of its own; `shared`: one draw for each prefix, for all paths."""
    draws: dict[Prefix, int] = {}
    best: Prefix = ()
    for path in paths:
        match: Prefix = ()
        while match == path[: len(match)] and len(match) <= len(path):
            if not shared or match not in draws:
                draws[match] = chance.draw(target(match))
            match = (*match, draws[match])
        best = max(best, match, key=len)
    return best, len(best) - 1


def recursive(
    target: Model, draft: Model, tree: Tree, chance: Chance, *, stale: bool = False, repeats: bool = False
) -> Ending:
    """Siblings drawn from the draft law are tested against what the siblings refused before have left of p.

    Parameters
    ----------
    stale : wrong: after the last level the token comes from what was left there, not from p at the leaf
    repeats : siblings were drawn independently, and are visited from the last to the first
    """
    node: Prefix = ()
    remaining: list[Any] = []
    while node in tree:
        r = list(target(node))
        reported = list(draft(node))
        remaining = []
        for token in tree[node][::-1] if repeats else tree[node]:
            if chance.keep(r[token], reported[token]):
                break
            r = remaining = _scaled(residual(r, reported))
            reported = reported if repeats else _scaled(_without(reported, [token]))
        else:
            return (*node, chance.draw(r)), len(node)
        node = (*node, token)
    return (*node, chance.draw(remaining if stale and remaining else target(node))), len(node)


def reported_certain(target: Model, draft: Model, tree: Tree, chance: Chance) -> Ending:
    """Siblings that are certain are kept with the mass that p has on them, of what those refused before have left."""
    node: Prefix = ()
    while node in tree:
        remaining = list(target(node))
        for token in tree[node]:
            if chance.keep(remaining[token], sum(remaining)):
                break
            remaining[token] = 0
        else:
            return (*node, chance.draw(remaining)), len(node)
        node = (*node, token)
    return (*node, chance.draw(target(node))), len(node)


def one_uniform(
    target: Model, tree: Tree, chance: Chance, cuts: Callable[[Sequence[Any], tuple[int, ...]], Any]
) -> Ending:
    """One uniform a node takes the sibling in whose interval it lies; beyond the last cut all are refused."""
    node: Prefix = ()
    while node in tree:
        p = list(target(node))
        siblings = tree[node]
        upto = 0
        widths = []
        for cut in cuts(p, siblings):
            widths.append(max(cut - upto, 0))
            upto = max(cut, upto)
        sibling_number = chance.draw([*widths, 1 - upto])
        if sibling_number == len(siblings):
            return (*node, chance.draw(_without(p, siblings))), len(node)
        node = (*node, siblings[sibling_number])
    return (*node, chance.draw(target(node))), len(node)


def closed_coin(
    target: Model, draft: Model, tree: Tree, chance: Chance, *, bits: int = 8, half_open: bool = False
) -> Ending:
    """Take the first sibling with uniform <= c, the mass of p up to it; the uniform is a multiple of 2^-bits.

    `half_open`: the right test, uniform < c and a sibling that p can say.
    """

    def cuts(p: Sequence[Any], siblings: tuple[int, ...]) -> list[Fraction]:
        cut_places = []
        upto = p[0] * 0
        for token in siblings:
            upto = upto + p[token]
            below = ceil(upto * 2**bits) if half_open else floor(upto * 2**bits) + 1
            cut_places.append(Fraction(min(below, 2**bits), 2**bits))
        return cut_places

    return one_uniform(target, tree, chance, cuts)


def thresholds(
    target: Model,
    draft: Model,
    tree: Tree,
    chance: Chance,
    *,
    single: Fraction | int = 1,
    acc: Fraction | int = 1,
) -> Ending:
    """Take a sibling that p can say where uniform < c/acc, c the mass of p up to it, or where its own mass is `single`."""

    def cuts(p: Sequence[Any], siblings: tuple[int, ...]) -> list[Any]:
        cut_places = []
        upto = p[0] * 0
        for token in siblings:
            upto = upto + p[token]
            sure = p[token] >= single
            cut_places.append((1 if sure else min(upto / acc, 1)) if p[token] > 0 else 0)
        return cut_places

    return one_uniform(target, tree, chance, cuts)
