"""`folk.block-one-hot`, with its correction: vLLM #40819; vllm-ascend #7603."""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, exact, identity
from simspec.claims.folk.parts import chances, whether
from simspec.methods import SD, block_outcomes
from simspec.methods.block import Model
from simspec.methods.block.verification import block_verifier
from simspec.methods.joint.verifier import by_rows


def _masses(draw: Draw) -> Instance:
    return {"masses": exact([draw.number(0, 1) for _ in range(draw.integer(1, 3))])}


def _rows(masses: Array) -> tuple[Model, Model]:
    """Target and draft: draft i is certain, and the target gives it the mass i."""
    sure = exact([1, 0])
    return by_rows([*(exact([m, 1 - m]) for m in masses), sure]), by_rows([sure] * len(masses))


def _block(masses: Array) -> Array:
    """Chances of γ, …, 0 accepted drafts under block verification."""
    target, draft = _rows(masses)
    return chances(list(block_verifier()(target, draft, (0,) * len(masses))), len(masses))[::-1]


def _token(masses: Array) -> Array:
    """The same under token verification."""
    target, draft = _rows(masses)
    return chances(list(block_outcomes(SD, target, draft, (), len(masses))), len(masses))[::-1]


def _mean(chance: Array) -> Any:
    return sum(n * mass for n, mass in enumerate(chance[::-1]))


BLOCK_ONE_HOT = bound(
    name="folk.block-one-hot",
    statement=r"Telling $q = 1$ for a deterministic draft makes block verification accept less than token verification",
    reference="vLLM #40819; vllm-ascend #7603",
    instances=_masses,
    lhs=lambda masses: whether(_mean(_block(masses)) < _mean(_token(masses))),
    rhs=lambda: 1,
    relation=at_least,
    sources=("exact",),
    against=({"masses": exact([F(1, 2), F(1, 2)])},),
    corrected_by=("folk.block-one-hot-corrected",),
    note="No later token can make up for an earlier one, since no ratio p/q exceeds 1: the block has nothing to gain, and "
    "nothing to lose.",
)

BLOCK_ONE_HOT_CORRECTED = identity(
    name="folk.block-one-hot-corrected",
    statement=r"Told $q = 1$ for a deterministic draft, block and token verification accept $\gamma, \dots, 0$ drafts "
    r"with the same probabilities",
    reference="correction of vLLM #40819 and vllm-ascend #7603",
    instances=_masses,
    lhs=_block,
    rhs=_token,
    sources=("exact",),
    note="At least i drafts are accepted with the target's probability of the first i.",
)
