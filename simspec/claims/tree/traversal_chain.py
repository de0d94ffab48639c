"""On a tree with one child per node, traversal verification is block verification.

`tree.traversal-chain`: Weng et al. 2025 (arXiv 2505.12398; restored).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, exact, identity
from simspec.methods.block import Outcome
from simspec.methods.block.verification import block_verifier
from simspec.methods.tree.shapes import Drafted
from simspec.methods.tree.traversal import traversal
from simspec.methods.verifier.verifier import by_rows


def _path(draw: Draw) -> Instance:
    """Laws by position and a path that the draft can say."""
    gamma = draw.integer(1, 3)
    vocab = draw.integer(1, 3)
    target, draft = (np.stack([draw.law(vocab) for _ in range(k)]) for k in (gamma + 1, gamma))
    support = [[x for x, mass in enumerate(law) if mass] for law in draft]
    path = [tokens[draw.integer(0, len(tokens) - 1)] for tokens in support]
    return {"target": target, "draft": draft, "path": path}


def _ends(found: Iterable[Outcome], target: Array) -> Array:
    """Probability of each number of accepted drafts, γ first, and of the token after them."""
    ends = exact(np.zeros(target.shape, dtype=int))
    for o in found:
        ends[len(target) - 1 - o.accepted, o.tokens[-1]] += o.probability
    return ends


def _traversal(target: Array, draft: Array, path: Sequence[int]) -> Array:
    tree: Drafted = ()
    for token in reversed(path):
        tree = ((token, tree),)
    return _ends(traversal()(by_rows(target), by_rows(draft), tree), target)


def _block(target: Array, draft: Array, path: Sequence[int]) -> Array:
    return _ends(block_verifier()(by_rows(target), by_rows(draft), tuple(path)), target)


CHAIN = identity(
    name="tree.traversal-chain",
    statement=r"On a tree with one child per node traversal verification has the outcomes of block verification",
    reference="Weng et al. 2025 (arXiv 2505.12398; restored)",
    instances=_path,
    lhs=_traversal,
    rhs=_block,
    sources=("exact",),
    note="Given what was drafted: the same number of accepted drafts and the same token after them, equally often.",
    broken=[
        Broken(
            "a uniform draft",
            lambda claim: {"lhs": lambda target, draft, path: claim.lhs(target, target[:-1] * 0 + 1, path)},
        )
    ],
)
