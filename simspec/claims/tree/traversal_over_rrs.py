"""`tree.traversal-over-rrs`, with its correction, and the same for children without replacement: Weng et al. 2025, abstract."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.tree.parts import accepted, tables
from simspec.claims.words import Array, Draw, Instance, at_least, bound, law
from simspec.methods.joint.verifier import by_rows, outcomes
from simspec.methods.tree.drafting import drawn
from simspec.methods.tree.shapes import Shape, full, height
from simspec.methods.tree.traversal import traversal
from simspec.methods.tree.walking import recursive, top_down

__all__ = ["OVER_RRS_CORRECTED", "recursively", "traversed"]

UNEVEN: Shape = (((), ((),)),)
"""One child, whose second child has a child and whose first has none."""


def _rows(draw: Draw) -> Instance:
    """Laws by position on some tree, for children of either kind."""
    shape = (((),),) if draw.integer(0, 1) else UNEVEN
    rows = {name: np.stack([draw.law(2) for _ in range(height(shape))]) for name in ("target", "draft")}
    return {"shape": shape, "replace": draw.integer(0, 1), **rows}


def _by_rows(rule: Any, shape: Shape, target: Array, draft: Array, replace: int) -> Any:
    last = np.concatenate([target, target[-1:]])
    found = outcomes(rule, by_rows(last), by_rows(draft), height(shape), drawn(shape, bool(replace)))
    return sum(o.probability * o.accepted for o in found)


def _full(draw: Draw) -> Instance:
    """A tree in which every node of a level has as many children, and laws by context."""
    levels = draw.integer(1, 2)
    arity = draw.integer(1, 2 if levels == 2 else 3)
    vocab = draw.integer(1, 2 if levels == 2 else 3)
    return {"arity": arity, "levels": levels, **tables(draw, vocab, levels)}


def traversed(arity: int, levels: int, target: Array, draft: Array, replace: bool = True) -> Any:
    """Mean number of accepted drafts of traversal on a full tree."""
    return accepted(traversal(replace), drawn(full(arity, levels), replace), target, draft, levels)


def recursively(arity: int, levels: int, target: Array, draft: Array, replace: bool = True) -> Any:
    """The same of recursive rejection from the root down."""
    return accepted(top_down(recursive(replace)), drawn(full(arity, levels), replace), target, draft, levels)


_REFERENCE = "Weng et al. 2025 (arXiv 2505.12398), abstract"

OVER_RRS = bound(
    name="tree.traversal-over-rrs",
    statement=r"Traversal verification accepts on average at least as many drafts as recursive rejection from the root down, on "
    r"the same drafted trees",
    reference=f"{_REFERENCE}, as a universal",
    instances=_rows,
    lhs=lambda shape, target, draft, replace: _by_rows(traversal(bool(replace)), shape, target, draft, replace),
    rhs=lambda shape, target, draft, replace: _by_rows(
        top_down(recursive(bool(replace))), shape, target, draft, replace
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
    corrected_by=("tree.traversal-over-rrs-corrected", "tree.traversal-over-rrsw"),
    note="A node that is not sure to be kept lets its first child take more of the target than recursive rejection does, and "
    "less is left to its second; where only the second child has children that costs more than it brings.",
)

OVER_RRS_CORRECTED = bound(
    name="tree.traversal-over-rrs-corrected",
    statement=r"It does for children drawn independently on full trees, in which every node down to a level has $K$ children",
    reference=f"correction of {_REFERENCE}",
    instances=_full,
    lhs=lambda arity, levels, target, draft: traversed(arity, levels, target, draft),
    rhs=lambda arity, levels, target, draft: recursively(arity, levels, target, draft),
    relation=at_least,
    tight=({"arity": 1, "levels": 1, "target": np.stack([law(1), law(1)]), "draft": law(1)[None]},),
    sources=("exact",),
    note="What the children of a node take of the target is min(c q, a p), and c is at least that of recursive rejection.",
)

OVER_RRSW = bound(
    name="tree.traversal-over-rrsw",
    statement=r"It does for children drawn without replacement on full trees",
    reference=f"correction of {_REFERENCE}",
    instances=_full,
    lhs=lambda arity, levels, target, draft: traversed(arity, levels, target, draft, replace=False),
    rhs=lambda arity, levels, target, draft: recursively(arity, levels, target, draft, replace=False),
    relation=at_least,
    tight=({"arity": 1, "levels": 1, "target": np.stack([law(1), law(1)]), "draft": law(1)[None]},),
    sources=("exact",),
    note="Tried on exact laws over two and three tokens, with zeros and ties; not proved.",
)
