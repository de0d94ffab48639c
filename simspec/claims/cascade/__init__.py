"""Cascades: the drafts of q are verified by a middle model m, and what m emits by the target p.

α(q, m) is Σ min(q, m).  What statements share stands in `parts.py`, `pays.py` states its schedule, and the functions for users
are in `simspec.methods.cascade`.  A cascade by deferral, which is not lossless, is `relaxed.cascade-law`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("2510.26527, abstract", "cascade.lossless", "lossless"),
    ("own, on 2510.26527", "cascade.told-draft", "told_draft"),
    ("own, on 2510.26527", "cascade.accepts-less", "accepts_less"),
    ("own, on 2510.26527", "cascade.last-stage", "last_stage"),
    ("2510.26527, abstract (restored)", "cascade.pays", "pays"),
    ("own, on 2510.26527", "cascade.order", "order"),
)
"""The source, the statement, and the module that states it."""
