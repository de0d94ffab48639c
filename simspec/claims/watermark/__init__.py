"""Watermarks: a key k turns p into P_k and q into Q_k, with means p and q over keys; strongest: every P_k is one-hot.

With Gumbel keys (`watermark.strongest`) the acceptance is `coupling.formula`, at least (1 − TV)/(1 + TV) by
`coupling.minhash-bound`; that for two tokens one-hot keys keep Σ min(p, q) (`watermark.binary`) is `coupling.attains.two-tokens`.
These are not stated twice.  What statements share stands in `parts.py`, and the functions for users in
`simspec.methods.watermark`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("2410.20418, abstract", "watermark.acceptance", "acceptance"),
    ("2410.20418, abstract", "watermark.no-go", "no_go"),
    ("2410.20418 and 2602.01428, abstracts", "watermark.fresh-coins", "fresh_coins"),
)
"""The source, the statement, and the module that states it."""
