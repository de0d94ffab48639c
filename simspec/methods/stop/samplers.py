"""A rule that drops drafts, as samplers to audit: ``simspec audit simspec.methods.stop.samplers:p_min``.

Each takes target laws p (gamma + 1, V) and draft laws q (gamma, V), a number of calls and a generator, and returns tokens (n,
gamma + 1), each row filled up with -1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array
from simspec.methods.block import Prefix
from simspec.methods.stop.drafting import Ends, Told, kept_law, one_hot, told_program, whole
from simspec.methods.verifier.chance import Chance, many

__all__ = ["THRESHOLD", "p_min", "p_min_kept", "p_min_one_hot"]

THRESHOLD = 0.3
"""A drafted token with less draft mass is dropped; it ends the draft."""


def _low(q: Any, path: Prefix) -> bool:
    return bool(q[path[-1]] < THRESHOLD)


def _called(p: Array, q: Array, n: int, rng: np.random.Generator, told: Told, ends: Ends = _low) -> NDArray[np.int64]:
    targets, drafts, verify = p.tolist(), q.tolist(), told_program(told)

    def program(chance: Chance) -> Prefix:
        x: Prefix = ()
        for law in drafts:
            longer = (*x, chance.draw(law))
            if ends(law, longer):
                break
            x = longer
        return verify(targets[: len(x) + 1], drafts, x, chance)[0]

    tokens = np.full((n, len(p)), -1)
    for calls, emitted in many(program, n, rng):
        tokens[calls, : len(emitted)] = emitted
    return tokens


def p_min(p: Array, q: Array, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Drops a draft of little mass, the verifier told q: biased, claim ``stop.dropped.told-q``.

    >>> sure = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> p_min(sure, sure[:1], 2, np.random.default_rng(0)).tolist()
    [[0, 1], [0, 1]]
    """
    return _called(p, q, n, rng, whole)


def p_min_kept(p: Array, q: Array, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The same, the verifier told the law of what is kept: lossless, claim ``stop.dropped.told-kept``.

    >>> sure = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> p_min_kept(sure, sure[:1], 1, np.random.default_rng(0)).tolist()
    [[0, 1]]
    """
    return _called(p, q, n, rng, kept_law(_low))


def p_min_one_hot(p: Array, q: Array, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The same, the verifier told the token alone: lossless, claim ``stop.dropped.one-hot``.

    >>> sure = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> p_min_one_hot(sure, sure[:1], 1, np.random.default_rng(0)).tolist()
    [[0, 1]]
    """
    return _called(p, q, n, rng, one_hot)
