"""Recursive rejection from the root down is lossless on any fixed tree.

`tree.rrs-lossless`: SpecInfer (Miao et al. 2023); Jeon et al. 2024; Sequoia (Chen et al. 2024).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspec.claims.authoring import Array, Broken, Draw, Instance, identity
from simspec.claims.tree.parts import drafted, model, output, target_text
from simspec.methods.multi.recursive import recursive_rejection
from simspec.methods.tree.drafting import drawn
from simspec.methods.tree.shapes import Shape, height
from simspec.methods.tree.walking import top_down


def _either(draw: Draw) -> Instance:
    return {"replace": draw.integer(0, 1), **drafted(draw)}


def _emitted(shape: Shape, replace: int, target: Array, draft: Array) -> Array:
    rule = top_down(recursive_rejection(bool(replace)))
    drafting = drawn(shape, bool(replace))
    return output(rule, drafting, target, draft, height(shape) + 1)


def _reports_target(rule: Callable[[int], Any]) -> Callable[..., Array]:
    """A rule that is told the target's law of what the draft law drew."""

    def law(shape: Shape, target: Array, draft: Array, replace: int = 1) -> Array:
        tree = drawn(shape, bool(replace))
        return output(
            rule(replace), lambda reported, gamma: tree(model(draft), gamma), target, target, height(shape) + 1
        )

    return law


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
    broken=[
        Broken(
            "the verifier is given the target distribution",
            lambda _: {"lhs": _reports_target(lambda replace: top_down(recursive_rejection(bool(replace))))},
        )
    ],
)
