"""The formulas of tree.* claims, broken on purpose: each change must refute its claim."""

from __future__ import annotations

import numpy as np

from simspec.claims.balls import ball
from simspec.claims.tree.deterministic import emitted
from simspec.claims.tree.parts import levels, model, output, target_text
from simspec.methods.multi.recursive import recursive_rejection
from simspec.methods.tree.drafting import drawn
from simspec.methods.tree.shapes import height
from simspec.methods.tree.walking import certain, top_down
from tests.claims.cases import broken, get, swapped


def _told_target(rule):
    """A rule that is told the target's law of what the draft law drew."""

    def law(shape, target, draft, replace=1):
        tree = drawn(shape, bool(replace))
        return output(rule(replace), lambda told, gamma: tree(model(draft), gamma), target, target, height(shape) + 1)

    return law


def _mirrored(target, shape):
    """The target's texts with the tokens in reverse order."""
    return target_text(target[:, ::-1], height(shape) + 1)


def _first_only(p, q, children, chance):
    """The rule for deterministic candidates that draws from the whole target after a refusal."""
    token, place = certain(p, q, children, chance)
    return (token, place) if place is not None else (chance.draw(p), None)


def _first_sibling(target, trees, weights):
    return emitted(target, trees, weights, _first_only)


MUTATIONS = [
    broken("tree.rrs-lossless", lhs=_told_target(lambda replace: top_down(recursive_rejection(bool(replace))))),
    broken("tree.traversal-lossless.swr", rhs=_mirrored),
    broken("tree.traversal-lossless.swor", rhs=_mirrored),
    broken(
        "tree.traversal-chain",
        lhs=lambda target, draft, path: get("tree.traversal-chain").lhs(target, target[:-1] * 0 + 1, path),
    ),
    broken("tree.traversal-over-rrs-corrected", **swapped("tree.traversal-over-rrs-corrected")),
    broken("tree.traversal-full.swr", **swapped("tree.traversal-full.swr")),
    broken("tree.target-only-corrected", rhs=lambda target, tree: target_text(target[:, ::-1], levels(tree) + 1)),
    broken("tree.deterministic", lhs=_first_sibling),
    broken("tree.exact-match.unseen", lhs=_first_sibling),
    broken("tree.exact-match.seen-corrected", rhs=lambda p, after, offered: p[:, None] * after * (offered - after)),
    broken(
        "tree.same-acceptance",
        lhs=lambda target, tree: np.append(get("tree.same-acceptance").rhs(target, tree)[:-1], 1),
    ),
    broken("tree.eagle-best.any-corrected", rhs=get("tree.eagle-best.any").rhs),
    broken(
        "tree.eagle-best.calibrated", rhs=lambda target, nodes: get("tree.eagle-best.calibrated").rhs(target, nodes + 1)
    ),
    broken("tree.over-chain-corrected", **swapped("tree.over-chain-corrected")),
    broken("tree.sequoia-dp", lhs=lambda rates, nodes: nodes * rates.max()),
    broken("tree.fixed-arity", rhs=lambda rates: rates.sum()),
    broken("tree.power-law", **swapped("tree.power-law")),
    broken("tree.full-tree", rhs=lambda rates, levels: levels * (1 - rates.sum() + 1)),
    broken("tree.speed-of-light.equal", rhs=lambda p, nodes: get("tree.speed-of-light.equal-sharp").rhs(p, nodes) / 2),
    broken("tree.speed-of-light.equal-sharp", **swapped("tree.speed-of-light.equal-sharp")),
    broken("tree.speed-of-light.random", rhs=lambda: ball(0)),
    broken("tree.speed-of-light-tight-corrected", **swapped("tree.speed-of-light-tight-corrected")),
    broken("tree.speed-of-light-tight-corrected.limit", lhs=lambda p, nodes: np.array([0, -1]) * ball(nodes)),
    broken("tree.speed-of-light-tight-corrected.limit", lhs=lambda p, nodes: np.array([-1, 0]) * ball(nodes)),
]
