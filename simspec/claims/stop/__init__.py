"""Rules that end a draft by confidence: what they keep lossless, and what they cost.

A *kept* rule sees the drafted tokens, all of which are verified; a *dropped* one throws the token away that it has seen; a
*law-only* one sees the draft's law and no token.  What statements share stands in `parts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("DISCO; vLLM #35301", "stop.kept", "kept"),
    ("AdaEDL; llama.cpp p_min on max q", "stop.law-only", "law_only"),
    ("pegainfer #717; llama.cpp #22506, #27694", "stop.dropped", "dropped"),
    ("own statement", "stop.dropped-iff", "dropped_iff"),
    ("own statement", "stop.dropped-repair", "dropped_repair"),
    ("own statement", "stop.dropped-price", "dropped_price"),
    ("AdaEDL, title and abstract (restored)", "stop.entropy-bound", "entropy_bound"),
    ("own statement", "stop.never-more", "never_more"),
    ("own statement", "stop.marginal", "marginal"),
    ("2607.05147, restored", "stop.schedule", "schedule"),
    ("2607.05147, restored", "stop.schedule-best", "schedule_best"),
    ("2607.05147, restored", "stop.calibration", "calibration"),
)
"""The source, the statement, and the module that states it."""
