r"""Cascades: a draft model q, a middle model m that verifies q's drafts, and the target p that verifies what m emits.

The schedule is fixed.  In each round q drafts γ tokens and m verifies them in one pass, so that it emits from 1 to γ + 1
tokens; after k rounds p verifies all of them in one pass and adds a token of its own.  A round's tokens are lost from the
first that p rejects.  Steps are independent: m accepts a draft with probability α₁, p a token of m with probability α₂.
Times are in passes of the target.  What is not here: laws (`simspec.methods.verifier` with `simspec.methods.sd`), and cascades
by deferral (`simspec.methods.relaxed`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simspec.checks import whole_number

__all__ = ["cascade_speed", "cascade_time", "cascade_tokens", "chain_tokens", "survival", "verified_tokens"]

MOST = "a whole number, not negative"


def survival(lower: Any, upper: Any, gamma: int) -> Any:
    r"""Mean of α₂ to the number of tokens that a round emits, :math:`B = \alpha_2 [(1 - \alpha_1) \sum_{i<\gamma} (\alpha_1
    \alpha_2)^i + (\alpha_1 \alpha_2)^\gamma]`: the probability that p accepts them all.

    >>> survival(0.5, 0.5, 1)
    0.375
    """
    product = lower * upper
    return upper * ((1 - lower) * sum(product**i for i in range(gamma)) + product**gamma)


def cascade_tokens(lower: Any, upper: Any, gamma: int, rounds: int) -> Any:
    r"""Mean number of tokens of a pass of the target, its own included: :math:`(1 - \alpha_2 B^k)/(1 - \alpha_2)`.

    Written as a sum, :math:`\sum_{j<k} B^j A + B^k` with :math:`A = \sum_{i \le \gamma} (\alpha_1 \alpha_2)^i`, so that it holds
    for α₂ = 1 too.

    Parameters
    ----------
    lower, upper : acceptance α₁ of q's drafts by m, and α₂ of m's tokens by p
    gamma : drafts of a round
    rounds : k

    Raises ValueError for a number of drafts or rounds that is no whole number.

    A draft of acceptance 1/2 and one round: m emits two tokens or one, each accepted by p with 1/2.

    >>> cascade_tokens(0.5, 0.5, gamma=1, rounds=1), cascade_tokens(1, 1, gamma=3, rounds=2)
    (1.625, 9)
    """
    whole_number("gamma", gamma, 0, 10**6, MOST)
    whole_number("rounds", rounds, 0, 10**6, MOST)
    accepted = sum((lower * upper) ** i for i in range(gamma + 1))
    all_accepted = survival(lower, upper, gamma)
    return sum(all_accepted**j for j in range(rounds)) * accepted + all_accepted**rounds


def cascade_time(draft_cost: Any, middle_cost: Any, gamma: int, rounds: int) -> Any:
    """Time of a pass of the target and of what it verifies, 1 + k (γ c_q + c_m).

    >>> cascade_time(0.125, 0.25, gamma=2, rounds=2)
    2.0
    """
    for name, cost in (("draft_cost", draft_cost), ("middle_cost", middle_cost)):
        if not cost >= 0:
            raise ValueError(f"{name}: {cost}; expected a time / time of the target for one token, not negative")
    return 1 + rounds * (gamma * draft_cost + middle_cost)


def cascade_speed(lower: Any, upper: Any, draft_cost: Any, middle_cost: Any, gamma: int, rounds: int) -> Any:
    """Speed against the target alone: tokens of a pass over its time.  Claim ``cascade.pays.rounds``.

    >>> cascade_speed(1, 1, draft_cost=0.125, middle_cost=0.25, gamma=2, rounds=2)
    3.5
    """
    return cascade_tokens(lower, upper, gamma, rounds) / cascade_time(draft_cost, middle_cost, gamma, rounds)


def verified_tokens(lower: Any, gamma: int, rounds: int) -> Any:
    r"""Mean number of tokens that the target verifies in a pass, :math:`k \sum_{i \le \gamma} \alpha_1^i`.

    The middle model emits more than i tokens of a round if it accepts the first i drafts; all rounds are run, whatever the
    target accepts of them.

    Parameters
    ----------
    lower : acceptance α₁ of q's drafts by m
    gamma : drafts of a round
    rounds : k

    Raises ValueError for a number of drafts or rounds that is no whole number.

    >>> verified_tokens(0.5, gamma=1, rounds=2), verified_tokens(1, gamma=3, rounds=2)
    (3.0, 8)
    """
    whole_number("gamma", gamma, 0, 10**6, MOST)
    whole_number("rounds", rounds, 0, 10**6, MOST)
    return rounds * sum(lower**i for i in range(gamma + 1))


def chain_tokens(acceptances: Sequence[Any], gamma: int) -> Any:
    r"""Mean tokens of a pass of the last model where each model verifies once what the one before it emits.

    The last model emits more than i tokens with probability :math:`\alpha^i` times that with which the one before it emits i or
    more.  The time is the same in every order of the models, so this number decides between orders (claim
    ``cascade.order-corrected``); of three it is :math:`1 + \alpha_3 + \alpha_2 \alpha_3^2 \sum_{i \le \gamma} (\alpha_1 \alpha_2
    \alpha_3)^i`.

    Parameters
    ----------
    acceptances : of each model of what the one before it emits, from the drafts on
    gamma : drafts of the first model

    >>> chain_tokens([0.5], gamma=2), chain_tokens([0.5, 0.5], gamma=1)
    (1.75, 1.625)
    """
    whole_number("gamma", gamma, 0, 10**6, MOST)
    emits = [1] * gamma  # the drafter makes that many, for sure: probability that it makes i or more, i = 1 … γ
    for acceptance in acceptances:
        accepted = [acceptance ** (i + 1) * mass for i, mass in enumerate(emits)]
        emits = [1, *accepted]
    return sum(emits)
