"""Statements that one drawer names and another decides: what to look up in their place.

A statement that two papers make is decided once.  `simspec.claims.find`, and so every command, takes either id.
"""

from __future__ import annotations

__all__ = ["ELSEWHERE"]

ELSEWHERE: dict[str, tuple[str, ...]] = {
    "loss.pinsker": ("stop.entropy-bound-corrected",),
    "greedy.reject-kl": ("relaxed.certificate-strict",),
    "greedy.reject-kl-reverse": ("relaxed.certificate-reverse",),
    "greedy.margin": ("relaxed.certificate-margin",),
    "watermark.strongest": ("coupling.formula", "coupling.minhash-bound"),
    "watermark.binary": ("coupling.attains.two-tokens",),
}
"""{id that no claim has: ids of the claims that decide it}; the first lines of the drawer say in which words."""
