r"""Policies that choose a draft model for each target step while serving, and their regret.

`accepted` has the acceptance of K drafts at T steps, :math:`\sum_x \min(p_t(x), q_{t,i}(x))`.  A policy maps it to weights
(T, K): the probability with which each draft is used at each step.  Weights at a step depend on steps before it alone.

* With *full information* (`leader`, `hedge`, `share`) a policy reads every draft's acceptance at the steps before.  The target's
  passes give them all, whichever draft was used (claim ``select.counterfactual``); each draft model must run on the text.
* With *bandit information* (`explore`, `ucb`) it reads the acceptance of the draft that was used alone.  The choice does not see
  the context at hand, so it does not favour easy ones as in claim ``select.accepted-share``; but the mean over the steps that
  used a draft is still biased where the choice depends on steps before (Nie et al. 2018).

Leading axes are a batch.  What is not here: reading laws (`simspec.tools.drafters`), and drafts of different cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simspec.checks import nearest
from simspec.laws import Array

__all__ = [
    "POLICIES",
    "Policy",
    "explore",
    "fixed_regret",
    "hedge",
    "leader",
    "policy",
    "segment_regret",
    "share",
    "ucb",
]


def _checked(accepted: ArrayLike) -> Array:
    """Acceptance (..., T, K) with a step and a draft at least, all in [0, 1]."""
    a = np.asarray(accepted)
    if a.ndim < 2 or not a.size or not ((a >= 0) & (a <= 1)).all():
        raise ValueError(
            f"accepted: shape {a.shape}; expected acceptance rates in [0, 1], (..., T, K), a column for each draft"
        )
    return a


def _before(a: Array) -> Array:
    """Sums over the steps before each step, (..., T, K)."""
    sums = np.cumsum(a, axis=-2)
    return np.concatenate([0 * a[..., :1, :], sums[..., :-1, :]], axis=-2)


def _choice(scores: Array) -> Array:
    """Weight 1 for the draft with the largest score, the first of equals."""
    choices: Array = (np.arange(scores.shape[-1]) == scores.argmax(axis=-1)[..., None]).astype(np.int64)
    return choices


def leader(accepted: ArrayLike) -> Array:
    """Follow the leader: the draft with the largest sum of acceptance so far, the first of equals.  Full information.

    >>> leader([[0.5, 1.0], [1.0, 0.0], [0.0, 0.0]]).tolist()
    [[1, 0], [0, 1], [1, 0]]
    """
    return _choice(_before(_checked(accepted)))


def hedge(accepted: ArrayLike, rate: float | None = None) -> Array:
    r"""Exponential weights, :math:`w_{t,i} \propto \exp(\eta \sum_{s<t} a_{s,i})`.  Full information.

    Parameters
    ----------
    accepted : (..., T, K)
    rate : η > 0; by default :math:`\sqrt{8 \ln K / T}`, with which the regret is at most :math:`\sqrt{T \ln(K) / 2}` in sum, on
        every sequence (Cesa-Bianchi and Lugosi 2006, theorem 2.2)

    >>> hedge([[1.0, 0.0], [0.0, 0.0]], rate=np.log(3)).round(9).tolist()
    [[0.5, 0.5], [0.75, 0.25]]
    """
    a = _checked(accepted).astype(np.float64)
    scores = _rate(rate, a) * _before(a)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    normalised: Array = weights / weights.sum(axis=-1, keepdims=True)
    return normalised


def _rate(rate: float | None, a: Array) -> float:
    steps, count = a.shape[-2:]
    if rate is None:
        return math.sqrt(8 * math.log(count) / steps)
    if not 0 < rate < math.inf:
        raise ValueError(f"rate: {rate}; expected a positive number, or none for sqrt(8 ln K / T)")
    return float(rate)


def share(accepted: ArrayLike, part_shared: float = 0.01, rate: float | None = None) -> Array:
    r"""Fixed share: exponential weights of which a part is spread evenly after each step.  Full information.

    It follows a draft that is best for a while (Herbster and Warmuth 1998, in the form of Cesa-Bianchi and Lugosi 2006, section
    5.2): :math:`w_{t+1,i} = (1 - \sigma) v_i + \sigma / K` with :math:`v_i \propto w_{t,i} \exp(\eta a_{t,i})`.

    Parameters
    ----------
    accepted : (..., T, K)
    part_shared : σ in [0, 1]; 0 is `hedge`
    rate : as in `hedge`

    >>> share([[1.0, 0.0], [0.0, 0.0]], part_shared=0.5, rate=np.log(3)).round(9).tolist()
    [[0.5, 0.5], [0.625, 0.375]]
    """
    a = _checked(accepted).astype(np.float64)
    if not 0 <= part_shared <= 1:
        raise ValueError(f"part_shared: {part_shared}; expected a share of the weight, from 0 to 1")
    gain = np.exp(_rate(rate, a) * a)
    weights = np.empty_like(a)
    weights[..., 0, :] = 1 / a.shape[-1]
    for step in range(1, a.shape[-2]):
        product = weights[..., step - 1, :] * gain[..., step - 1, :]
        posterior = product / product.sum(axis=-1, keepdims=True)
        weights[..., step, :] = (1 - part_shared) * posterior + part_shared / a.shape[-1]
    return weights


def explore(accepted: ArrayLike, rounds: int = 10) -> Array:
    """Explore, then commit: every draft in turn for so many rounds, then the one with the largest mean.  Bandit information.

    Parameters
    ----------
    accepted : (..., T, K)
    rounds : int >= 1; steps that each draft is tried

    >>> explore([[0.5, 0.0], [0.0, 1.0], [0.0, 0.0]], rounds=1).tolist()
    [[1, 0], [0, 1], [0, 1]]
    """
    a = _checked(accepted)
    if rounds != int(rounds) or rounds < 1:
        raise ValueError(f"rounds: {rounds}; expected a whole number of steps, 1 or more")
    steps, count = a.shape[-2:]
    trial_steps = min(int(rounds) * count, steps)
    turns = np.eye(count, dtype=np.int64)[np.arange(trial_steps) % count]
    weights = np.empty(a.shape, dtype=np.int64)
    weights[..., :trial_steps, :] = turns
    weights[..., trial_steps:, :] = _choice((turns * a[..., :trial_steps, :]).sum(axis=-2))[..., None, :]
    return weights


def ucb(accepted: ArrayLike, width: float = 2.0) -> Array:
    r"""UCB1: the draft with the largest :math:`\hat a_i + \sqrt{c \ln t / n_i}`, after one step of each.  Bandit information.

    :math:`\hat a_i` is its mean acceptance over the :math:`n_i` steps before step t that used it (Auer, Cesa-Bianchi and
    Fischer 2002, figure 1, with c = 2).

    Parameters
    ----------
    accepted : (..., T, K)
    width : c >= 0

    >>> ucb([[1.0, 0.0], [0.0, 0.5], [0.0, 0.0], [0.0, 0.0]]).tolist()
    [[1, 0], [0, 1], [1, 0], [0, 1]]
    """
    a = _checked(accepted).astype(np.float64)
    if not 0 <= width < math.inf:
        raise ValueError(f"width: {width}; expected a number, 0 or more")
    steps, count = a.shape[-2:]
    weights = np.zeros(a.shape, dtype=np.int64)
    uses = np.zeros((*a.shape[:-2], count))
    sums = np.zeros_like(uses)
    for step in range(steps):
        if step < count:
            choice = np.broadcast_to(np.arange(count) == step, uses.shape).astype(np.int64)
        else:
            choice = _choice(sums / uses + np.sqrt(width * math.log(step) / uses))
        weights[..., step, :] = choice
        uses += choice
        sums += choice * a[..., step, :]
    return weights


def fixed_regret(accepted: ArrayLike, weights: ArrayLike) -> Any:
    r"""Mean acceptance of the best single draft less that of the policy, :math:`\max_i \bar a_i - \overline{w \cdot a}`.

    Parameters
    ----------
    accepted, weights : (..., T, K)

    >>> float(fixed_regret([[1.0, 0.0], [1.0, 0.5]], [[0, 1], [1, 0]]))
    0.5
    """
    a = _checked(accepted)
    return (a.sum(axis=-2).max(axis=-1) - (a * np.asarray(weights)).sum(axis=(-2, -1))) / a.shape[-2]


def segment_regret(accepted: ArrayLike, weights: ArrayLike, segment: ArrayLike) -> Any:
    """The same against the best draft of each segment, chosen in hindsight.

    Parameters
    ----------
    accepted, weights : (T, K)
    segment : (T,) labels, equal for steps of one segment

    It is never less than `fixed_regret`, and equal for a single segment.

    >>> float(segment_regret([[1.0, 0.0], [0.0, 1.0]], [[1, 0], [1, 0]], [0, 1]))
    0.5
    """
    a = _checked(accepted)
    labels = np.asarray(segment)
    if labels.shape != a.shape[:-1]:
        raise ValueError(f"segment: shape {labels.shape}; expected a label for each of the {a.shape[-2]} steps")
    best = sum(a[labels == label].sum(axis=0).max() for label in np.unique(labels))
    return (best - (a * np.asarray(weights)).sum()) / len(a)


@dataclass(frozen=True)
class Policy:
    """A policy with its name.

    Attributes
    ----------
    name : as it was written, with its number
    weights : accepted (..., T, K) -> weights (..., T, K)
    is_full : whether it reads the acceptance of drafts that were not used
    """

    name: str
    weights: Callable[[ArrayLike], Array]
    is_full: bool


POLICIES: dict[str, tuple[Callable[..., Array], bool, str, str]] = {
    "leader": (leader, True, "", "the draft with the largest acceptance so far"),
    "hedge": (hedge, True, "RATE", "exponential weights"),
    "share": (share, True, "SHARE", "exponential weights of which a share is spread after each step"),
    "explore": (explore, False, "ROUNDS", "every draft in turn for so many rounds, then the best of them"),
    "ucb": (ucb, False, "WIDTH", "upper confidence bounds"),
}
"""By name: the function, whether it reads drafts that were not used, its number (may be left out), and what it does."""


def policy(text: str) -> Policy:
    """A policy by its name, such as ``ucb`` or ``explore:20``.

    Raises ValueError for another name, and names the nearest, and for a number that is none.

    >>> policy("explore:1").weights([[0.5, 0.0], [0.0, 1.0], [0.0, 0.0]]).tolist()
    [[1, 0], [0, 1], [0, 1]]
    """
    name, colon, number_text = text.partition(":")
    if name not in POLICIES:
        raise ValueError(f"policy: {text!r}{nearest(name, POLICIES)}; expected one of {', '.join(POLICIES)}")
    function, is_full, parameter, _ = POLICIES[name]
    if not colon:
        return Policy(text, function, is_full)
    try:
        number = float(number_text)
    except ValueError:
        number = math.nan
    if not parameter or not math.isfinite(number):
        usage = f"{name}:{parameter}, with a number" if parameter else name
        raise ValueError(f"policy: {text!r}; expected {usage}")
    option = {"hedge": "rate", "share": "part_shared", "explore": "rounds", "ucb": "width"}[name]
    value = int(number) if name == "explore" and number == int(number) else number
    return Policy(text, lambda accepted: function(accepted, **{option: value}), is_full)
