"""PAD (`simspec cite pad` prints the paper): its statements, in the paper's own order.

`pipeline.py` holds `pad.tradeoff`, `pad.tradeoff-controls` and `pad.classifier`, which share a study. What
statements share stands in `parts.py`, `utility.py`, `checked_answers.py` and, for blocks of drafts, `blocks.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("abstract and Figure 1", "pad.unnecessary-rejections", "unnecessary_rejections"),
    ("abstract", "pad.abstract-speedup", "abstract_speedup"),
    ("Figure 1", "pad.single-token", "single_token"),
    ("1", "pad.speedup-proportional", "speedup_proportional"),
    ("3.1, after Definition 2", "pad.sd-preserves", "sd_preserves"),
    ("3.2 and 3.3", "pad.two-descriptions", "two_descriptions"),
    ("3.2", "pad.acceptance", "acceptance"),
    ("3.2, read over a text", "pad.acceptance-trajectory", "acceptance_trajectory"),
    ("Lemma 1", "pad.utility-preserved", "utility_preserved"),
    ("own statement: what Lemma 1 keeps as printed", "pad.utility-kept", "utility_kept"),
    ("after Lemma 1", "pad.all-pivots-is-sd", "all_pivots_is_sd"),
    ("after Lemma 1", "pad.better-classifier", "better_classifier"),
    ("3.3, guardrail, as printed", "pad.guardrail", "guardrail"),
    ("3.3", "pad.soundness-flip", "soundness_flip"),
    ("3.3, candidate harvesting", "pad.labels-suffice", "labels_suffice"),
    ("3.3, soundness check", "pad.flip-utility", "flip_utility"),
    ("3.3 and Appendix B", "pad.cost-negligible", "cost_negligible"),
    ("3.3, with N and the ratio of the authors' code", "pad.label-noise", "label_noise"),
    ("Table 1 and 2", "pad.table1", "table1"),
    ("Table 1 and Figure 2", "pad.tradeoff", "pipeline"),
    ("own statement: Table 1, read against a plain control", "pad.tradeoff-controls", "pipeline"),
    ("A.1, inductive step", "pad.accepted-not-pivot", "accepted_not_pivot"),
    ("A.1, inductive step", "pad.replacement-law", "replacement_law"),
    ("A.1", "pad.pathwise", "pathwise"),
    ("A.1", "pad.utility-equal", "utility_equal"),
    ("own statement", "pad.utility-slack", "utility_slack"),
    ("own statement: acceptance and utility over a text", "pad.envelope", "envelope"),
    ("own statement, the rule that A.1 argues about", "pad.strict-rule", "strict_rule"),
    ("Appendix B and Figure 3", "pad.classifier", "pipeline"),
)
"""The paper's number, the statement, and the module that states it, in the paper's own order."""
