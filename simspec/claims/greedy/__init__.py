"""When a greedy draft is accepted for sure: how near the draft law must be to the target for each criterion.

The target p has masses p₁ ≥ p₂ ≥ …; the drafter offers the most likely token of q (ties count against us), R is the set of
tokens that a criterion rejects, and δ = p₁ − p₂ is the margin.  Known from the drawer of relaxed rules, and not stated twice, are
`relaxed.certificate-strict` (the least KL(p‖q) at which the greedy draft fails), `relaxed.certificate-reverse` (the least
KL(q‖p)), `relaxed.certificate-margin` (by the margin alone) and `relaxed.certificate-additive` (of every law with a given mode).

`least.py` holds `greedy.any-set`, `greedy.level-set`, `greedy.additive`, `greedy.multiplicative`, `greedy.top-m` and
`greedy.entropy`, `margins.py` holds `greedy.reject-tv`, `greedy.margin-reverse` and `greedy.margin-square`, `trees.py` holds
`greedy.tree` and `greedy.tree-margin`.  What statements share stands in `parts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("own, on 2606.30265", "greedy.reject-tv", "margins"),
    ("2606.30265, abstract", "greedy.margin-reverse", "margins"),
    ("folk form of 2606.30265", "greedy.margin-square", "margins"),
    ("2606.30265, abstract", "greedy.level-set", "least"),
    ("own", "greedy.any-set", "least"),
    ("own", "greedy.any-tv", "any_tv"),
    ("2606.30265, abstract", "greedy.additive", "least"),
    ("2606.30265, abstract", "greedy.multiplicative", "least"),
    ("2606.30265, abstract", "greedy.top-m", "least"),
    ("2606.30265, abstract", "greedy.entropy", "least"),
    ("2606.30265, abstract", "greedy.nested", "nested"),
    ("2606.30265, abstract", "greedy.coverage", "coverage"),
    ("2606.30265, abstract", "greedy.tree", "trees"),
    ("2606.30265, abstract", "greedy.tree-margin", "trees"),
)
"""The source, the statement, and the module that states it."""
