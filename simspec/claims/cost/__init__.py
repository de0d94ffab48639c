"""What a block of γ drafts saves, for independent steps of acceptance α and draft cost c: statements on the speed-up S(γ).

What statements share stands in `parts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("Leviathan et al. 2023, Theorem 3.8", "cost.speedup", "speedup"),
    ("Leviathan et al. 2023, Corollary 3.9", "cost.some-gamma", "some_gamma"),
    ("folk form of Leviathan et al. 2023, Corollary 3.9", "cost.every-gamma", "every_gamma"),
    ("practice", "cost.unimodal", "unimodal"),
    ("practice", "cost.ceiling", "ceiling"),
    ("torchedup.dev 2026", "cost.accepts-over-cost", "accepts_over_cost"),
    ("llama.cpp #3649", "cost.geometric", "geometric"),
)
"""The number or the thread, the statement, and the module that states it."""
