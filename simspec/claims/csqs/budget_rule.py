"""`csqs.budget-rule`: own statement: a rule without step size, beside SQS Theorem 2."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import F, bound
from simspec.claims.csqs.parts import ONE, OWN, exact_token_counts, number, off_budget, sequence

BUDGET = bound(
    name="csqs.budget-rule",
    statement=r"Dropping the least likely tokens as long as no more than $b + \alpha n$ has been dropped of the first "
    r"$n$ tokens, $0 \le b \le 1$, read literally: $\alpha - \frac{1 - b}{T} \le \frac1T \sum_{n \le T} \alpha_n \le "
    r"\alpha + \frac bT$",
    reference=f"{OWN}: a rule without step size, beside SQS Theorem 2",
    instances=lambda draw: {"q": sequence(draw), "budget": number(draw, 0, 1), "dropped_target": number(draw, 0, 1)},
    lhs=lambda q, dropped_target, budget: off_budget(q, dropped_target, budget, False),
    rhs=lambda q, budget: np.stack([budget / exact_token_counts(q), (1 - budget) / exact_token_counts(q)]),
    tight=({"q": ONE, "budget": F(1, 2), "dropped_target": F(1, 2)},),
    note="What is left is less than the mass of the next token, or all was dropped and it has not grown. b = 0 never "
    "exceeds the target; b = ½ misses it by 1/(2T) at most, and no rule by less: at α = ½ all or nothing of a certain "
    "token is dropped. C-SQS guarantees (1 + η)/(2ηT) at best (csqs.two-sided-best-start).",
)
