"""Block verification stays lossless behind a drafter that may stop after any token.

`block.stop`: own; block verification behind a drafter that may stop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity
from simspec.claims.block.parts import EARLY, contexts, emitted, ended, target_law
from simspec.laws import Scalar
from simspec.methods.block import Model, Prefix
from simspec.methods.block.verification import block_verifier
from simspec.methods.verifier.verifier import Drafting

__all__ = ["stopping"]


def _with_stops(draw: Draw) -> Instance:
    instance = contexts(draw)
    vocab = instance["p"].shape[-1]
    halts = np.array([[bool(draw.integer(0, 1)) for _ in range(vocab)] for _ in range(instance["gamma"])])
    return {**instance, "halts": halts}


def stopping(halts: Array) -> Drafting:
    """Drafts that end after the i-th where it is one of some tokens: the drafter sees all that it drafted."""

    def drafting(draft: Model, gamma: int) -> Iterator[tuple[Any, Prefix]]:
        def longer(weight: Scalar, path: Prefix) -> Iterator[tuple[Any, Prefix]]:
            if len(path) == gamma or (path and halts[len(path) - 1, path[-1]]):
                yield weight, path
                return
            for token, mass in enumerate(draft(path)):
                if mass > 0:
                    yield from longer(weight * mass, (*path, token))

        return longer(1, ())

    return drafting


def _stopped(p: Array, q: Array, gamma: int, halts: Array) -> Array:
    return emitted(ended(EARLY, p, q, gamma, stopping(halts)), p, gamma + 1)


STOP = identity(
    name="block.stop",
    statement=r"Block verification stays lossless where the drafter may end the draft after any token, seeing all of "
    r"them, if every drafted token is verified and $h = r$ at the last",
    reference="own",
    instances=_with_stops,
    lhs=lambda p, q, gamma, halts: emitted(ended(block_verifier(), p, q, gamma, stopping(halts)), p, gamma + 1),
    rhs=lambda p, gamma: target_law(p, gamma + 1),
    sources=("exact",),
    note="Given a prefix, i or more drafts are kept with probability r whatever happens after it, so also where nothing does.",
    broken=[broken("a verifier that stops at the first refusal", lhs=_stopped)],
)
