"""`tree.traversal-lossless` in two readings: Weng et al. 2025 (arXiv 2505.12398), abstract."""

from __future__ import annotations

from functools import partial

from simspec.claims.authoring import Array, identity
from simspec.claims.tree.parts import drafted, output, target_text
from simspec.methods.tree.drafting import drawn
from simspec.methods.tree.shapes import Shape, height
from simspec.methods.tree.traversal import traversal


def _emitted(shape: Shape, target: Array, draft: Array, *, replace: bool) -> Array:
    return output(traversal(replace), drawn(shape, replace), target, draft, height(shape) + 1)


_REFERENCE = "Weng et al. 2025 (arXiv 2505.12398), abstract"
_NOTE = "The update of a is a restored one: a subtree is accepted with probability a, and its text then has the target's law."

SWR = identity(
    name="tree.traversal-lossless.swr",
    statement=r"Traversal verification is lossless, children drawn independently",
    reference=_REFERENCE,
    instances=drafted,
    lhs=partial(_emitted, replace=True),
    rhs=lambda target, shape: target_text(target, height(shape) + 1),
    sources=("exact",),
    note=_NOTE,
)

SWOR = identity(
    name="tree.traversal-lossless.swor",
    statement=r"Traversal verification is lossless, children drawn without replacement",
    reference=_REFERENCE,
    instances=drafted,
    lhs=partial(_emitted, replace=False),
    rhs=lambda target, shape: target_text(target, height(shape) + 1),
    sources=("exact",),
    note=_NOTE,
)
