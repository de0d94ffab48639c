r"""Numbers of drafts that adapt, and what they lose on a text whose acceptance drifts.

Policies, by their names:

* ``fixed:4`` drafts four tokens in every step;
* ``heuristic`` is the schedule of transformers: begin with five, two more after a step that accepts all, one fewer after any
  other;
* ``moving:64`` estimates the acceptance by a moving mean over about 64 tested drafts, and drafts the number that would be
  fastest if every draft were accepted with it;
* ``confidence:0.4`` stops drafting before the first token of which the drafter gives its most likely one less than 0.4, as
  llama.cpp and transformers do; the pass that shows it is paid for.

Drafts at position t are accepted with the rate of that position, one after the other, and a step with γ drafts takes
1 + γ (c + v) target steps.  The expected time of a text is exact where the number of drafts depends on the position alone,

.. math:: J(t) = 1 + \gamma_t (c + v) + \sum_{i < \gamma_t} P(i)\,J(t + i + 1) + P(\gamma_t)\,J(t + \gamma_t + 1),

with :math:`P(i)` the probability that exactly i of these drafts are accepted, and J = 0 behind the text.  The least J over all
numbers of drafts at each position is the *oracle*: it knows every acceptance rate, and no policy that does not foresee the
random numbers is faster.  Policies that remember are simulated.

**Regret** is the time of a policy over that of the best fixed number of drafts, chosen after the fact, less one.  Regret
against the oracle also holds what no fixed number can have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.checks import nearest
from simspec.engine.estimates.intervals import Interval

__all__ = [
    "POLICIES",
    "Costs",
    "PolicyRow",
    "check_policy",
    "compared_policies",
    "expected_time",
    "oracle_time",
    "policy_lines",
    "simulated_times",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

POLICIES = ("heuristic", "moving:16", "moving:64", "moving:256", "confidence:0.4", "confidence:0.8")
"""Policies that are compared by default, beside the best fixed number of drafts."""
RUNS = 400
LARGEST = {"fixed": 1e9, "moving": 1e9, "confidence": 1.0}
"""Kinds of policies that have a number, and the largest that it may be."""
EXAMPLES = {"fixed": "fixed:4", "heuristic": "heuristic", "moving": "moving:64", "confidence": "confidence:0.4"}
"""A policy of each kind."""
BEGIN = 5
"""Drafts with which the heuristic begins."""


class Costs(NamedTuple):
    """Times over that of a target step: of a draft step, and of verifying a draft."""

    draft: Any
    verify: Any = 0


class PolicyRow(NamedTuple):
    """What a policy comes to on a text.

    Attributes
    ----------
    name : of the policy
    speedup : Interval; tokens over their time in target steps; with an interval over runs where it was simulated
    drafts : float or None; mean number of drafts of a step, None for the oracle
    regret, regret_of_oracle : float; extra time over the best fixed number of drafts, and over the oracle
    """

    name: str
    speedup: Interval
    drafts: float | None
    regret: float
    regret_of_oracle: float


class _Policy(NamedTuple):
    """A policy that remembers: its state of all runs at the start, drafts by state, and the state after a step."""

    start: Callable[[int], Floats]
    drafts: Callable[[Floats], Integers]
    update: Callable[[Floats, Integers, Integers], Floats]


def expected_time(
    rates: Sequence[Any], drafts: Sequence[int], costs: Costs, passes: Sequence[int] | None = None
) -> Any:
    """Expected time until a text is written, in target steps; numbers of any kind.

    Parameters
    ----------
    rates : acceptance rate at each position
    drafts : number of drafts that a step which begins at each position has verified
    costs : Costs
    passes : draft steps that it takes; as many as drafts by default

    Two positions at 1/2, one draft: a step costs 1 + 1/4.  From the second position one step remains, from the first another
    in half of the cases.

    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> expected_time([half, half], [1, 1], Costs(Fraction(1, 4)))
    Fraction(15, 8)
    """
    remaining = [0] * (len(rates) + 1)
    for position in reversed(range(len(rates))):
        count = drafts[position]
        draft_passes = count if passes is None else passes[position]
        time = 1 + draft_passes * costs.draft + count * costs.verify
        remaining[position] = time + _later(rates, remaining, position, count)
    return remaining[0]


def oracle_time(rates: Sequence[Any], max_drafts: int, costs: Costs) -> Any:
    """Least expected time over all numbers of drafts up to `max_drafts` at each position, none among them.

    A certain draft is drafted, an impossible one is not: one step of 1 + 1/4 for both tokens.

    >>> oracle_time([1, 0], 4, Costs(0.25))
    1.25
    """
    remaining = [0] * (len(rates) + 1)
    for position in reversed(range(len(rates))):
        remaining[position] = min(
            1 + count * (costs.draft + costs.verify) + _later(rates, remaining, position, count)
            for count in range(max_drafts + 1)
        )
    return remaining[0]


def _later(rates: Sequence[Any], remaining: Sequence[Any], position: int, count: int) -> Any:
    """Expected time after a step; behind the text nothing remains."""
    total: Any = 0
    survived: Any = 1
    for place in range(position, min(position + count, len(rates))):
        total += survived * (1 - rates[place]) * remaining[place + 1]
        survived = survived * rates[place]
    after = min(position + count + 1, len(rates))
    return total + survived * remaining[after]


def simulated_times(
    rates: Sequence[float], name: str, costs: Costs, max_drafts: int, runs: int = RUNS, seed: int = 0
) -> tuple[Floats, Floats]:
    """Times of a text in independent runs of a policy that remembers, and drafts a step, each (runs,).

    Raises ValueError for a name that is none.

    >>> simulated_times([1.0, 1.0, 1.0, 0.0], "fixed:3", Costs(0.5), max_drafts=8, runs=2)[0].tolist()
    [2.5, 2.5]
    """
    policy = _policy(name, costs, max_drafts)
    rng = np.random.default_rng(seed)
    alpha = np.concatenate([np.asarray(rates, dtype=np.float64), np.ones(max_drafts)])  # behind the text nothing counts
    position = np.zeros(runs, dtype=np.int64)
    state = policy.start(runs)
    times, steps, drafted = np.zeros((3, runs))
    while (is_running := position < len(rates)).any():
        drafts = policy.drafts(state)
        ahead = np.minimum(position[:, None], len(rates)) + np.arange(max_drafts)
        is_accepted = (rng.random((runs, max_drafts)) < alpha[ahead]) & (np.arange(max_drafts) < drafts[:, None])
        accepted = np.cumprod(is_accepted, axis=1).sum(axis=1)
        times += is_running * (1 + drafts * (costs.draft + costs.verify))
        steps += is_running
        drafted += is_running * drafts
        state = policy.update(state, drafts, accepted)
        position += accepted + 1
    return times, drafted / steps


def compared_policies(
    rates: Sequence[float],
    confidence: Sequence[float] | None,
    costs: Costs,
    max_drafts: int,
    names: Sequence[str] = POLICIES,
    runs: int = RUNS,
    seed: int = 0,
) -> list[PolicyRow]:
    """Policies on a text, the oracle and the best fixed number of drafts first.

    Parameters
    ----------
    rates : acceptance rate at each position of the text
    confidence : probability of the drafter's most likely token at each position; None where it is not known
    costs : Costs
    max_drafts : largest number of drafts
    names : of policies
    runs, seed : of those that are simulated

    Raises ValueError for no rates, a rate that is none, a name that is none, or a policy by confidence without it.

    >>> drifting = [0.9] * 60 + [0.1] * 60
    >>> rows = compared_policies(drifting, None, Costs(0.1), 8, ["moving:16"], runs=200)
    >>> [row.name for row in rows], rows[2].regret < 0 < rows[2].regret_of_oracle
    (['oracle', 'fixed:2', 'moving:16'], True)
    """
    alpha = [float(rate) for rate in rates]
    if not alpha or not all(0 <= rate <= 1 for rate in alpha) or max_drafts < 1:
        raise ValueError(
            f"rates, max_drafts: {alpha[:4]}, {max_drafts}; expected rates between 0 and 1, and one draft or more"
        )
    if confidence is not None and len(confidence) != len(alpha):
        raise ValueError(f"confidence: {len(confidence)} numbers for {len(alpha)} rates; expected as many")
    fixed = {count: float(expected_time(alpha, [count] * len(alpha), costs)) for count in range(max_drafts + 1)}
    best = min(fixed, key=lambda count: fixed[count])
    oracle = float(oracle_time(alpha, max_drafts, costs))

    def row(name: str, time: Interval, drafts: float | None) -> PolicyRow:
        speed = Interval(len(alpha) / time.estimate, len(alpha) / time.high, len(alpha) / time.low, time.level)
        return PolicyRow(name, speed, drafts, time.estimate / fixed[best] - 1, time.estimate / oracle - 1)

    rows = [row("oracle", _exact(oracle), None), row(f"fixed:{best}", _exact(fixed[best]), float(best))]
    for name in names:
        kind, _, text = name.partition(":")
        if kind == "confidence":
            if confidence is None:
                raise ValueError(f"policy: {name!r} needs the drafter's probabilities; expected another policy")
            drafts, passes = _confident_drafts(confidence, _number(name, text, largest=1), max_drafts)
            steps = float(expected_time(alpha, drafts, Costs(0)))
            drafts_per_step = (float(expected_time(alpha, drafts, Costs(0, 1))) - steps) / steps
            rows.append(row(name, _exact(float(expected_time(alpha, drafts, costs, passes))), drafts_per_step))
            continue
        times, drafts_of_runs = simulated_times(alpha, name, costs, max_drafts, runs, seed)
        error = 1.96 * float(times.std(ddof=1)) / math.sqrt(runs)
        mean = float(times.mean())
        rows.append(row(name, Interval(mean, mean - error, mean + error, 0.95), float(drafts_of_runs.mean())))
    return rows


def policy_lines(rows: Sequence[PolicyRow], rule: str) -> list[str]:
    """The comparison as `simspec advise --policy` prints it.

    >>> print(policy_lines(compared_policies([0.5] * 4, None, Costs(0.25), 2, []), "sd")[2])
                oracle             1.16        -           -4.3 %              0.0 %
    """
    lines = [
        (
            f"\nPolicies for the number of drafts, with {rule} along the text "
            "(regret is extra time; ±: 95 % error of simulated runs, the text as given):"
        )
    ]
    lines.append(f"  {'policy':>16}  {'speed-up':>15}  {'drafts':>7}  {'over best fixed':>15}  {'over the oracle':>17}")
    for row in rows:
        half = (row.speedup.high - row.speedup.low) / 2
        speed = f"{row.speedup.estimate:.2f}" + (f" ±{half:.2g}" if half > 0 else "")
        drafts = "-" if row.drafts is None else f"{row.drafts:.1f}"
        regrets = f"{100 * row.regret:>13.1f} %  {100 * row.regret_of_oracle:>15.1f} %"
        lines.append(f"  {row.name:>16}  {speed:>15}  {drafts:>7}  {regrets}")
    return lines


def _exact(time: float) -> Interval:
    return Interval(time, time, time, 0.95)


def _confident_drafts(confidence: Sequence[float], threshold: float, max_drafts: int) -> tuple[list[int], list[int]]:
    """Drafts verified and draft passes taken of a step that begins at each position."""
    drafts = []
    passes = []
    for position in range(len(confidence)):
        ahead = confidence[position : position + max_drafts]
        count = next((number for number, value in enumerate(ahead) if value < threshold), len(ahead))
        drafts.append(count)
        passes.append(min(count + 1, max_drafts))
    return drafts, passes


def _policy(name: str, costs: Costs, max_drafts: int) -> _Policy:
    """A policy that remembers, by its name."""
    kind, _, text = name.partition(":")
    if kind == "fixed":
        count = _number(name, text, largest=max_drafts)
        return _Policy(lambda runs: np.full((runs, 1), count), _first_column, lambda state, drafts, accepted: state)
    if kind == "heuristic" and not text:
        return _Policy(
            lambda runs: np.full((runs, 1), float(min(BEGIN, max_drafts))), _first_column, _scheduler(max_drafts)
        )
    if kind == "moving":
        return _moving(_number(name, text, LARGEST[kind]), costs, max_drafts)
    raise _unknown(name)


def check_policy(name: str) -> None:
    """Refuse a name that is no policy, with ValueError, before anything is measured.

    >>> check_policy("moving:64")
    >>> check_policy("movin:64")
    Traceback (most recent call last):
    ...
    ValueError: policy: 'movin:64', the nearest is moving; expected fixed:4, heuristic, moving:64 or confidence:0.4
    """
    kind, _, text = name.partition(":")
    if kind in LARGEST:
        _number(name, text, LARGEST[kind])
    elif name != "heuristic":
        raise _unknown(name)


def _unknown(name: str) -> ValueError:
    """That a name is no policy."""
    kind = name.partition(":")[0]
    near = "" if kind in EXAMPLES else nearest(kind, EXAMPLES)
    *others, last = EXAMPLES.values()
    return ValueError(f"policy: {name[:40]!r}{near}; expected {', '.join(others)} or {last}")


def _number(name: str, text: str, largest: float) -> float:
    """The parameter of a policy."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    example = EXAMPLES[name.partition(":")[0]]
    if not 0 <= value <= largest or (largest > 1 and value != int(value)) or (name.startswith("moving") and value < 1):
        raise ValueError(
            f"policy: {name[:40]!r}; expected a number up to {largest:g} after the colon, such as {example}"
        )
    return value


def _first_column(state: Floats) -> Integers:
    return state[:, 0].astype(np.int64)


def _scheduler(max_drafts: int) -> Callable[[Floats, Integers, Integers], Floats]:
    """Two drafts more where all were accepted, one fewer where not."""

    def update(state: Floats, drafts: Integers, accepted: Integers) -> Floats:
        changed = np.where(accepted == drafts, drafts + 2, drafts - 1)
        return np.clip(changed, 1, max_drafts)[:, None].astype(np.float64)

    return update


def _moving(window: float, costs: Costs, max_drafts: int) -> _Policy:
    """A moving mean of tested drafts, which begins at a half of one draft, and the fastest number of drafts at it.

    It drafts at least one token: without drafts it would never learn that they are accepted again.
    """
    counts = np.arange(1, max_drafts + 1)
    times = 1 + counts * (costs.draft + costs.verify)
    decay = 1 - 1 / window

    def drafts(state: Floats) -> Integers:
        alpha = state[:, :1] / state[:, 1:]
        lengths = 1 + np.cumsum(alpha**counts, axis=1)
        return counts[(lengths / times).argmax(axis=1)]

    def update(state: Floats, drafts: Integers, accepted: Integers) -> Floats:
        tested = np.minimum(accepted + 1, drafts)
        return state * (decay**tested)[:, None] + np.stack([accepted, tested], axis=1)

    return _Policy(lambda runs: np.tile([0.5, 1.0], (runs, 1)), drafts, update)
