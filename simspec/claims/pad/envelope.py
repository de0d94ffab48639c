"""The utility that PAD can lose over a text is bounded by the drafts that it accepts beyond speculative decoding.

`pad.envelope`: what utility PAD can lose over h positions for the drafts that it accepts beyond SD's rate (own).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, F, Instance, bound, law, matrix, swapped
from simspec.claims.pad.parts import (
    ahead_of,
    along,
    flagged,
    on_process,
    overrides,
    replacement_value,
    run_pad,
)
from simspec.claims.pad.utility import RUINED
from simspec.laws import Scalar, overlap
from simspec.methods import Process, output_law, pad, values
from simspec.methods.pad.process import ahead

__all__ = ["every_time", "never_parted"]

OWN = "own statement: PAD's acceptance and utility over a text"


def never_parted(process: Process, flags: Array) -> Array:
    """Chance (T + 1, S) that PAD's text and the target's agree to the end, when each token agrees as often as it can."""
    table = [process.utility * 0 + 1]
    for flag in flags[::-1]:
        same = np.minimum(output_law(pad(flag), process.target, process.draft), process.target)
        table.append((same * ahead(process, table[-1])).sum(axis=-1))
    return np.stack(table[::-1])


def _loss(process: Process, flags: Array) -> Any:
    return values(process)[0][0] - run_pad(process, flags).utility


def _parted(process: Process, flags: Array) -> Any:
    return 1 - never_parted(process, flags)[0][0]


def _beyond(process: Process, flags: Array) -> Any:
    """Accepted drafts, less SD's rates along PAD's own path."""
    run = run_pad(process, flags)
    rates = overlap(process.target, process.draft)
    return along(run, [acceptance - rates for acceptance in run.acceptance])


def every_time(mass: F, horizon: int) -> Instance:
    """The target always writes the first token; at each position the draft errs with `mass`, is believed, and one error ruins."""
    return {
        **{"target": matrix("1 0", "1 0"), "draft": np.stack([law(1 - mass, mass), law(1, 0)])},
        **{"step": np.array([[0, 1], [1, 1]]), "utility": law(1, 0), "horizon": horizon},
        "flags": np.zeros((horizon, 2, 2), dtype=bool),
    }


_RUINED = {name: value for name, value in RUINED.items() if name != "epsilon"}

ENVELOPE = bound(
    name="pad.envelope",
    statement=r"Over a text, for any flags: $U(\mathrm{target}) - U(\mathrm{PAD}) \le 1 - S \le A - R$, with $A$ the drafts "
    r"that PAD accepts on average, $R$ SD's acceptance rates along PAD's own path, and $S$ the chance that both texts agree to "
    r"the end when each token agrees as often as it can (one draft a position)",
    reference=OWN,
    instances=lambda draw: flagged(draw, longest=3),
    lhs=on_process(lambda process, flags: np.stack([_loss(process, flags), _parted(process, flags)])),
    rhs=on_process(lambda process, flags: np.stack([_parted(process, flags), _beyond(process, flags)])),
    tight=(_RUINED, every_time(F(1, 3), 1), every_time(F(1), 1)),
    note="At one context the law of PAD's token is at total variation Σg from the target's, and Σg is also what it accepts "
    "beyond SD's rate: acceptance is bought one for one. Over a text only the first override is paid for, so that nothing more "
    "can be lost once the texts have parted.",
    broken=[
        Broken("half of the bound", lambda claim: {"rhs": lambda **text: claim.rhs(**text) / 2}),
        swapped(),
    ],
)


def _heaviest(process: Process, flags: Array) -> Any:
    """The most mass that is overridden at any context."""
    return max(overrides(process.target, process.draft, flag).sum(axis=-1).max() for flag in flags)


def _union(process: Process, mass: Scalar) -> Array:
    """1 − (1 − mass)^h at each position, for all states."""
    steps_to_go = range(process.horizon, -1, -1)
    return np.stack([1 - (1 - mass) ** h + 0 * process.utility for h in steps_to_go])


POSITIONS = bound(
    name="pad.envelope.positions",
    statement=r"Where overrides have mass $g$ at most at every context: with $h$ positions to go $U(\mathrm{target}, s) - "
    r"U(\mathrm{PAD}, s) \le 1 - (1 - g)^h$ at every context (one draft a position)",
    reference=OWN,
    instances=lambda draw: flagged(draw, longest=3),
    lhs=on_process(lambda process, flags: values(process) - run_pad(process, flags).values),
    rhs=on_process(lambda process, flags: _union(process, _heaviest(process, flags))),
    tight=(every_time(F(1, 2), 1), every_time(F(1, 3), 2), every_time(F(1, 4), 3)),
    note="Attained for every g and h: the target always writes one token, the draft errs with mass g at each position, and one "
    "error ruins the text. Below hg from the second position on, so that one-position distances do not add up.",
    broken=[Broken("half of the bound", lambda claim: {"rhs": lambda **text: claim.rhs(**text) / 2})],
)


def _one_position(process: Process, flags: Array) -> list[Array]:
    """What a step of PAD before the target's text loses, at each position and state."""
    p = process.target
    d = process.draft
    after = ahead_of(process, values(process))
    flagged_steps = zip(after, flags, strict=True)
    return [(overrides(p, d, flag) * (replacement_value(p, d, a) - a)).sum(axis=-1) for a, flag in flagged_steps]


def _united(process: Process, flags: Array) -> Any:
    worst = max(0, *(lost.max() for lost in _one_position(process, flags)))
    return _union(process, worst)[0][0]


# each of two overrides loses half a text
STAIRS: Instance = {
    "target": matrix("1 0", "1 0", "1 0"),
    "draft": matrix("0 1", "0 1", "0 1"),
    "step": np.array([[0, 1], [1, 2], [2, 2]]),
    "utility": law(1, "1/2", 0),
    "horizon": 2,
    "flags": np.zeros((2, 3, 2), dtype=bool),
}
# every token has mass
_SOFT_STAIRS: Instance = {
    **STAIRS,
    **{"target": matrix("9/10 1/10", "9/10 1/10", "9/10 1/10"), "draft": matrix("1/10 9/10", "1/10 9/10", "1/10 9/10")},
}

UNION = bound(
    name="pad.envelope.union",
    statement=r"If a step of PAD loses at most $\epsilon$ of the target's expected utility at every context, $h$ positions lose "
    r"at most $1 - (1 - \epsilon)^h$ (one draft a position)",
    reference=OWN,
    instances=lambda draw: flagged(draw, longest=3),
    lhs=on_process(_loss),
    rhs=on_process(_united),
    against=(STAIRS,),
    within=(_SOFT_STAIRS,),
    corrected_by=("pad.envelope.positions", "pad.utility-slack"),
    note="Distances of laws compose as a union, losses of utility add up: two overrides that lose half a text each lose all of "
    "it. With ε in place of g the bound is hε (pad.utility-slack), which is attained.",
)


def _on_target_path(process: Process, flags: Array) -> Any:
    """One-position losses, at the contexts that the target's own text goes through."""
    everything = np.ones_like(flags)
    return along(run_pad(process, everything), _one_position(process, flags))


# the first override costs nothing, and leads where the second ruins the text
ASTRAY: Instance = {
    "target": matrix("1 0", "1 0"),
    "draft": matrix("0 1", "1 0"),
    "step": np.array([[1, 0], [1, 1]]),
    "utility": law(0, 1),
    "horizon": 2,
    "flags": np.zeros((2, 2, 2), dtype=bool),
}
_SOFT_ASTRAY: Instance = {
    **ASTRAY,
    **{"target": matrix("9/10 1/10", "9/10 1/10"), "draft": matrix("1/10 9/10", "9/10 1/10")},
}

TARGET_PATH = bound(
    name="pad.envelope.target-path",
    statement=r"PAD loses at most the sum of what a step of PAD loses of the target's expected utility at the contexts of a "
    r"text that the target writes, $U(\mathrm{target}) - U(\mathrm{PAD}) \le \sum_t E_{\mathrm{target}} \sum_x g(x) (U_r - "
    r"U(x))$ (one draft a position)",
    reference=OWN,
    instances=lambda draw: flagged(draw, longest=3),
    lhs=on_process(_loss),
    rhs=on_process(_on_target_path),
    against=(ASTRAY,),
    within=(_SOFT_ASTRAY,),
    corrected_by=("pad.utility-slack-sharp", "pad.envelope"),
    note="An override that costs nothing can lead where another ruins the text, and the target's own texts never go there. "
    "Along PAD's own path the sum is the loss exactly (pad.utility-slack-sharp).",
)
