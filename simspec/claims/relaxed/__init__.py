"""Relaxed rules: more accepted, another law.

One step unless a statement says otherwise; h and H_x are Cactus' raised mass and law, π is a cascade's target, p₁ and p₂ are the
two largest masses of p.  What statements share stands in `parts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("2604.04987, README", "relaxed.cactus-acceptance", "cactus_acceptance"),
    ("own", "relaxed.cactus-tv", "cactus_tv"),
    ("2604.04987, abstract", "relaxed.cactus-kl", "cactus_kl"),
    ("own", "relaxed.cactus-chi2", "cactus_chi2"),
    ("2604.04987, README", "relaxed.cactus-zero", "cactus_zero"),
    ("2604.04987, README", "relaxed.cactus-example", "cactus_example"),
    ("2604.07622", "relaxed.ensemble-law", "ensemble_law"),
    ("2604.07622, Prop. 1", "relaxed.ensemble-pareto", "ensemble_pareto"),
    ("2411.00841", "relaxed.optimal-residual", "optimal_residual"),
    ("2411.00841", "relaxed.tradeoff", "tradeoff"),
    ("own", "relaxed.allocation", "allocation"),
    ("own, on 2512.13194", "relaxed.tolerance", "tolerance"),
    ("own", "relaxed.text-frontier", "text_frontier"),
    ("own", "relaxed.text-greedy", "text_greedy"),
    ("2405.19261", "relaxed.cascade-law", "cascade_law"),
    ("2405.19261", "relaxed.cascade-tok3", "cascade_tok3"),
    ("2502.20704", "relaxed.fsd-law", "fsd_law"),
    ("2502.20704, abstract", "relaxed.fsd-generalises", "fsd_generalises"),
    ("own", "relaxed.fsd-js", "fsd_js"),
    ("Medusa; vLLM #5015", "relaxed.typical-more", "typical_more"),
    ("Medusa", "relaxed.typical-mode", "typical_mode"),
    ("SGLang", "relaxed.sglang-acceptance", "sglang_acceptance"),
    ("own", "relaxed.sglang-tv", "sglang_tv"),
    ("2606.30265", "relaxed.certificate-strict", "certificate_strict"),
    ("own", "relaxed.certificate-reverse", "certificate_reverse"),
    ("2606.30265", "relaxed.certificate-margin", "certificate_margin"),
    ("2606.30265", "relaxed.certificate-additive", "certificate_additive"),
    ("2502.05202", "relaxed.slem", "slem"),
    ("2502.05202", "relaxed.slrs", "slrs"),
)
"""The source, the statement, and the module that states it."""
