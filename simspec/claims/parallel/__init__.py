"""Drafters that draw positions without seeing one another: heads, multi-token prediction, diffusion and block drafters.

The target's law of the first token is a, of the second after x it is P(·|x); the drafter has a law q_i for each position and
draws them independently; verification goes token by token.  What statements share stands in `parts.py`, and the functions for
users in `simspec.methods.parallel`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("own", "parallel.lossless", "lossless"),
    ("own", "parallel.told-conditional", "told_conditional"),
    ("own", "parallel.information", "information"),
    ("own", "parallel.marginal-best", "marginal_best"),
    ("own", "parallel.marginal-half", "marginal_half"),
    ("own", "parallel.block", "block"),
    ("practice", "parallel.depth", "depth"),
)
"""The source, the statement, and the module that states it."""
