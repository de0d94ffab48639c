"""Traversal verification accepts on average at least as many drafts as recursive rejection.

`tree.traversal-over-rrs`, with its correction, and the same on full trees: Weng et al. 2025, abstract.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, law, matrix, swapped
from simspec.claims.tree.parts import accepted, tables
from simspec.methods.multi.recursive import recursive_rejection
from simspec.methods.tree.drafting import drawn
from simspec.methods.tree.shapes import Shape, chain, full, height
from simspec.methods.tree.traversal import traversal
from simspec.methods.tree.walking import top_down
from simspec.methods.verifier.verifier import by_rows, outcomes

__all__ = ["UNEVEN"]

UNEVEN: Shape = (((), ((),)),)
"""One child, whose second child has a child and whose first has none."""


def _rows(draw: Draw) -> Instance:
    """Laws by position on some tree, for children of either kind."""
    shape = (((),),) if draw.integer(0, 1) else UNEVEN
    rows = {name: np.stack([draw.law(2) for _ in range(height(shape))]) for name in ("target", "draft")}
    return {"shape": shape, "replace": draw.integer(0, 1), **rows}


def _by_rows(rule: Callable[..., Any], shape: Shape, target: Array, draft: Array, replace: int) -> Any:
    last = np.concatenate([target, target[-1:]])
    outcome_list = outcomes(rule, by_rows(last), by_rows(draft), height(shape), drawn(shape, bool(replace)))
    return sum(o.probability * o.accepted for o in outcome_list)


def _full(draw: Draw) -> Instance:
    """A tree in which every inner node has as many children, and laws by context."""
    levels = draw.integer(1, 2)
    arity = draw.integer(1, 2 if levels == 2 else 3)
    vocab = draw.integer(1, 2 if levels == 2 else 3)
    return {"arity": arity, "levels": levels, **tables(draw, vocab, levels)}


def _full_rows(draw: Draw) -> Instance:
    """Laws by position over two tokens; more are in the listed instance, since they take long to enumerate."""
    return {name: np.stack([draw.law(2) for _ in range(2)]) for name in ("target", "draft")}


def _chains(draw: Draw) -> Instance:
    """One to three children of the root, a chain each, and laws by context."""
    levels = draw.integer(1, 2)
    vocab = draw.integer(1, 2 if levels == 2 else 3)
    shape = tuple(chain(draw.integer(0, levels - 1)) for _ in range(draw.integer(1, 3)))
    return {"shape": shape, "replace": draw.integer(0, 1), **tables(draw, vocab, levels)}


def _accepted(rule: Callable[..., Any], shape: Shape, target: Array, draft: Array, replace: int) -> Any:
    return accepted(rule, drawn(shape, bool(replace)), target, draft, height(shape))


_REFERENCE = "Weng et al. 2025 (arXiv 2505.12398), abstract"

OVER_RRS = bound(
    name="tree.traversal-over-rrs",
    statement=r"Traversal verification accepts on average at least as many drafts as recursive rejection from the root down, on "
    r"the same drafted trees",
    reference=f"{_REFERENCE}, as a universal",
    instances=_rows,
    lhs=lambda shape, target, draft, replace: _by_rows(traversal(bool(replace)), shape, target, draft, replace),
    rhs=lambda shape, target, draft, replace: _by_rows(
        top_down(recursive_rejection(bool(replace))), shape, target, draft, replace
    ),
    relation=at_least,
    sources=("exact",),
    against=(
        {
            "shape": UNEVEN,
            "target": np.stack([law("1/2", "1/2"), law(1, 0), law(1, 0)]),
            "draft": np.stack([law(1, 0), law("1/2", "1/2"), law(1, 0)]),
            "replace": 0,
        },
    ),
    corrected_by=("tree.traversal-over-rrs-corrected", "tree.traversal-full.swr"),
    within=(
        {
            "shape": (((), ((),)),),
            "replace": 0,
            "target": matrix("1/2 1/2", "1/2 1/2", "1/2 1/2"),
            "draft": matrix("2/3 1/3", "2/3 1/3", "1/2 1/2"),
        },
    ),
    note="A node that is not sure to be kept lets its first child take more of the target than recursive rejection does, and "
    "less is left to its second; where only the second child has children that costs more than it brings.",
)

OVER_RRS_CORRECTED = bound(
    name="tree.traversal-over-rrs-corrected",
    statement=r"Traversal verification accepts on average at least as many drafts as recursive rejection from the root "
    r"down on trees in which only the root has more than one child, drawn independently or without replacement",
    reference=f"correction of {_REFERENCE}",
    instances=_chains,
    lhs=lambda shape, target, draft, replace: _accepted(traversal(bool(replace)), shape, target, draft, replace),
    rhs=lambda shape, target, draft, replace: _accepted(
        top_down(recursive_rejection(bool(replace))), shape, target, draft, replace
    ),
    relation=at_least,
    tight=({"shape": ((),), "replace": 0, "target": np.stack([law(1), law(1)]), "draft": law(1)[None]},),
    sources=("exact",),
    note="The root is sure to be kept, so there both rules do the same; a chain is block against token verification.",
    broken=[swapped()],
)

FULL_SWR = bound(
    name="tree.traversal-full.swr",
    statement=r"Traversal verification accepts on average at least as many drafts as recursive rejection from the root down on "
    r"full trees, in which every inner node has $K$ children, drawn independently",
    reference="own",
    instances=_full,
    lhs=lambda arity, levels, target, draft: _accepted(traversal(), full(arity, levels), target, draft, 1),
    rhs=lambda arity, levels, target, draft: _accepted(
        top_down(recursive_rejection()), full(arity, levels), target, draft, 1
    ),
    relation=at_least,
    tight=({"arity": 1, "levels": 1, "target": np.stack([law(1), law(1)]), "draft": law(1)[None]},),
    sources=("exact",),
    note="What the children of a node take of the target is min(c q, a p), and c is at least that of recursive rejection.",
    broken=[swapped()],
)

FULL_SWOR = bound(
    name="tree.traversal-full.swor",
    statement=r"Traversal verification accepts on average at least as many drafts as recursive rejection from the root "
    r"down on full trees, in which every inner node has $K$ children, drawn without replacement",
    reference="own",
    instances=_full_rows,
    lhs=lambda target, draft: _by_rows(traversal(replace=False), full(2, 2), target, draft, 0),
    rhs=lambda target, draft: _by_rows(top_down(recursive_rejection(replace=False)), full(2, 2), target, draft, 0),
    relation=at_least,
    sources=("exact",),
    against=(
        {
            "target": np.stack([law("3/4", "1/4", 0, 0), law("1/4", 0, "1/4", "1/2")]),
            "draft": np.stack([law(1, 0, 0, 0), law("1/5", "3/5", 0, "1/5")]),
        },
    ),
    corrected_by=("tree.traversal-over-rrs-corrected",),
    within=(
        {
            "target": matrix("1535/2048 1/4 1/4096 1/4096", "1/4 1/4096 1/4 2047/4096"),
            "draft": matrix("4093/4096 1/4096 1/4096 1/4096", "4097/20480 12281/20480 1/4096 4097/20480"),
        },
    ),
    note="Which token is refused first decides what the second child is drawn from, and a node that is not sure to be kept "
    "refuses others more often. It takes four tokens: over two and three no search found a case.",
)
