"""What claims about trees share: laws by context, shapes, candidate trees, laws of texts and accepted drafts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, exact
from simspec.methods.block import Model, Outcome, Prefix
from simspec.methods.tree.shapes import Drafted, Shape, height
from simspec.methods.verifier.verifier import Drafting, Verifier, next_tokens, outcomes

__all__ = [
    "SHAPES",
    "accepted",
    "candidate_tree",
    "candidates",
    "contexts",
    "drafted",
    "levels",
    "model",
    "output",
    "place",
    "tables",
    "target_text",
    "text",
]

SHAPES: tuple[Shape, ...] = (
    ((),),
    ((), ()),
    (((),),),
    (((), ()),),
    (((),), ()),
    ((), ((),)),
)
"""Trees of up to three drafts on which rules are enumerated."""


def place(prefix: Prefix, vocab: int) -> int:
    """Number of a context: by length, then in order of tokens.

    >>> [place(c, 2) for c in ((), (0,), (1,), (0, 0))]
    [0, 1, 2, 3]
    """
    number = 0
    for token in prefix:
        number = number * vocab + token + 1
    return number


def contexts(vocab: int, most: int) -> int:
    """How many contexts have at most so many tokens.

    >>> contexts(2, 2)
    7
    """
    return sum(vocab**n for n in range(most + 1))


def model(table: Array) -> Model:
    """Laws by context, a row for each; longer contexts have the last one.

    >>> model(exact([[1, 0], [0, 1]]))((1, 1)).tolist()
    [Fraction(0, 1), Fraction(1, 1)]
    """
    vocab = table.shape[-1]
    return lambda prefix: table[min(place(prefix, vocab), len(table) - 1)]


def tables(draw: Draw, vocab: int, most: int) -> Instance:
    """Target laws of contexts of up to so many tokens, and draft laws of shorter ones."""
    return {
        "target": np.stack([draw.law(vocab) for _ in range(contexts(vocab, most))]),
        "draft": np.stack([draw.law(vocab) for _ in range(contexts(vocab, most - 1))]),
    }


def drafted(draw: Draw, shapes: Sequence[Shape] = SHAPES) -> Instance:
    """A shape, and laws by context: over up to three tokens for two siblings, two otherwise."""
    shape = shapes[draw.integer(0, len(shapes) - 1)]
    vocab = draw.integer(1, 3 if shape == ((), ()) else 2)
    return {"shape": shape, **tables(draw, vocab, height(shape))}


def candidate_tree(
    draw: Draw, vocab: int, levels_left: int, repeats: bool = False, fewest_children: int = 0
) -> Drafted:
    """Any tree of up to so many levels, with at least so many children of the root; siblings are different unless `repeats`."""
    unused_tokens = list(range(vocab))
    children = []
    for _ in range(draw.integer(fewest_children, vocab) if levels_left else 0):
        token = unused_tokens[draw.integer(0, len(unused_tokens) - 1)]
        if not repeats:
            unused_tokens.remove(token)
        children.append((token, candidate_tree(draw, vocab, levels_left - 1, repeats)))
    return tuple(children)


def candidates(draw: Draw, repeats: bool = False) -> Instance:
    """Some candidate trees of up to two levels, the probability of each, and target laws."""
    vocab = draw.integer(1, 2)
    count = draw.integer(1, 2)
    return {
        "trees": [candidate_tree(draw, vocab, 2, repeats) for _ in range(count)],
        "weights": draw.law(count),
        "target": np.stack([draw.law(vocab) for _ in range(contexts(vocab, 2))]),
    }


def levels(tree: Drafted) -> int:
    """Most drafts on a path.

    >>> levels(((0, ((1, ()),)),))
    2
    """
    return max((1 + levels(below) for _, below in tree), default=0)


def text(found: Sequence[Outcome], target: Array, length: int) -> Array:
    """Law of the next tokens, text by text in order."""
    vocab = target.shape[-1]
    law = next_tokens(found, model(target), length)
    masses = [Fraction(0)] * vocab**length
    for tokens, mass in law.items():
        masses[place(tokens, vocab) - contexts(vocab, length - 1)] += mass
    return exact(masses)


def target_text(target: Array, length: int) -> Array:
    """The same of the target alone.

    >>> print(*target_text(exact([[1, 0], [Fraction(1, 2)] * 2]), 2))
    1/2 1/2 0 0
    """
    return text([Outcome(1, (), 0)], target, length)


def output(verifier: Verifier, drafting: Drafting, target: Array, draft: Array, length: int) -> Array:
    """Law of the first tokens of a rule, every drafted tree and every coin enumerated."""
    return text(outcomes(verifier, model(target), model(draft), length - 1, drafting), target, length)


def accepted(verifier: Verifier, drafting: Drafting, target: Array, draft: Array, most: int) -> Any:
    """Mean number of accepted drafts of trees of up to so many levels."""
    outcome_list = outcomes(verifier, model(target), model(draft), most, drafting)
    return sum((o.probability * o.accepted for o in outcome_list), start=Fraction(0))
