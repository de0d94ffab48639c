"""A middle model pays under a condition on costs and acceptances, and not whenever it agrees well with both others.

`cascade.pays.rounds` and `.folk`: Wang et al. 2025 (2510.26527).  The schedule: in each round q drafts γ₁ tokens and m verifies
them once; after k rounds p verifies once all that m emitted.  Without m, p verifies γ drafts of q.  Steps are independent.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, identity, law
from simspec.laws import overlap
from simspec.methods.cascade import cascade_speed
from simspec.methods.speed import step_time
from simspec.methods.verifier.chance import Chance, every

__all__ = ["BETWEEN", "counted", "drafted"]

BETWEEN = "α(q, m) and α(m, p) both exceed α(q, p)"


def counted(lower: F, upper: F, gamma: int, rounds: int) -> Any:
    """Mean tokens of a pass of the target, by enumeration of every test of m and of p.

    >>> print(counted(F(1, 2), F(1, 2), 1, 1))
    13/8
    """

    def program(chance: Chance) -> int:
        emitted = 0
        for _ in range(rounds):
            accepted = 0
            while accepted < gamma and chance.keep(lower, 1):
                accepted += 1
            emitted += accepted + 1
        accepted = 0
        while accepted < emitted and chance.keep(upper, 1):
            accepted += 1
        return accepted + 1

    return sum((weight * tokens for weight, tokens in every(program)), start=F(0))


def drafted(alpha: F, gamma: int) -> Any:
    """Mean tokens of a pass of the target without a middle model, by enumeration."""

    def program(chance: Chance) -> int:
        accepted = 0
        while accepted < gamma and chance.keep(alpha, 1):
            accepted += 1
        return accepted + 1

    return sum((weight * tokens for weight, tokens in every(program)), start=F(0))


def _schedules(draw: Draw) -> Instance:
    """Acceptances, costs in passes of the target, and both schedules."""
    return {
        **{name: draw.number(0, 1) for name in ("alpha", "lower", "upper", "draft_cost", "middle_cost")},
        **{"gamma": draw.integer(0, 3), "inner": draw.integer(0, 2), "rounds": draw.integer(0, 2)},
    }


def _advantage(alpha: F, lower: F, upper: F, draft_cost: F, middle_cost: F, gamma: int, inner: int, rounds: int) -> Any:
    """(1 − α)(1 − α₂) times tokens of the cascade at the time of the other, less those of the other at the cascade's."""
    plain_time = 1 + gamma * draft_cost
    time = 1 + rounds * (inner * draft_cost + middle_cost)
    gain = counted(lower, upper, inner, rounds) * plain_time - drafted(alpha, gamma) * time
    return (1 - alpha) * (1 - upper) * gain


def _condition(alpha: F, lower: F, upper: F, draft_cost: F, middle_cost: F, gamma: int, inner: int, rounds: int) -> Any:
    """The closed form, with B the probability that p accepts all tokens of a round."""
    product = lower * upper
    all_accepted = upper * ((1 - lower) * sum(product**i for i in range(inner)) + product**inner)
    tokens = (1 - alpha) * (1 - upper * all_accepted**rounds)
    plain = (1 - upper) * (1 - alpha * alpha**gamma)
    return tokens * (1 + gamma * draft_cost) - plain * (1 + rounds * (inner * draft_cost + middle_cost))


ROUNDS = identity(
    name="cascade.pays.rounds",
    statement=r"$k$ rounds of $\gamma_1$ drafts verified by $m$, then one pass of $p$: faster than $\gamma$ drafts verified by "
    r"$p$ if and only if $(1 - \alpha)(1 - \alpha_2 B^k)(1 + \gamma c) > (1 - \alpha_2)(1 - \alpha^{\gamma + 1})(1 + "
    r"k(\gamma_1 c + c_m))$, $B = \alpha_2[(1 - \alpha_1)\sum_{i < \gamma_1}(\alpha_1\alpha_2)^i + "
    r"(\alpha_1\alpha_2)^{\gamma_1}]$, $\alpha, \alpha_2 < 1$",
    reference="Wang et al. 2025 (2510.26527), abstract at hand (schedule fixed here: one of several natural ones), with the "
    "cost model of Leviathan et al. 2023",
    instances=_schedules,
    lhs=_advantage,
    rhs=_condition,
    tight=[
        {
            **{"alpha": F(1, 2), "lower": F(1, 2), "upper": F(1, 2), "draft_cost": F(1, 8), "middle_cost": F(1, 4)},
            **{"gamma": 2, "inner": 1, "rounds": 1},
        }
    ],
    sources=("exact",),
    note="The two sides differ by tokens of one schedule at the time of the other, times (1 − α)(1 − α₂). With γ₁ = 0 the middle "
    "model is a draft, and B = α₂; with α₁ = 1 a round is γ₁ + 1 tokens for one pass of m.",
    broken=[
        broken(
            "m emits no token of its own",
            lhs=lambda lower, upper, **rest: _advantage(lower=lower, upper=lower * upper, **rest),
        )
    ],
)


def _laws(draw: Draw) -> Instance:
    """Two laws and one between, and costs of the draft and of the middle model, the cheaper first, below the target's."""
    vocab = 2 + draw.integer(0, 1)
    p = draw.law(vocab)
    q = draw.law(vocab)
    share = draw.number(F(1, 8), F(7, 8))
    m = share * p + (1 - share) * q
    middle = draw.number(0, 1)
    return {"p": p, "m": m, "q": q, "draft_cost": middle * draw.number(0, 1), "middle_cost": middle}


def _is_between(p: Array, m: Array, q: Array) -> bool:
    return bool(min(overlap(q, m), overlap(m, p)) > overlap(q, p))


def _with_middle(p: Array, m: Array, q: Array, draft_cost: F, middle_cost: F) -> Any:
    """The best speed of at most three rounds of at most three drafts."""
    lower = overlap(q, m)
    upper = overlap(m, p)
    return max(
        cascade_speed(lower, upper, draft_cost, middle_cost, inner, rounds)
        for inner in range(4)
        for rounds in range(1, 4)
    )


def _without(p: Array, q: Array, draft_cost: F) -> Any:
    """The best speed of at most three drafts, or of none."""
    alpha: Any = overlap(q, p)
    return max(drafted(alpha, gamma) / step_time(gamma, draft_cost) for gamma in range(4))


DEAR = {
    **{"p": law("1/4", "3/4"), "m": law("1/2", "1/2"), "q": law("3/4", "1/4")},
    **{"draft_cost": F(0), "middle_cost": F(3, 4)},
}

FOLK = bound(
    name="cascade.pays.folk",
    statement=r"A middle model that costs less than the target pays whenever $\alpha(q, m)$ and $\alpha(m, p)$ both exceed "
    r"$\alpha(q, p)$: the best schedule with it is no slower than the best without (of three drafts and three rounds at most)",
    reference="practice, on Wang et al. 2025 (2510.26527)",
    instances=_laws,
    assumes={BETWEEN: _is_between},
    lhs=_with_middle,
    relation=at_least,
    rhs=_without,
    outside={BETWEEN: {**DEAR, "m": law("3/4", "1/4"), "middle_cost": F(1)}},
    sources=("exact",),
    corrected_by=("cascade.pays.rounds",),
    against=(DEAR,),
    within=(DEAR,),
    note="Agreement is worth nothing without its price. A pass of m and one of p emit fewer than 1/((1 − α₁)(1 − α₂)) tokens; a "
    "draft that costs nothing needs no m unless these are worth 1 + c_m passes.",
)
