"""Blocks: verification of a drafted path as a whole, the hierarchical rules beside it, and what it gains.

Laws depend on the last token; r_i is the probability that block verification keeps i drafts or more given them, t_i that of
token verification.  What statements share stands in `parts.py`, other verifiers in `other.py`; `optimal.py` holds
`block.off-path` too, `gain.py` holds `block.gain-when`, `block.gain-least`, `block.gain-most` and `block.gain-two`,
`lossy.py` holds `block.lossy-concave` and `block.lossy-price`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("2403.10444, Theorem 1", "block.lossless", "lossless"),
    ("2403.10444, Theorem 2", "block.never-worse", "never_worse"),
    ("SGLang #36516", "block.strictly-more", "strictly_more"),
    ("2403.10444, Theorem 2", "block.optimal", "optimal"),
    ("2602.16961, abstract", "block.off-path", "optimal"),
    ("2403.10444, proof", "block.reach", "reach"),
    ("2403.10444, section 1", "block.example", "example"),
    ("2403.10444, section 1", "block.example-ideal", "example_ideal"),
    ("own", "block.stop", "stop"),
    ("vllm-ascend #7807, #7808", "block.token-residual", "token_residual"),
    ("vllm-ascend #7807, #7603", "block.cumprod", "cumprod"),
    ("2601.05724, abstract", "block.hsd-lossless", "hsd_lossless"),
    ("2601.05724, README", "block.hsd-more", "hsd_more"),
    ("own", "block.whole", "whole"),
    ("own", "block.gamma-one", "gamma_one"),
    ("2403.10444, section 6", "block.one-hot", "one_hot"),
    ("own", "block.hsd-laws", "hsd_laws"),
    ("own", "block.gain-when", "gain"),
    ("own", "block.gain-least", "gain"),
    ("own", "block.gain-most", "gain"),
    ("own", "block.gain-two", "gain"),
    ("own", "block.lossy-concave", "lossy"),
    ("own", "block.lossy-price", "lossy"),
)
"""The source, the statement, and the module that states it."""
