"""What claims about counters share: runs of verify steps, and expected numbers of steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, exact

__all__ = ["alike", "equal_run", "mean_length", "overshoot", "run", "same_mean", "steps_needed"]


def run(draw: Draw) -> Instance:
    """Up to four verify steps, each with one to three drafts."""
    drafted = [draw.integer(1, 3) for _ in range(draw.integer(1, 4))]
    return {"drafted": exact(drafted), "accepted": exact([draw.integer(0, g) for g in drafted])}


def equal_run(draw: Draw) -> Instance:
    """Up to four verify steps with γ drafts each."""
    gamma = draw.integer(1, 3)
    steps = draw.integer(1, 4)
    return {
        "drafted": exact([gamma] * steps),
        "accepted": exact([draw.integer(0, gamma) for _ in range(steps)]),
        "gamma": gamma,
    }


def alike(drafted: Array, gamma: int) -> bool:
    """Whether every step drafts γ tokens."""
    return bool((drafted == gamma).all())


def mean_length(w: Array) -> Any:
    """AL of steps that emit 1, 2, … tokens with the probabilities w."""
    return (w * np.arange(1, len(w) + 1)).sum()


def _followed(w: Array, tokens: int) -> tuple[Any, Any]:
    """Expected verify steps until at least `tokens` tokens are out, and expected tokens beyond them."""
    steps = [w[0] * 0]
    beyond = [w[0] * 0]
    for tokens_to_go in range(1, tokens + 1):
        reached = [(mass, tokens_to_go - n) for n, mass in enumerate(w, 1)]
        steps.append(1 + sum(mass * steps[rest] for mass, rest in reached if rest > 0))
        beyond.append(sum(mass * (beyond[rest] if rest > 0 else -rest) for mass, rest in reached))
    return steps[tokens], beyond[tokens]


def steps_needed(w: Array, tokens: int) -> Any:
    """Expected verify steps to emit `tokens` tokens, each step independent.

    >>> from simspec.claims.authoring import law
    >>> print(steps_needed(law("1/2", "1/2"), 2))
    3/2
    """
    return _followed(w, tokens)[0]


def overshoot(w: Array, tokens: int) -> Any:
    """Expected tokens that the last of these steps emits too many.

    >>> from simspec.claims.authoring import law
    >>> print(overshoot(law("1/2", "1/2"), 2))
    1/4
    """
    return _followed(w, tokens)[1]


def same_mean(draw: Draw) -> Instance:
    """Two laws of tokens per step with one mean: mass of a middle length moves to the two beside it; and a length of text."""
    w = draw.law(3 + draw.integer(0, 1))
    middle = 1 + draw.integer(0, len(w) - 3)
    moved_mass = w[middle] * draw.number(0, 1) / 2
    v = w.copy()
    v[[middle - 1, middle, middle + 1]] += np.array([moved_mass, -2 * moved_mass, moved_mass])
    return {"w": w, "v": v, "tokens": draw.integer(1, 5)}
