"""The speed-up is the mean number of tokens per target step times the target's time, over the time of the step.

`sd.speedup`: PAD 2, restored.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, Instance, broken, identity
from simspec.claims.claim import Printed
from simspec.claims.sd.parts import mean_tokens
from simspec.laws import Scalar, overlap
from simspec.methods import SD, block_outcomes, speedup_of_accepted


def _timed(draw: Draw) -> Instance:
    n = 2
    p = draw.law(n)
    q = draw.law(n)
    return {
        "p": p if draw.exact else p[0],
        "q": q if draw.exact else q[0],
        "gamma": draw.integer(1, 4),
        "t_p": draw.number("1/8", 2) if draw.exact else draw.number(0.125, 2),
        "t_q": draw.number(0, 1),
    }


def _measured_speed(p: Array, q: Array, gamma: int, t_p: Scalar, t_q: Scalar) -> Any:
    """Target time saved per unit of block time: mean tokens of a block, each worth t_p, over the time of a block."""
    tokens = mean_tokens(lambda x: p, lambda x: q, gamma)
    return tokens * t_p / (gamma * t_q + t_p)


def _printed_speed(p: Array, q: Array, gamma: int, t_p: Scalar, t_q: Scalar) -> Any:
    mean = sum(o.probability * o.accepted for o in block_outcomes(SD, lambda x: p, lambda x: q, (), gamma))
    return speedup_of_accepted(mean, gamma, t_q / t_p)


SPEEDUP = identity(
    name="sd.speedup",
    statement=r"$S = \frac{(\bar L + 1)\, t_p}{\gamma\, t_q + t_p}$ with $\bar L$ the mean number of accepted drafts in a block",
    reference="PAD 2, restored",
    instances=_timed,
    lhs=_measured_speed,
    rhs=_printed_speed,
    sources=("exact", "float"),
    sums=64,
    note="Every block emits its accepted drafts and one token more (the replacement, or the extra one when all are kept); "
    "long-run speed is mean tokens over mean time. S is a ratio of means: for a text of given length the last block overshoots.",
    printed=Printed(
        place="PAD 2",
        text="Hence the expected speedup is …",
        read="The time of the target alone for the tokens of a block, over the time of the block.",
        restored="the formula, from the sentences before it",
    ),
    broken=[
        broken(
            "one token a step in place of the mean number",
            lhs=lambda p, q, gamma, t_p, t_q: overlap(p, q) * t_p / (gamma * t_q + t_p),
        )
    ],
)
