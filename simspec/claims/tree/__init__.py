"""Trees of drafts: what is lossless on them, what is accepted, which tree is best for a number of nodes.

What statements share stands in `parts.py`; `traversal_over_rrs.py` holds `tree.traversal-full` too, `power_law.py` holds
`tree.full-tree`, `speed_of_light.py` holds `tree.speed-of-light-tight`.  “Best” trees are those of the largest mean
number of accepted drafts.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("Miao et al. 2023; Chen et al. 2024", "tree.rrs-lossless", "rrs_lossless"),
    ("Weng et al. 2025, abstract", "tree.traversal-lossless", "traversal_lossless"),
    ("Weng et al. 2025, restored", "tree.traversal-chain", "traversal_chain"),
    ("Weng et al. 2025, abstract", "tree.traversal-over-rrs", "traversal_over_rrs"),
    ("own", "tree.traversal-full", "traversal_over_rrs"),
    ("flashinfer and SGLang", "tree.target-only", "target_only"),
    ("EAGLE #171, #183", "tree.deterministic", "deterministic"),
    ("own", "tree.exact-match", "exact_match"),
    ("own", "tree.same-acceptance", "same_acceptance"),
    ("Li et al. 2024", "tree.eagle-best", "eagle_best"),
    ("own", "tree.over-chain", "over_chain"),
    ("Chen et al. 2024, restored", "tree.sequoia-dp", "sequoia_dp"),
    ("Chen et al. 2024, restored", "tree.fixed-arity", "fixed_arity"),
    ("Chen et al. 2024, restored", "tree.power-law", "power_law"),
    ("own", "tree.full-tree", "power_law"),
    ("Pankratov and Alistarh 2025, abstract", "tree.speed-of-light", "speed_of_light"),
    ("Pankratov and Alistarh 2025, abstract", "tree.speed-of-light-tight", "speed_of_light"),
)
"""The source, the statement, and the module that states it."""
