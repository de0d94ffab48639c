"""Couplings: draft and target share their noise in place of a test.

X is the draft's winner of a race of exponentials, Y the target's, which is emitted; a list has K drafts with noise of their
own.  What statements share stands in `parts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("Daliri et al. 2024 (restored)", "coupling.formula", "formula"),
    ("Daliri et al. 2024, abstract", "coupling.minhash-bound", "minhash_bound"),
    ("own statement", "coupling.minhash-attained", "minhash_attained"),
    ("Daliri et al. 2024, abstract", "coupling.pareto", "pareto"),
    ("own statement", "coupling.attains", "attains"),
    ("own statement", "coupling.zero-bits", "zero_bits"),
    ("Daliri et al. 2024, abstract", "coupling.invariant", "invariant"),
    ("Rowan et al. 2025, list matching lemma (restored)", "coupling.list-lemma", "list_lemma"),
    ("own statement", "coupling.list-exact", "list_exact"),
    ("Rowan et al. 2025 (restored)", "coupling.list-conditional", "list_conditional"),
    ("Rowan et al. 2025 (restored)", "coupling.list-monotone", "list_monotone"),
    ("Rowan et al. 2025, abstract", "coupling.list-over-rrs", "list_over_rrs"),
)
"""The source, the statement, and the module that states it."""
