"""Utility under pivot-aware decoding: what flags must hold for it to be kept, and small processes where it is lost.

One fact carries it: with overrides g = (d − p)₊ of the tokens not flagged, the law of a step is p + g − (Σg)·r, so that along
the rule's path the target's expected utility changes by Σ g(x)(U(x) − U_r) a step, U_r being the value of the replacement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.pad.parts import (
    ahead_of,
    flagged,
    process_of,
    relative_pivots,
    replacement_value,
    run_pad,
    true_pivots,
)
from simspec.claims.words import Array, Draw, F, Instance, law, matrix
from simspec.methods import pad, values
from simspec.methods.pad.process import Run

__all__ = [
    "ALL",
    "AT",
    "MISSED",
    "NONE",
    "PIVOT",
    "RECALL",
    "RELATIVE",
    "RUINED",
    "no_pivot_missed",
    "own_gaps",
    "recalled",
    "recalled_relative",
    "run_flags",
    "target_utility",
    "target_values",
    "utility_of",
    "values_of",
]

RECALL = "no pivot is called a non-pivot"
RELATIVE = "no token worth less than its replacement is called a non-pivot"


def recalled(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> bool:
    """Whether every pivot is flagged."""
    return bool(flags[true_pivots(process_of(target, draft, step, utility, horizon))].all())


def recalled_relative(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> bool:
    """Whether every token worth less than its replacement is flagged."""
    return bool(flags[relative_pivots(process_of(target, draft, step, utility, horizon))].all())


def utility_of(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, method: Any = pad
) -> Any:
    """Expected utility of a rule with these flags."""
    return run_pad(process_of(target, draft, step, utility, horizon), flags, method).utility


def target_utility(target: Array, draft: Array, step: Array, utility: Array, horizon: int) -> Any:
    """Expected utility of the target."""
    return values(process_of(target, draft, step, utility, horizon))[0][0]


def values_of(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, method: Any = pad
) -> Array:
    """Expected utility of a rule from each state on, (T + 1, S)."""
    return run_pad(process_of(target, draft, step, utility, horizon), flags, method).values


def target_values(target: Array, draft: Array, step: Array, utility: Array, horizon: int) -> Array:
    """Expected utility of the target from each state on, (T + 1, S)."""
    return values(process_of(target, draft, step, utility, horizon))


def no_pivot_missed(draw: Draw) -> Instance:
    """A small process with flags on every pivot, and on some other tokens."""
    return flagged(draw, true_pivots, forks=0)


# one token, kept against SD although the target would have written the other one
MISSED: dict[str, Any] = {
    "target": matrix("1 0", "1 0"),
    "draft": matrix("0 1", "1 0"),
    "step": np.array([[0, 1], [1, 1]]),
    "utility": law(1, 0),
    "horizon": 1,
    "flags": np.zeros((1, 2, 2), dtype=bool),
}


def run_flags(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> Run:
    """Pivot-aware decoding of a process with these flags."""
    return run_pad(process_of(target, draft, step, utility, horizon), flags)


def own_gaps(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> Array:
    """The rule's own value after each token less that after its replacement, (T, S, V)."""
    process = process_of(target, draft, step, utility, horizon)
    own = ahead_of(process, run_pad(process, flags).values)
    return np.stack([after - replacement_value(target, draft, after) for after in own])


# one position: the target's token succeeds, the draft's fails, or the other way round
PIVOT: dict[str, Any] = {
    "target": matrix("1 0", "1 0"),
    "draft": matrix("0 1", "1 0"),
    "step": np.array([[0, 1], [1, 1]]),
    "utility": law(1, 0),
    "horizon": 1,
}
AT = np.array([[[False, True], [False, False]]])
ALL, NONE = np.ones((1, 2, 2), dtype=bool), np.zeros((1, 2, 2), dtype=bool)

# one override: of a pivot that ruins the text, and of a token worth half as much as what it displaces
RUINED: dict[str, Any] = {
    "target": matrix("1 0", "1 0"),
    "draft": matrix("0 1", "1 0"),
    "step": np.array([[0, 1], [1, 1]]),
    "utility": law(1, 0),
    "horizon": 1,
    "flags": np.zeros((1, 2, 2), dtype=bool),
    "epsilon": F(0),
}
