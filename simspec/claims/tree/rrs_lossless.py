"""`tree.rrs-lossless`: SpecInfer (Miao et al. 2023); Jeon et al. 2024; Sequoia (Chen et al. 2024)."""

from __future__ import annotations

from simspec.claims.authoring import Array, Draw, Instance, identity
from simspec.claims.tree.parts import drafted, output, target_text
from simspec.methods.multi.recursive import recursive_rejection
from simspec.methods.tree.drafting import drawn
from simspec.methods.tree.shapes import Shape, height
from simspec.methods.tree.walking import top_down


def _either(draw: Draw) -> Instance:
    return {"replace": draw.integer(0, 1), **drafted(draw)}


def _emitted(shape: Shape, replace: int, target: Array, draft: Array) -> Array:
    rule, drafting = top_down(recursive_rejection(bool(replace))), drawn(shape, bool(replace))
    return output(rule, drafting, target, draft, height(shape) + 1)


RRS_LOSSLESS = identity(
    name="tree.rrs-lossless",
    statement=r"Recursive rejection from the root down is lossless on any fixed tree shape, for children drawn independently "
    r"or without replacement",
    reference="SpecInfer (Miao et al. 2023); Sequoia (Chen et al. 2024, arXiv 2402.12374)",
    instances=_either,
    lhs=_emitted,
    rhs=lambda target, shape: target_text(target, height(shape) + 1),
    sources=("exact",),
    note="What the verifier is told of a child's law does not matter beyond the law that it was drawn from: after a refusal "
    "what is left of the target is the same whichever token was refused.",
)
