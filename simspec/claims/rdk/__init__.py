"""RDK (`simspec cite rdk` prints the paper): its statements, in the paper's own order.

`real.py` holds `rdk.seventy-five`, `rdk.real-pruning` and `rdk.real-controls`, which share a study.
`token_counts.py` holds `rdk.frequent-quarter` and `rdk.long-tail`, which share a study. `logits.py` holds
`rdk.logit-statistics`, `rdk.student-t-logits`, `rdk.t-fit`, `rdk.probability-fit` and `rdk.heavier-than-t`, which share
sources. `pruning.py` holds `rdk.plateau-flat`, `rdk.plateau-wins` and `rdk.figure7-value`, which share a study. What
statements share stands in `first_order.py`, `moves.py`, `parts.py` and `softmax.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("abstract and Eq. 2", "rdk.draws-everything", "draws_everything"),
    ("abstract", "rdk.seventy-five", "real"),
    ("1 and Eq. 3", "rdk.approximator-available", "approximator_available"),
    ("1", "rdk.small-overlap", "small_overlap"),
    ("2", "rdk.minimise-kernel", "minimise_kernel"),
    ("3", "rdk.frequent-quarter", "token_counts"),
    ("4", "rdk.identity-is-tli", "identity_is_tli"),
    ("4, Assumption 4.1", "rdk.mass-preserved", "mass_preserved"),
    ("4, first sentence", "rdk.any-drafter", "any_drafter"),
    ("own statement: the only target of rdk.any-drafter-corrected", "rdk.stationary-target", "stationary_target"),
    ("4", "rdk.linear-time", "linear_time"),
    ("4", "rdk.no-extra-data", "no_extra_data"),
    ("4", "rdk.memory", "memory"),
    ("4", "rdk.project-logits", "project_logits"),
    ("4", "rdk.any-vocabularies", "any_vocabularies"),
    ("4, before Eq. 3", "rdk.rank-one", "rank_one"),
    ("own statement: a sufficient condition for the advantage that 4 claims", "rdk.gain", "gain"),
    ("own statement", "rdk.gain-moved", "gain_moved"),
    ("own statement", "rdk.gain-guessed", "gain_guessed"),
    ("own statement, beside Eq. 2", "rdk.best-affinity", "best_affinity"),
    ("Eq. 2", "rdk.sharpness", "sharpness"),
    ("own statement, from Eq. 3", "rdk.linear-is-mixture", "linear_is_mixture"),
    ("Theorem 5.1", "rdk.worst-case", "worst_case"),
    ("end of Theorem 5.1", "rdk.never-worse", "never_worse"),
    ("5.1, “by Lemma 2.3”", "rdk.worst-case-acceptance", "worst_case_acceptance"),
    ("text before Theorem 5.2", "rdk.perturbed-target", "perturbed_target"),
    ("Theorem 5.2", "rdk.softmax-lipschitz", "softmax_lipschitz"),
    ("after Theorem 5.2", "rdk.perturbations-harmless", "perturbations_harmless"),
    ("own statement, behind Theorem 5.2", "rdk.softmax-jacobian", "softmax_jacobian"),
    ("own statement, behind Theorem 5.2", "rdk.softmax-jacobian-norms", "softmax_jacobian_norms"),
    ("Theorem 5.3", "rdk.gaussian-advantage", "gaussian_advantage"),
    ("Theorem 5.4", "rdk.taylor-order", "taylor_order"),
    ("Theorem 5.4, without its hypothesis", "rdk.taylor-order-general", "taylor_order_general"),
    ("Theorem 5.4, with (6) as printed", "rdk.taylor-order-approximate", "taylor_order_approximate"),
    ("6.1 and Figure 1", "rdk.long-tail", "token_counts"),
    ("6.1, Figures 2 and 4", "rdk.logit-statistics", "logits"),
    ("6.1 and Figure 4", "rdk.mean-probability", "mean_probability"),
    ("6.1 and C.1, Figures 3 and 8", "rdk.student-t-logits", "logits"),
    ("6.1 and Figure 3", "rdk.t-fit", "logits"),
    ("6.2", "rdk.tli-ceiling", "tli_ceiling"),
    ("6.2, schemes (a) and (b)", "rdk.tli-vs-none", "tli_vs_none"),
    ("6.2", "rdk.percentage", "percentage"),
    ("6.2 and Figure 7", "rdk.plateau-flat", "pruning"),
    ("6.2 and Figure 7", "rdk.plateau-wins", "pruning"),
    ("6.2 and Figure 7", "rdk.figure7-value", "pruning"),
    ("own statement, from 6.2 and the controls of C.4", "rdk.static-mixture", "static_mixture"),
    ("Lemma B.1", "rdk.non-expansive", "non_expansive"),
    ("B.4", "rdk.two-events", "two_events"),
    ("B.5", "rdk.tli-is-transport", "tli_is_transport"),
    ("C.2, Figures 9 and 10", "rdk.probability-fit", "logits"),
    ("C.2", "rdk.heavier-than-t", "logits"),
    ("C.3", "rdk.affinity-rows", "affinity_rows"),
    ("Appendix C.3 and Figure 11", "rdk.affinity-sparsity", "affinity_sparsity"),
    ("Appendix C.4", "rdk.real-pruning", "real"),
    ("Appendix C.4, read against plain controls", "rdk.real-controls", "real"),
)
"""The paper's number, the statement, and the module that states it, in the paper's own order."""
