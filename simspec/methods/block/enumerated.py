"""Blocks of γ drafts: what a block emits, how long it is, and what it saves.

Closed forms for independent steps (`mean_acceptance_length`, `speedup`, …) and the exact law of what any method emits over
several steps, by enumeration of every draft and every uniform (`block_outcomes`, `text_law`).  Models are functions prefix → law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from simspec.checks import whole_number
from simspec.laws import Array, Scalar
from simspec.methods.method import Method, one_step
from simspec.methods.parameters import within
from simspec.methods.speed import step_time

__all__ = [
    "Outcome",
    "accepted_length",
    "block_outcomes",
    "check_gamma",
    "efficiency",
    "latency",
    "mean_acceptance_length",
    "speedup",
    "speedup_of_accepted",
    "text_law",
]

Prefix = tuple[int, ...]
Model = Callable[[Prefix], Array]
Stop = Callable[[Prefix, Prefix], bool]


LONGEST = 10**6
"""Most drafts of one block in the closed forms, which take a step for each."""


DEEPEST = 250
"""Most drafts of one block whose outcomes are told apart."""


def check_gamma(gamma: int) -> None:
    """Raise ValueError unless `gamma` is a number of drafts.

    >>> check_gamma(-1)
    Traceback (most recent call last):
    ...
    ValueError: gamma: -1; expected a number of drafts that is not negative
    """
    if not isinstance(gamma, Integral) or not gamma >= 0:
        raise ValueError(f"gamma: {gamma!r}; expected a number of drafts that is not negative")


def _check_steps(gamma: int) -> None:
    check_gamma(gamma)
    if gamma > LONGEST:
        raise ValueError(f"gamma: {gamma}; would take a step for each draft, expected at most {LONGEST} of them")


def _check_rate(alpha: Scalar | Array, hint: str = "") -> None:
    if not within(alpha, 1):
        raise ValueError(f"alpha: {alpha!r}; expected acceptance rates between 0 and 1{hint}")


def accepted_length(alpha: Scalar | Array, gamma: int) -> Any:
    r"""Expected number of accepted drafts in a block, :math:`\sum_{i=1}^{\gamma} \alpha^i`, for independent steps.

    >>> accepted_length(0.5, 2)
    0.75
    """
    _check_steps(gamma)
    _check_rate(alpha)
    length = alpha * 0
    for _ in range(gamma):  # Horner: no division, so alpha = 1 needs no special case
        length = alpha * (1 + length)
    return length


def mean_acceptance_length(alpha: Scalar | Array, gamma: int) -> Any:
    r"""Expected tokens per target call, :math:`\sum_{i=0}^{\gamma}\alpha^i = (1-\alpha^{\gamma+1})/(1-\alpha)`.

    Parameters
    ----------
    alpha : number or array in [0, 1]
        acceptance rate of one step, the same and independent at every step; at 1 the block has γ + 1 tokens.
    gamma : int >= 0; drafts per target call; at 0 the target emits one token alone

    Leviathan et al. 2023, Eq. 1; claim ``sd.block-length``.

    >>> mean_acceptance_length(0.5, 2)
    1.75
    """
    return 1 + accepted_length(alpha, gamma)


def efficiency(alpha: Scalar | Array, gamma: int) -> Any:
    """Share of the drafts of a block that are accepted, for independent steps; gamma must be positive.

    >>> efficiency(0.5, 2)
    0.375
    """
    _check_steps(gamma)
    if not gamma >= 1:
        raise ValueError(f"gamma: {gamma}; expected at least one draft")
    return accepted_length(alpha, gamma) / gamma


def latency(gamma: int, cost: Scalar | Array) -> Any:
    """Time of one block in units of one target call: γ drafts of relative time `cost`, then one target call.

    >>> latency(4, 0.25)
    2.0
    """
    _check_steps(gamma)
    if not (isinstance(cost, Real) or np.ndim(cost)) or not np.all(np.asarray(cost) >= 0):
        raise ValueError(f"cost: {cost}; expected draft time / target time, not negative")
    return step_time(gamma, cost)


def speedup(alpha: Scalar | Array, gamma: int, cost: Scalar | Array) -> Any:
    r"""Speed against the target alone at an acceptance rate, :math:`(1 + \sum_{i=1}^\gamma \alpha^i)/(\gamma c + 1)`.

    Parameters
    ----------
    alpha : number or array in [0, 1]
        acceptance rate of one step, as in `mean_acceptance_length`.  A mean number of accepted drafts is no rate: that is for
        `speedup_of_accepted`.
    gamma : int >= 0; drafts per target call
    cost : number >= 0; draft time / target time

    Raises ValueError for a rate outside [0, 1], a negative cost or number of drafts.

    Leviathan et al. 2023, Theorem 3.8.

    >>> speedup(0.5, 2, 0.25), speedup(1, 3, 0)
    (1.1666666666666667, 4.0)
    """
    _check_rate(alpha, " (speedup_of_accepted takes the mean number of accepted drafts)")
    return speedup_of_accepted(accepted_length(alpha, gamma), gamma, cost)


def speedup_of_accepted(accepted: Scalar | Array, gamma: int, cost: Scalar | Array) -> Any:
    r"""Speed against the target alone at a mean number of accepted drafts, :math:`(\bar L + 1)/(\gamma c + 1)`.

    Parameters
    ----------
    accepted : number or array in [0, γ]
        mean number :math:`\bar L` of accepted drafts in a block; `accepted_length` gives it for independent steps.
    gamma, cost : as in `speedup`

    Raises ValueError for a number outside [0, γ] (beyond rounding), a negative cost or number of drafts.

    PAD 2; claims ``sd.speedup`` and ``sd.speedup-monotone``.

    >>> speedup_of_accepted(2.5, 4, 0.25)
    1.75
    """
    time = latency(gamma, cost)
    if not within(accepted, gamma) and not within(accepted, gamma * (1 + 1e-9)):
        raise ValueError(f"accepted: {accepted!r}; expected mean numbers of accepted drafts between 0 and {gamma}")
    return (accepted + 1) / time


class Outcome(NamedTuple):
    """One way a block can end: its probability, the tokens emitted, and how many of them were accepted drafts."""

    probability: Any
    tokens: Prefix
    accepted: int


def _never(prefix: Prefix, drafts: Prefix) -> bool:
    return False


def block_outcomes(
    method: Method, target: Model, draft: Model, prefix: Prefix, gamma: int, stop: Stop = _never
) -> Iterator[Outcome]:
    """Every outcome of one block after `prefix`, with its exact probability.

    Parameters
    ----------
    target, draft : prefix -> law
    gamma : int; the most drafts of one block
    stop : (prefix, drafts so far) -> bool
        called before each draft: true ends the drafting.  It sees earlier drafts only.

    >>> from simspec.methods import SD
    >>> half = np.array([0.5, 0.5])
    >>> [tuple(o) for o in block_outcomes(SD, lambda x: half, lambda x: half, (), 1) if o.tokens[0] == 0]
    [(np.float64(0.25), (0, 0), 1), (np.float64(0.25), (0, 1), 1)]
    """
    _check_steps(gamma)
    yield from _block(
        method=method, target=target, draft=draft, prefix=prefix, drafts=(), gamma=gamma, stop=stop, weight=1
    )


def _block(
    method: Method, target: Model, draft: Model, prefix: Prefix, drafts: Prefix, gamma: int, stop: Stop, weight: Scalar
) -> Iterator[Outcome]:
    """Yield the outcomes of a block that has `drafts` so far with probability `weight`, by recursion over drafts."""
    p = target(prefix + drafts)
    n = len(drafts)
    if n == gamma or stop(prefix, drafts):  # every draft was kept: one more token from the target
        for token, mass in enumerate(p.tolist()):
            if mass:
                yield Outcome(weight * p[token], (*drafts, token), n)
        return
    if n == DEEPEST:
        raise ValueError(f"gamma: {gamma}; expected at most {DEEPEST} drafts, each of which is a step within the last")
    step_laws = one_step(method, p, draft(prefix + drafts))
    p = step_laws.target
    k = step_laws.accepted
    r = step_laws.residual
    rejected = 1 - k.sum()
    for token in range(p.shape[-1]):
        # outcomes of probability 0 are left out: the list holds only what can happen
        if rejected and r[token]:
            yield Outcome(weight * rejected * r[token], (*drafts, token), n)
        if k[token]:
            yield from _block(
                method=method,
                target=target,
                draft=draft,
                prefix=prefix,
                drafts=(*drafts, token),
                gamma=gamma,
                stop=stop,
                weight=weight * k[token],
            )


def text_law(
    method: Method, target: Model, draft: Model, length: int, gamma: int, stop: Stop = _never
) -> dict[Prefix, Any]:
    """Exact law of the first `length` tokens of the concatenated blocks, as {text: probability}.

    >>> from simspec.methods import SD
    >>> p, q = np.array([0.25, 0.75]), np.array([0.5, 0.5])
    >>> law = text_law(SD, lambda x: p, lambda x: q, length=2, gamma=1)
    >>> float(law[0, 1])
    0.1875
    """
    length = whole_number("length", length, 0, None, "a number of tokens that is not negative")
    law: dict[Prefix, Any] = {}
    open_texts: dict[Prefix, Any] = {(): 1}
    while open_texts:
        text, weight = open_texts.popitem()
        for outcome in block_outcomes(method, target, draft, text, gamma, stop):
            longer = text + outcome.tokens
            books = law if len(longer) >= length else open_texts
            key = longer[:length]
            books[key] = books.get(key, 0) + weight * outcome.probability
    return law
