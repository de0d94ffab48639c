"""Relaxed rules: more accepted, another law."""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = ()
"""The source, the statement, and the module that states it."""
