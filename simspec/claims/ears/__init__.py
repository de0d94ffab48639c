"""EARS (`simspec cite ears` prints the paper): its statements, in its own order.

What statements share stands in `parts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("Key Results", "ears.throughput", "throughput"),
    ("Key Results", "ears.gsm8k-drop", "gsm8k_drop"),
    ("Key Results", "ears.drop-unit", "drop_unit"),
    ("Key Results", "ears.beta-optimal", "beta_optimal"),
    ("Mechanism 1", "ears.threshold-proportional", "threshold_proportional"),
    ("Mechanism 1", "ears.certain-target", "certain_target"),
    ("Mechanism 2", "ears.fidelity", "fidelity"),
    ("Mechanism 2 and steps 4 to 6 of the verifier", "ears.single-threshold", "single_threshold"),
    ("Mechanism 2", "ears.support", "support"),
    ("own statement, in place of Mechanism 2", "ears.support-lenience", "support_lenience"),
    ("Mechanism 3", "ears.cache", "cache"),
    ("critical path and failure signatures", "ears.critical-path", "critical_path"),
    ("design trade-offs", "ears.temperature", "temperature"),
    ("design trade-offs (β)", "ears.beta-tradeoff", "beta_tradeoff"),
    ("own statement", "ears.best-tradeoff", "best_tradeoff"),
    ("own statement", "ears.best-tradeoff-kl", "best_tradeoff_kl"),
    ("first experiment 1 (β = 0), with step 6 read as a fresh draw", "ears.beta-zero", "beta_zero"),
    ("first experiments, 3", "ears.calibration", "calibration"),
    ("open question 1", "ears.other-uncertainty", "other_uncertainty"),
    ("open question 2", "ears.bias", "bias"),
    ("open question 2", "ears.sequence-bias", "sequence_bias"),
    ("not printed; open question 2", "ears.bias-bound", "bias_bound"),
    ("open question 3", "ears.reasoning", "reasoning"),
    ("next check 2", "ears.gamma-scaling", "gamma_scaling"),
    ("next check 2", "ears.gamma-accuracy", "gamma_accuracy"),
    ("next check 3", "ears.two-paths", "two_paths"),
    ("own statement, answering next check 3", "ears.two-paths-order", "two_paths_order"),
)
"""The paper's number, the statement, and the module that states it, in the paper's own order."""
