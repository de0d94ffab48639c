"""The rule without step size also works with the top token always kept, where no token is too likely.

`csqs.budget-rule-keep-top`: own statement: a rule without step size, beside SQS Theorem 2.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Broken, Draw, F, Instance, bound
from simspec.claims.csqs.parts import CERTAIN, HALVES, ONE, OWN, exact_token_counts, number, off_budget, scaled
from simspec.claims.csqs.threshold_range import KEEP_TOP_SHARP


def _uncertain_budget(draw: Draw) -> Instance:
    instance = KEEP_TOP_SHARP.draw(draw)
    return {"q": instance["q"], "dropped_target": instance["dropped_target"], "budget": number(draw, 0, "1/2")}


BUDGET_KEEP_TOP = bound(
    name="csqs.budget-rule-keep-top",
    statement=r"Dropping the least likely tokens, never the most likely one, as long as no more than $b + \alpha n$ has "
    r"been dropped of the first $n$ tokens, read literally, when $\max_x q_n(x) \le 1 - \alpha$ for every $n$ "
    r"and $0 \le b \le \frac12$: $\alpha - \frac{1/2 - b}{T} \le \frac1T \sum_{n \le T} \alpha_n \le \alpha + "
    r"\frac bT$",
    reference=f"{OWN}: a rule without step size, beside SQS Theorem 2",
    instances=_uncertain_budget,
    assumes={CERTAIN: KEEP_TOP_SHARP.assumes[CERTAIN]},
    lhs=lambda q, dropped_target, budget: off_budget(q, dropped_target, budget, True),
    rhs=lambda q, budget: np.stack([budget / exact_token_counts(q), (1 - 2 * budget) / (2 * exact_token_counts(q))]),
    tight=({"q": HALVES, "budget": F(1, 4), "dropped_target": F(1, 4)},),
    outside={CERTAIN: {"q": ONE, "budget": F(0), "dropped_target": F(3, 4)}},
    note="All but the most likely token has at least the mass α, and no other token more than ½. b = ¼ misses the "
    "target by 1/(4T) at most. The upper end needs no condition.",
    broken=[Broken("half of the bound", lambda claim: {"rhs": scaled(claim, F(1, 2))})],
)
