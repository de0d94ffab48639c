"""How many drafts are verified may depend on the drafts before the first that is dropped, and not on that draft itself.

`stop.schedule.before` and `stop.schedule.after`: arXiv 2607.05147, of which only the title was at hand; statements restored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, broken, identity, matrix, procedure
from simspec.claims.stop.parts import after, by_text, models
from simspec.claims.texts import markov, written
from simspec.methods.block import Model, Prefix
from simspec.methods.stop import told_verifier
from simspec.methods.verifier.verifier import Drafting, one_path

__all__ = ["scheduled"]

SOURCE = "vLLM #35301 and llama.cpp #22506 (confidence thresholds), with arXiv 2607.05147 in mind (text not at hand)"


def scheduled(p: Array, q: Array, gamma: int, length: int, ends: Array, looks: int) -> Array:
    """Law of the first tokens: γ drafts are made in any case, and those before the first whose row of `ends` is set are verified.

    For the draft i the rule looks at the i − 1 + `looks` first tokens of the call, so at itself where `looks` is 1.
    """

    def drafting(text: Prefix) -> Drafting:
        def cut(path: Prefix) -> Prefix:
            dropped = (i for i in range(len(path)) if after(ends[i], text + path[: i + looks]))
            return path[: next(dropped, len(path))]

        def drafts(draft: Model, number: int) -> Iterator[tuple[Any, Prefix]]:
            for weight, path in one_path(draft, number):
                yield weight, cut(path)

        return drafts

    return by_text(markov(p), markov(q), drafting, told_verifier(), gamma, length)


def _before(p: Array, q: Array, gamma: int, length: int, ends: Array) -> Array:
    return scheduled(p, q, gamma, length, ends, 0)


def _after(p: Array, q: Array, gamma: int, length: int, ends: Array) -> Array:
    return scheduled(p, q, gamma, length, ends, 1)


BEFORE = identity(
    name="stop.schedule.before",
    statement=r"$\gamma$ tokens are drafted, and how many of them are verified depends on confidences of the drafts before the "
    r"first one that is dropped: lossless",
    reference=SOURCE,
    instances=models,
    lhs=_before,
    rhs=lambda p, length: written(markov(p), p.shape[-1], length),
    sources=("exact",),
    note="Whatever function of earlier tokens, of their laws, and of the law of the draft in question the rule uses. It is "
    "stop.law-only with drafts that exist before they are dropped unseen.",
    broken=[broken("the rule looks at the draft that it drops", lhs=_after)],
)

AFTER = procedure(
    name="stop.schedule.after",
    statement=r"$\gamma$ tokens are drafted, and how many of them are verified depends on confidences up to and including that "
    r"of the first one that is dropped: lossless",
    reference=SOURCE,
    instances=models,
    lhs=_after,
    rhs=lambda p, length: written(markov(p), p.shape[-1], length),
    sources=("exact",),
    corrected_by=("stop.schedule.before", "stop.dropped-repair.text", "stop.dropped.told-q-corrected"),
    within=(
        {
            **{"p": matrix("1/2 1/2", "1/2 1/2", "1/2 1/2"), "q": matrix("1/2 1/2", "1/2 1/2", "1/2 1/2")},
            **{"gamma": 1, "length": 1, "ends": np.array([[False, True, False]] * 3)},
        },
    ),
    note="The same as stop.dropped.told-q: drafts that are likely to survive are verified more often than they are drawn. It is "
    "lossless if the verifier gets the law of a draft given that it was not dropped (stop.dropped-repair.text).",
)
