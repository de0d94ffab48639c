"""The acceptance rate falls when the budget of drafts grows: for one call always, along a text not.

`metrics.rate-falls` in two readings, with a correction: practice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_most, bound, broken, exact, mask

__all__ = ["call_share", "long_run_share", "next_position", "written_after"]


def _call(draw: Draw) -> Instance:
    gamma = draw.integer(1, 4)
    return {"rates": exact([draw.number(0, 1) for _ in range(gamma + 1)]), "gamma": gamma}


def call_share(rates: Array, gamma: int) -> Any:
    """Expected accepted share of a call of γ drafts; draft i is accepted with rate i where those before it are.

    >>> from simspec.claims.authoring import law
    >>> print(call_share(law("1/2", "1/2"), 2))
    3/8
    """
    accepted = rates[0] * 0
    survival = rates[0] * 0 + 1
    for i in range(gamma):
        accepted = accepted + i * survival * (1 - rates[i])
        survival = survival * rates[i]
    return (accepted + gamma * survival) / gamma


CALL = bound(
    name="metrics.rate-falls.call",
    statement=r"From a fixed start, whatever the acceptance at each position: the expected accepted share of a call of "
    r"$\gamma + 1$ drafts is at most that of a call of $\gamma$",
    reference="practice, on Leviathan et al. 2023",
    instances=_call,
    lhs=lambda rates, gamma: call_share(rates, gamma + 1),
    relation=at_most,
    rhs=lambda rates, gamma: call_share(rates, gamma),
    tight=({"rates": exact([1, 1]), "gamma": 1}, {"rates": exact([0, 1]), "gamma": 1}),
    sources=("exact",),
    note="A later draft survives no more often than any before it. Equality where all drafts up to it survive alike.",
    broken=[
        broken("accepted drafts, not their share", lhs=lambda rates, gamma: (gamma + 1) * call_share(rates, gamma + 1))
    ],
)


def _text(draw: Draw) -> Instance:
    return {"right": draw.mask(draw.integer(1, 5)), "gamma": draw.integer(1, 2)}


def next_position(right: Array, at: int, gamma: int) -> int:
    """Where the next step begins: after the first wrong draft, which the target replaces, or after γ drafts and a bonus token.

    `right` says for each position of a text, read again and again, whether the draft for it is the target's token.

    >>> next_position(mask("011"), 1, 1), next_position(mask("011"), 1, 2)
    (3, 4)
    """
    accepted = 0
    while accepted < gamma and right[(at + accepted) % len(right)]:
        accepted += 1
    return at + accepted + 1


def long_run_share(right: Array, gamma: int) -> Any:
    """Share of the drafts that is accepted in the long run of greedy decoding, from the first position on.

    >>> print(long_run_share(mask("011"), 1), long_run_share(mask("011"), 2))
    1/2 1
    """
    starts = [0]
    step_at = {0: 0}
    while True:
        after = next_position(right, starts[-1], gamma)
        place = after % len(right)
        starts.append(after)
        if place in step_at:
            break
        step_at[place] = len(starts) - 1
    steps = len(starts) - 1 - step_at[place]
    tokens = starts[-1] - starts[step_at[place]]
    return exact([tokens - steps])[0] / (gamma * steps)


LONG_RUN = bound(
    name="metrics.rate-falls.long-run",
    statement=r"The long-run accepted share of an engine's drafts falls, or stays, when it drafts $\gamma + 1$ tokens a step in "
    r"place of $\gamma$, the drafter unchanged",
    reference="practice, on Leviathan et al. 2023",
    instances=_text,
    lhs=lambda right, gamma: long_run_share(right, gamma + 1),
    relation=at_most,
    rhs=lambda right, gamma: long_run_share(right, gamma),
    sources=("exact",),
    against=({"right": mask("011"), "gamma": 1},),
    corrected_by=("metrics.rate-falls.long-run-corrected",),
    within=({"right": mask("011"), "gamma": 1},),
    note="Other budgets begin their steps at other positions: one draft more may step over the hard tokens, which the bonus "
    "token then writes. Greedy decoding of a text of period three shows it: the rate rises from 1/2 to 1.",
)


def _run(draw: Draw) -> Instance:
    gamma = draw.integer(1, 3)
    return {
        "right": draw.mask(draw.integer(1, 6)),
        "gamma": gamma,
        "budget": gamma + draw.integer(0, 2),
        "steps": draw.integer(0, 4),
    }


def written_after(right: Array, gamma: int, steps: int) -> int:
    """Tokens of a text, one for each entry of `right`, that are written after some verify steps.

    >>> [written_after(mask("0110"), 2, steps) for steps in range(4)]
    [0, 1, 4, 4]
    """
    at = 0
    for _ in range(steps):
        at = min(next_position(np.append(right, False), at, gamma), len(right)) if at < len(right) else at
    return at


LONG_RUN_CORRECTED = bound(
    name="metrics.rate-falls.long-run-corrected",
    statement=r"Greedy decoding of one text with the same drafter: after any number of verify steps no less of it is written "
    r"with $\gamma' \ge \gamma$ drafts a step than with $\gamma$; so the accepted share falls by no more than the factor "
    r"$\gamma/\gamma'$",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=_run,
    lhs=lambda right, gamma, steps: exact([written_after(right, gamma, steps)])[0],
    relation=at_most,
    rhs=lambda right, budget, steps: exact([written_after(right, budget, steps)])[0],
    tight=({"right": mask("00"), "gamma": 1, "budget": 2, "steps": 1},),
    sources=("exact",),
    note="A step that begins no earlier ends no earlier. The acceptance length never falls with the budget; the rate may fall or "
    "rise.",
    broken=[
        broken("one step more", lhs=lambda right, gamma, steps: exact([written_after(right, gamma, steps + 1)])[0])
    ],
)
