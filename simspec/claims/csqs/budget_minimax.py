"""No rule comes closer than 1/(2T) to every target of the average dropped probability.

`csqs.budget-minimax`: no rule misses the budget by less than 1/(2T) (own).
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Draw, F, Instance, at_least, bound, broken
from simspec.claims.csqs.parts import OWN

__all__ = ["half_odd"]


def half_odd(number_dropped: int, tokens: int) -> F:
    """The target α = (2m + 1)/(2T), halfway between two numbers of dropped tokens.

    >>> print(half_odd(0, 1))
    1/2
    """
    return F(2 * number_dropped + 1, 2 * tokens)


def _runs(draw: Draw) -> Instance:
    tokens = draw.integer(1, 6)
    return {"dropped": [draw.integer(0, 1) for _ in range(tokens)], "whole": draw.integer(0, tokens - 1)}


def _miss(dropped: list[int], whole: int) -> Any:
    return abs(F(sum(dropped), len(dropped)) - half_odd(whole, len(dropped)))


MINIMAX = bound(
    name="csqs.budget-minimax",
    statement=r"Of $T$ tokens of which the draft is certain every rule, whatever it knows, misses the target $\alpha = (2m "
    r"+ 1)/(2T)$ by at least $1/(2T)$: $\big|\frac1T \sum_{n \le T} \alpha_n - \alpha\big| \ge \frac{1}{2T}$ for $0 \le m < "
    r"T$",
    reference=f"{OWN}: the least distance from the target, beside csqs.budget-rule",
    instances=_runs,
    lhs=_miss,
    rhs=lambda dropped: F(1, 2 * len(dropped)),
    relation=at_least,
    tight=({"dropped": [0], "whole": 0}, {"dropped": [1, 0, 0], "whole": 1}),
    sources=("exact",),
    note="All of a certain token is dropped or nothing. The rule of csqs.budget-rule with b = 1/2 misses no target by more, "
    "so that 1/(2T) is the minimax distance for every T; for one given α less may do, as for α = 0.",
    broken=[broken("the budget is shared evenly", rhs=lambda dropped: F(1, len(dropped)))],
)
