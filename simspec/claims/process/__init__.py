"""Penalties, truncation, grammars, seeds and counters around the acceptance test: where they may stand, and what they cost.

F(prefix, p) is a logits processor; α is the acceptance rate Σ min(p, q).  Drafts of a law that is not the reported one are
`folk.told-raw` and `stop.dropped`; the least total variation of a rule, by its residual, is `relaxed.optimal-residual`.  None of
these is stated twice.  Of arXiv 2607.26627 neither text nor abstract was at hand: its two statements are restored.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("practice", "process.prefix", "prefix"),
    ("practice", "process.stale", "stale"),
    ("practice", "process.bonus", "bonus"),
    ("practice", "process.residual-only", "residual_only"),
    ("practice", "process.order", "order"),
    ("practice", "process.mask-draft", "mask_draft"),
    ("practice", "process.mask-law", "mask_law"),
    ("2607.26627, restored", "process.truncation-lossy", "truncation_lossy"),
    ("2607.26627, restored", "process.overshoot", "overshoot"),
    ("practice", "process.seed", "seed"),
    ("an engine of October 2026", "process.logprobs", "logprobs"),
    ("practice", "process.usage", "usage"),
    ("practice", "process.stop-string", "stop_string"),
    ("practice", "process.shared-drafts", "shared_drafts"),
)
"""The source, the statement, and the module that states it."""
