"""Values of pivot-aware decoding in every phase of a block: how many of its drafts are kept so far."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array
from simspec.claims.pad.parts import ahead_of, replacement_value
from simspec.methods import SD, Process, accepted_mass, pad, values

__all__ = ["phase_gaps", "phase_values", "phase_visits", "round_values"]


def _back(process: Process, flags: Array, after: Array, anew: Array) -> Array:
    """Values (γ + 1, S) before a token: of what follows a kept draft, by phase (γ + 1, S), and of a new block (S,)."""
    p = process.target
    d = process.draft
    step = process.step
    accepted_drafts = accepted_mass(pad(flags), p, d)
    fresh = anew[step]
    replaced = (1 - accepted_drafts.sum(axis=-1)) * (SD.residual(p, d) * fresh).sum(axis=-1)
    drafts = [(accepted_drafts * further[step]).sum(axis=-1) + replaced for further in after[1:]]
    return np.stack([*drafts, (p * fresh).sum(axis=-1)])


def phase_values(process: Process, flags: Array, gamma: int) -> Array:
    """What PAD's text is worth, (T + 1, γ + 1, S), at each position and state after 0, …, γ kept drafts of a block."""
    table = [np.stack([process.utility] * (gamma + 1))]
    for flag in flags[::-1]:
        table.append(_back(process, flag, table[-1], table[-1][0]))
    return np.stack(table[::-1])


def round_values(process: Process, flags: Array, gamma: int) -> Array:
    """What the target expects at the end of the block, (T + 1, γ + 1, S), when PAD writes up to there."""
    table = [np.stack([process.utility] * (gamma + 1))]
    target_values = values(process)
    for t in range(process.horizon - 1, -1, -1):
        table.append(_back(process, flags[t], table[-1], target_values[t + 1]))
    return np.stack(table[::-1])


def phase_gaps(process: Process, flags: Array, gamma: int) -> Array:
    """PAD's own value after each kept draft less that after its replacement, (T, γ, S, V), by the drafts kept before."""
    table = phase_values(process, flags, gamma)
    anew = [replacement_value(process.target, process.draft, after) for after in ahead_of(process, table[:, 0])]
    further = [ahead_of(process, table[:, j + 1]) for j in range(gamma)]
    return np.stack([np.stack([f[t] - a for f in further]) for t, a in enumerate(anew)])


def phase_visits(process: Process, flags: Array, gamma: int) -> Array:
    """Probability (T, γ + 1, S) of each state and number of kept drafts at each position, under PAD."""
    p = process.target
    d = process.draft
    here = np.zeros((gamma + 1, len(process.utility)), dtype=p.dtype)
    here[0, process.start] = 1
    visits = []
    for flag in flags:
        visits.append(here)
        accepted_drafts = accepted_mass(pad(flag), p, d)
        there = np.zeros_like(here)
        replaced = (1 - accepted_drafts.sum(axis=-1, keepdims=True)) * SD.residual(p, d)
        anew = here[:-1].sum(axis=0)[:, None] * replaced + here[-1][:, None] * p
        np.add.at(there[0], process.step, anew)
        for j in range(gamma):
            np.add.at(there[j + 1], process.step, here[j][:, None] * accepted_drafts)
        here = there
    return np.stack(visits)
