"""What is drafted, and how likely: one path, several paths, or a tree, as arrays for a sampler whose uniforms are arguments.

A path is an array (gamma,).  Several paths are (K, gamma).  A tree with at most k siblings at a node is the k^gamma paths
from its root, in the order in which siblings are tested, padded with -1 where a node has fewer: the tokens after a node
stand in equal blocks of rows, so that siblings drawn twice stand there twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simspec.audit.levels import Laws, is_tree, model_of
from simspec.checks import nearest
from simspec.laws import exact
from simspec.methods.block import Model, Prefix
from simspec.methods.verifier.chance import Chance, every
from simspec.methods.verifier.verifier import Drafting, one_path

__all__ = [
    "DRAFTERS",
    "Drafter",
    "Drafts",
    "Drawn",
    "Tree",
    "as_paths",
    "as_tree",
    "candidates",
    "drafting_of",
    "drafts_by",
    "drafts_named",
    "drafts_of",
    "drawn_inside",
    "drawn_siblings",
    "fractions_of",
    "given_drafts",
    "top_siblings",
]

Tree: TypeAlias = dict[Prefix, tuple[int, ...]]
"""Which siblings are drafted after each prefix, in the order of their tests."""
Drafter = Callable[[Model, int, Chance], Any]
"""(draft laws, gamma, chance) -> drafted tokens: a path, a tuple of paths, or a tree."""


class Drafts(NamedTuple):
    """Every draft that can come, (m, ...) integers, and its probability."""

    tokens: NDArray[np.int64]
    chances: list[Fraction]


Drawn = Callable[[Any], Laws | Drafts]
"""Draft laws -> the laws from which drafts on one path really come, or all drafts with their probabilities."""


def fractions_of(laws: Laws) -> Laws:
    """Laws in fractions, each divided by its sum.

    >>> print(*fractions_of(np.array([[0.25, 0.75]]))[0])
    1/4 3/4
    """
    if is_tree(laws):
        return tuple(map(fractions_of, laws))  # type: ignore[arg-type]
    masses = exact(laws)
    return masses / masses.sum(axis=-1, keepdims=True)


def drafts_of(drawn: Laws) -> Drafts:
    """Every path that has mass under laws in fractions.

    >>> drafts_of(fractions_of(np.array([[0.25, 0.75], [1.0, 0.0]])))
    Drafts(tokens=array([[0, 0],
           [1, 0]]), chances=[Fraction(1, 4), Fraction(3, 4)])
    """
    paths = list(one_path(model_of(drawn), len(drawn)))
    tokens = np.array([path for _, path in paths], dtype=np.int64).reshape(len(paths), len(drawn))
    return Drafts(tokens, [Fraction(weight) for weight, _ in paths])


def given_drafts(q: Laws, drawn: Laws | Drafts | None = None) -> Drafts:
    """All drafts: those given, or the paths that have mass under the laws given, by default under q."""
    return drawn if isinstance(drawn, Drafts) else drafts_of(fractions_of(q if drawn is None else drawn))


def drawn_inside(q: Laws) -> Drafts:
    """What is passed as drafts to a sampler that draws its drafts itself, from its own uniforms: zeros, that it ignores.

    >>> drawn_inside(np.array([[0.25, 0.75]]))
    Drafts(tokens=array([[0]]), chances=[Fraction(1, 1)])
    """
    return Drafts(np.zeros((1, len(q)), dtype=np.int64), [Fraction(1)])


def drafts_by(drafting: Drafting, q: Laws) -> Drafts:
    """Every draft of a drafting on draft laws, as arrays; equal ones are one.

    >>> found = drafts_by(drafting_of(partial(drawn_siblings, k=2)), np.array([[0.25, 0.25, 0.5]]))
    >>> found.tokens[..., 0].tolist(), [str(chance) for chance in found.chances][:2]
    ([[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]], ['1/12', '1/6'])
    """
    gamma = len(q)
    weighted_drafts = list(drafting(model_of(fractions_of(q)), gamma))
    trees = [x for _, x in weighted_drafts if isinstance(x, dict)]
    width = max((len(siblings) for tree in trees for siblings in tree.values()), default=1)
    chances: dict[bytes, Fraction] = {}
    arrays: dict[bytes, NDArray[np.int64]] = {}
    for weight, x in weighted_drafts:
        array = as_paths(x, gamma, width) if isinstance(x, dict) else np.array(x, dtype=np.int64)
        key = array.tobytes()
        arrays.setdefault(key, array)
        chances[key] = chances.get(key, Fraction(0)) + Fraction(weight)
    return Drafts(np.stack(list(arrays.values())), list(chances.values()))


def drafting_of(drafter: Drafter) -> Drafting:
    """All ways of a drafter, with their probabilities."""
    return lambda draft, gamma: every(lambda chance: drafter(draft, gamma, chance))


# --- trees ----------------------------------------------------------------------------------------------------------


def as_paths(tree: Tree, gamma: int, width: int) -> NDArray[np.int64]:
    """The width^gamma paths of a tree.

    >>> as_paths({(): (1, 0), (1,): (0,), (0,): (2, 2)}, 2, 2).tolist()
    [[1, 0], [1, -1], [0, 2], [0, 2]]
    """
    paths = np.full((width**gamma, gamma), -1)

    def fill(node: Prefix, start: int) -> None:
        step = width ** (gamma - len(node) - 1)
        for j, token in enumerate(tree.get(node, ())):
            paths[start + j * step : start + (j + 1) * step, len(node)] = token
            if len(node) + 1 < gamma:
                fill((*node, token), start + j * step)

    if gamma:
        fill((), 0)
    return paths


def as_tree(paths: NDArray[np.int64]) -> Tree:
    """The tree of its paths (k^gamma, gamma).

    >>> as_tree(np.array([[1, 0], [1, -1], [0, 2], [0, 2]]))
    {(): (1, 0), (1,): (0,), (0,): (2, 2)}
    """
    number, gamma = paths.shape
    tree: Tree = {}

    def read(node: Prefix, start: int) -> None:
        step = width ** (gamma - len(node) - 1)
        below = {start + j * step: int(paths[start + j * step, len(node)]) for j in range(width)}
        tree[node] = tuple(token for token in below.values() if token >= 0)
        if len(node) + 1 < gamma:
            for at, token in below.items():
                if token >= 0:
                    read((*node, token), at)

    if gamma:
        width = round(number ** (1 / gamma))
        read((), 0)
    return tree


def _grown(gamma: int, siblings: Callable[[Prefix], tuple[int, ...]]) -> Tree:
    tree: Tree = {}
    level: list[Prefix] = [()]
    for _ in range(gamma):
        tree.update((node, siblings(node)) for node in level)
        level = [(*node, token) for node in level for token in dict.fromkeys(tree[node])]
    return tree


def _top(law: Sequence[Any], k: int) -> tuple[int, ...]:
    return tuple(sorted(range(len(law)), key=lambda y: (-law[y], y))[:k])


def top_siblings(draft: Model, gamma: int, chance: Chance, *, k: int = 2) -> Tree:
    """The k most likely tokens of the draft at each node, the lowest at ties; nothing is drawn.

    >>> top_siblings(lambda prefix: [0.25, 0.5, 0.25], 1, None)
    {(): (1, 0)}
    """
    return _grown(gamma, lambda node: _top(list(draft(node)), k))


def drawn_siblings(draft: Model, gamma: int, chance: Chance, *, k: int = 2, repeats: bool = False) -> Tree:
    """At each node k tokens drawn from the draft law, each from what the others left, or with repeats."""

    def siblings(node: Prefix) -> tuple[int, ...]:
        tokens: list[int] = []
        remaining = list(draft(node))
        while len(tokens) < k and any(remaining):
            tokens.append(chance.draw(remaining))
            remaining = remaining if repeats else [0 if y in tokens else mass for y, mass in enumerate(remaining)]
        return tuple(tokens)

    return _grown(gamma, siblings)


def candidates(draft: Model, gamma: int, chance: Chance, *, k: int = 2) -> tuple[Prefix, ...]:
    """All paths through the k most likely tokens of the draft at each node; nothing is drawn.

    >>> candidates(lambda prefix: [0.25, 0.5, 0.25], 2, None)
    ((1, 1), (1, 0), (0, 1), (0, 0))
    """
    tree = top_siblings(draft, gamma, chance, k=k)
    paths: list[Prefix] = [()]
    for _ in range(gamma):
        paths = [(*path, token) for path in paths for token in tree[path]]
    return tuple(paths)


DRAFTERS: dict[str, Callable[..., Any]] = {
    "top": top_siblings,
    "siblings": drawn_siblings,
    "repeats": partial(drawn_siblings, repeats=True),
}
"""Ways to draft a tree, by name: the most likely tokens, tokens drawn without repeats, or with them."""


def drafts_named(name: str) -> Drawn:
    """What a name such as "top:2" stands for: a tree with so many siblings at each node.

    Raises ValueError where it stands for nothing.

    >>> drafts_named("top:2")(np.array([[0.25, 0.5, 0.25]])).tokens.tolist()
    [[[1], [0]]]
    """
    kind, _, number = name.partition(":")
    if kind not in DRAFTERS or not number.isdecimal() or not int(number):
        near = "" if kind in DRAFTERS else nearest(kind, DRAFTERS)
        usages = ", ".join(f"{drafter}:K" for drafter in DRAFTERS)
        raise ValueError(f"drafts: {name!r}{near}; expected one of {usages}, with K siblings per node")
    drafter = partial(DRAFTERS[kind], k=int(number))
    return lambda q: drafts_by(drafting_of(drafter), q)
