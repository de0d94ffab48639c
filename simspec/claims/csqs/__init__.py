"""The adaptive threshold of SQS, C-SQS (`simspec cite csqs` prints the paper).

Its statements are in the paper's own order; those about sparsifying, rounding and sending are in the folder `sqs`.

What statements share stands in `parts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("Eqs. 7 and 29", "csqs.asymptotic", "asymptotic"),
    ("3, after Eq. 7", "csqs.alpha-reduces-k", "alpha_reduces_k"),
    ("after Eq. 8", "csqs.direction", "direction"),
    ("Algorithm 1, lines 11–13", "csqs.checkpoint", "checkpoint"),
    ("4, for Theorem 2, Lemmas 3 and 4 and Eq. 28", "csqs.paper-range", "paper_range"),
    ("Theorem 2", "csqs.average-dropped", "average_dropped"),
    ("own statement, sharpening Theorem 2 and csqs.average-dropped-sharp", "csqs.largest-excess", "largest_excess"),
    ("own statement, in place of Theorem 2 and Eq. 29", "csqs.two-sided", "two_sided"),
    ("own statement", "csqs.two-sided-best-start", "two_sided_best_start"),
    ("own statement, in place of Theorem 2 and Eq. 29", "csqs.two-sided-keep-top", "two_sided_keep_top"),
    ("own statement: a rule without step size, beside Theorem 2", "csqs.budget-rule", "budget_rule"),
    ("own statement: a rule without step size, beside Theorem 2", "csqs.budget-rule-keep-top", "budget_rule_keep_top"),
    ("own statement, beside csqs.budget-rule", "csqs.budget-minimax", "budget_minimax"),
    ("own statement, on Eq. 8", "csqs.descent", "descent"),
    ("own statement, on Fig. 5 and csqs.adaptive-against-fixed", "csqs.tokens-lost", "tokens_lost"),
    ("Figs 2 and 6", "csqs.crossover", "crossover"),
    ("Fig. 2", "csqs.stability", "stability"),
    ("Lemma 2", "csqs.telescoping", "telescoping"),
    ("Lemma 3", "csqs.step", "step"),
    ("Lemma 3, last sentence", "csqs.step-size", "step_size"),
    ("Lemma 4", "csqs.threshold-range", "threshold_range"),
    (
        "own statement, sharpening Lemma 4 and csqs.threshold-range.literal-sharp",
        "csqs.lowest-threshold",
        "lowest_threshold",
    ),
    ("proof of Lemma 4", "csqs.beyond-one", "beyond_one"),
    ("Eq. 28", "csqs.sum-bound", "sum_bound"),
    ("Eq. 30", "csqs.sqrt-rate", "sqrt_rate"),
    ("Fig. 5", "csqs.adaptivity", "adaptivity"),
    ("own statement, for Fig. 5 and csqs.adaptivity", "csqs.fixed-optimal", "fixed_optimal"),
    ("own statement, for Fig. 5 and csqs.adaptivity", "csqs.best-fixed-threshold", "best_fixed_threshold"),
    ("own statement, for Fig. 5 and csqs.adaptivity", "csqs.best-fixed-optimal", "best_fixed_optimal"),
    ("own statement, for Fig. 5 and csqs.adaptivity", "csqs.adaptive-against-fixed", "adaptive_against_fixed"),
)
"""The paper's number, the statement, and the module that states it, in the paper's own order."""
