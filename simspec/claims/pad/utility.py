"""Utility under pivot-aware decoding: what flags must hold for it to be kept, and small processes where it is lost.

One fact carries it: with overrides g = (d − p)₊ of the tokens not flagged, the law of a step is p + g − (Σg)·r, so that along
the rule's path the target's expected utility changes by Σ g(x)(U(x) − U_r) a step, U_r being the value of the replacement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, law, matrix
from simspec.claims.pad.parts import (
    ahead_of,
    flagged,
    fork,
    on_process,
    relative_pivots,
    replacement_value,
    run_pad,
    softened,
    true_pivots,
)
from simspec.methods import Process

__all__ = [
    "ALL",
    "AT",
    "MISSED",
    "NONE",
    "PIVOT",
    "RECALL",
    "RECALLED",
    "RELATIVE",
    "RELATIVE_RECALLED",
    "RUINED",
    "SOFT",
    "no_pivot_missed",
    "own_gaps",
]

RECALL = "no pivot is called a non-pivot"
RELATIVE = "no token worth less than its replacement is called a non-pivot"


RECALLED = {RECALL: on_process(lambda process, flags: bool(flags[true_pivots(process)].all()))}
RELATIVE_RECALLED = {RELATIVE: on_process(lambda process, flags: bool(flags[relative_pivots(process)].all()))}


def no_pivot_missed(draw: Draw) -> Instance:
    """A small process with flags on every pivot, and on some other tokens."""
    return flagged(draw, true_pivots, forks=0)


def own_gaps(process: Process, flags: Array) -> Array:
    """The rule's own value after each token less that after its replacement, (T, S, V)."""
    own_values = ahead_of(process, run_pad(process, flags).values)
    return np.stack([after - replacement_value(process.target, process.draft, after) for after in own_values])


# one position: the target's token succeeds, the draft's fails, or the other way round
PIVOT: dict[str, Any] = {
    "target": matrix("1 0", "1 0"),
    "draft": matrix("0 1", "1 0"),
    "step": np.array([[0, 1], [1, 1]]),
    "utility": law(1, 0),
    "horizon": 1,
}
AT = np.array([[[False, True], [False, False]]])
ALL = np.ones((1, 2, 2), dtype=bool)
NONE = np.zeros((1, 2, 2), dtype=bool)

# one token, kept against SD although the target would have written the other one
MISSED: dict[str, Any] = {**PIVOT, "flags": NONE}
# one override: of a pivot that ruins the text, and of a token worth half as much as what it displaces
RUINED: dict[str, Any] = {**MISSED, "epsilon": F(0)}

# half of the drafts fail, half toss a coin a little better than the target's average; every token has mass
SOFT = softened(fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(3, 5)))
