"""TASC (`simspec cite tasc` prints the paper): its statements, in the paper's own order.

What statements share stands in `corpora.py`, `drafts.py`, `enrichment.py`, `parts.py` and `tables.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("Table 1", "tasc.table1-columns", "table1_columns"),
    ("3.1 and Table 1", "tasc.output-entropy", "output_entropy"),
    ("3.1 and Table 1", "tasc.task-over-domain", "task_over_domain"),
    ("Eq. 1", "tasc.conditioning", "conditioning"),
    ("footnote 2", "tasc.task-entropy", "task_entropy"),
    ("Eq. 2; Shannon 1948", "tasc.typical-set", "typical_set"),
    ("Eq. 2 at n = 2 and Table 1", "tasc.typical-set-bigrams", "typical_set_bigrams"),
    ("4.1 and App. A", "tasc.bpe", "bpe"),
    ("4.1", "tasc.entropy-monotone", "entropy_monotone"),
    ("4.1 and Appendix D", "tasc.uid", "uid"),
    ("4.1 and Figure 2", "tasc.length-reduction", "length_reduction"),
    ("4.1 and Algorithm 1", "tasc.pcs", "pcs"),
    ("4.1", "tasc.suffix-suppression", "suffix_suppression"),
    ("Eq. 3", "tasc.merge-reward", "merge_reward"),
    ("Algorithm 1", "tasc.termination", "termination"),
    ("4.2", "tasc.mean-initialisation", "mean_initialisation"),
    ("4.2 and B.2", "tasc.trainable-share", "trainable_share"),
    ("5; Leviathan et al. 2023, Appendix A.1", "tasc.spec-lossless", "spec_lossless"),
    ("end of 5", "tasc.two-regimes", "two_regimes"),
    ("Table 2 and 6.1", "tasc.judge-scores", "judge_scores"),
    ("6.1", "tasc.reward-decreasing", "reward_decreasing"),
    ("6.1", "tasc.diminishing", "diminishing"),
    ("6.1 and Table 5", "tasc.table5-diminishing", "table5_diminishing"),
    ("6.1 and Table 8", "tasc.table8-diminishing", "table8_diminishing"),
    ("6.1, Tables 5 and 8", "tasc.cutoff-500", "cutoff_500"),
    ("6.1 and B.3", "tasc.eurlex-size", "eurlex_size"),
    ("6.1 and App. E", "tasc.settings", "settings"),
    ("6.1 and Appendix E", "tasc.renyi-predicts", "renyi_predicts"),
    ("6.2 and Figure 4", "tasc.position-decay", "position_decay"),
    ("6.2 and Table 3", "tasc.beats-ngrammys", "beats_ngrammys"),
    ("6.2 and Table 3", "tasc.table3-orders", "table3_orders"),
    ("App. A", "tasc.added-tokens", "added_tokens"),
    ("App. C.1 and Table 5", "tasc.table5-gain", "table5_gain"),
    ("App. C.1, Figure 5 and Table 5", "tasc.best-budget", "best_budget"),
    ("App. C.2 and Table 6", "tasc.table6-order", "table6_order"),
    ("App. C.3 and Table 7", "tasc.epochs", "epochs"),
    ("1, 7 and App. C.4", "tasc.speedup-range", "speedup_range"),
    ("App. C.4 and Table 8", "tasc.table8-speedup", "table8_speedup"),
    ("App. C.5", "tasc.spiky", "spiky"),
    ("App. C.5", "tasc.mixture-average", "mixture_average"),
    ("Appendix C.5 and Figure 7", "tasc.mixture", "mixture"),
    ("Table 9, Figure 8 and Appendix D", "tasc.entropy-rises", "entropy_rises"),
    ("App. E", "tasc.renyi-limit", "renyi_limit"),
    ("App. E.2", "tasc.directional-rate", "directional_rate"),
)
"""The paper's number, the statement, and the module that states it, in the paper's own order."""
